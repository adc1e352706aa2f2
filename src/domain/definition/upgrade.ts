import { stringify } from 'yaml';
import type { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { SourceKind } from './kinds.ts';
import { withoutAuthoring } from './overlay.ts';
import { diagnostic, fileOf } from './plan.ts';
import { type ManageReply, refusePush, reply } from './publish.ts';
import { textOf } from './read.ts';
import { compileItem, isJsonSource, parseText, unwrap } from './source.ts';

/** POST source-upgrade: a source text in the flat layout, where that changes nothing but the layout (management 12). */

const KINDS: readonly SourceKind[] = ['collection', 'endpoint', 'workflow', 'query', 'test'];

export function upgradeSource(body: Json | undefined): ManageReply | Refusal {
  if (!isObject(body)) return refusePush('VALIDATION_FAILED', 'Body must be a source item.', {});
  const named = textOf(member(body, 'kind'))?.toLowerCase();
  const kind = KINDS.find((known) => known === named);
  if (kind === undefined) return refusePush('VALIDATION_FAILED', `Body must name a kind: ${KINDS.join(', ')}.`, {});
  const text = member(body, 'sourceText');
  if (typeof text !== 'string') return refusePush('VALIDATION_FAILED', 'Body must hold a sourceText.', { kind });
  const compiled = compileItem(body, kind);
  if (!compiled.ok)
    return refusePush('SOURCE_COMPILE_FAILED', compiled.message, { kind, diagnostics: [diagnostic(compiled, fileOf(body))] });
  const canonicalDefinition = withoutAuthoring(compiled.definition);
  const upgraded = upgradedText(body, text, kind, canonicalDefinition);
  const diagnostics = compiled.warnings.map((warning) => ({ ...diagnostic(warning, fileOf(body)), severity: 'warning' }));
  return reply({
    kind,
    id: compiled.id,
    canonicalDefinition,
    upgradedSourceText: upgraded ?? text,
    safeAutoWrite: upgraded !== null,
    diagnostics,
  });
}

/** The same text where it is flat already; `null` where it is not, and cannot be rewritten without losing something. */
function upgradedText(item: JsonObject, text: string, kind: SourceKind, canonical: JsonObject): string | null {
  const parsed = parseText(item, text);
  if (!parsed.ok) return null;
  const flat = unwrap(parsed.value, kind);
  if (jsonEquals(flat, parsed.value)) return text;
  const isJson = isJsonSource(item);
  if (!isJson && COMMENT.test(text)) return null;
  const rewritten = isJson ? `${JSON.stringify(flat, null, 2)}\n` : stringify(flat);
  const again = compileItem({ ...item, sourceText: rewritten }, kind);
  return again.ok && jsonEquals(withoutAuthoring(again.definition), canonical) ? rewritten : null;
}

/** What may be a comment; inside a text it is none, but then nothing is lost by leaving the text alone. */
const COMMENT = /(?:^|\s)#/m;
