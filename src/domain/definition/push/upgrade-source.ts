import { Document, isMap, isNode, isScalar, type Node, YAMLMap } from 'yaml';
import type { UpgradedSource } from '../../../contract/answers.ts';
import type { Refusal } from '../../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, jsonEquals } from '../../../kernel/json.ts';
import { objectFrom, stringOf } from '../../../kernel/json-read.ts';
import { SOURCE_KINDS, type SourceKind } from '../../kinds.ts';
import { withoutAuthoring } from '../model/overlay.ts';
import { compileItem, isJsonSource, parseText, unwrap } from '../source/compile.ts';
import { documentOf } from '../source/yaml.ts';
import { diagnostic, fileOf } from './plan-item.ts';
import { answered, refusePush } from './publish-events.ts';

/** POST source-upgrade: rewrites a source text in the flat layout, if nothing but the layout changes. */

/** Rewrites the `sourceText` of a source item in the flat layout. Refuses what is no source item or does not compile. */
export function upgradeSource(body: Json | undefined): UpgradedSource | Refusal {
  if (!isObject(body)) return refusePush('VALIDATION_FAILED', 'Body must be a source item.', {});
  const { kind: named, sourceText: text } = body;
  const kind = SOURCE_KINDS.find((known) => known === stringOf(named)?.toLowerCase());
  if (kind === undefined) return refusePush('VALIDATION_FAILED', `Body must name a kind: ${SOURCE_KINDS.join(', ')}.`, {});
  if (typeof text !== 'string') return refusePush('VALIDATION_FAILED', 'Body must hold a sourceText.', { kind });
  const compiled = compileItem(body, kind);
  if (!compiled.ok)
    return refusePush('SOURCE_COMPILE_FAILED', compiled.message, { kind, diagnostics: [diagnostic(compiled, fileOf(body))] });
  const canonicalDefinition = withoutAuthoring(compiled.definition);
  const upgraded = upgradedText(body, text, kind, canonicalDefinition);
  const diagnostics = compiled.warnings.map((warning) => ({ ...diagnostic(warning, fileOf(body)), severity: 'warning' as const }));
  return answered({
    kind,
    id: compiled.id,
    canonicalDefinition,
    upgradedSourceText: upgraded ?? text,
    safeAutoWrite: upgraded !== null,
    diagnostics,
  });
}

/** The text in the flat layout, unchanged if it is flat already; `null` if rewriting would lose something. */
function upgradedText(item: JsonObject, text: string, kind: SourceKind, canonical: JsonObject): string | null {
  const parsed = parseText(item, text);
  if (!parsed.ok) return null;
  const flat = unwrap(parsed.value, kind);
  if (jsonEquals(flat, parsed.value)) return text;
  const isJson = isJsonSource(item);
  if (!isJson && COMMENT.test(text)) return null;
  const ordered = withHeadFirst(flat);
  const rewritten = isJson ? `${JSON.stringify(ordered, null, 2)}\n` : yamlOf(ordered, text, kind);
  const again = compileItem({ ...item, sourceText: rewritten }, kind);
  return again.ok && jsonEquals(withoutAuthoring(again.definition), canonical) ? rewritten : null;
}

/**
 * Prints members as their author wrote them, `[a, b]` and `{a: b}` on one line, and folds no line: the editor's own parser does not
 * understand lists in lists, nor texts over several lines.
 */
function yamlOf(flat: JsonObject, text: string, kind: SourceKind): string {
  const asWritten = nodesByName(text, kind);
  const written = new Document();
  // Pairs are pushed directly: the library's `set` searches the whole map for every member.
  const map = new YAMLMap();
  for (const [name, value] of Object.entries(flat)) {
    const node = asWritten.get(name)?.find((each) => jsonEquals(each.toJSON(), value));
    map.items.push(written.createPair(name, node ?? value));
  }
  written.contents = map;
  return written.toString({ lineWidth: 0 });
}

/** The members of the text and of its wrappers, from the outside in. */
function nodesByName(text: string, kind: SourceKind): ReadonlyMap<string, readonly Node[]> {
  const root: unknown = documentOf(text, { version: '1.2', schema: 'core', uniqueKeys: false })?.contents ?? null;
  const wrappers: unknown[] = isMap(root) ? [kind, 'resource', 'definition'].map((name) => root.get(name, true)) : [];
  const found = new Map<string, Node[]>();
  for (const map of [root, ...wrappers]) {
    for (const { key, value } of isMap(map) ? map.items : []) {
      if (!isScalar(key) || !isNode(value)) continue;
      const name = String(key.value);
      found.set(name, [...(found.get(name) ?? []), value]);
    }
  }
  return found;
}

const HEADER = ['sourceVersion', 'kind', 'resourceKind', 'id', 'slug', 'name', 'description', 'notes'];

/** Puts the members that say what a source is first: authors look there, and the editor's lists read only how a file begins. */
function withHeadFirst(flat: JsonObject): JsonObject {
  const head = HEADER.filter((name) => Object.hasOwn(flat, name));
  return { ...objectFrom(head.map((name) => [name, flat[name] ?? null])), ...flat };
}

/** What may be a comment. If it is part of a text, the source is left unchanged for no reason, which does no harm. */
const COMMENT = /(?:^|\s)#/m;
