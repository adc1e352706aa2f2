import { ACCESS_WIDENED } from '../domain/access/widened.ts';
import { positionsIn } from '../domain/definition/source/positions.ts';
import { SECTIONS } from '../domain/kinds.ts';
import { isArray, isObject, type Json, type JsonObject, stringOrEmpty } from '../kernel/json.ts';
import { itemsOf } from './body.ts';
import type { FileKind } from './kinds.ts';
import type { Folder, Source } from './sources.ts';

/** Findings in a folder, with their positions: from reading it, and from the server's answer to a push. */

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly kind: FileKind;
  readonly id: string;
  /** Path of the file; '': the finding belongs to no file. */
  readonly path: string;
  /** Position in the file, both from 1. */
  readonly line: number | null;
  readonly column: number | null;
  /** The line itself. */
  readonly text: string | null;
  /** What to do; '': there is no advice. */
  readonly fix: string;
}

/** Findings that prevent a push: files that cannot be read, and duplicate definitions. */
export function problemsIn({ sources }: Pick<Folder, 'sources'>): readonly Finding[] {
  const first = new Map<string, Source>();
  return sources.flatMap((source) => {
    const { problem, kind, id } = source;
    const found = problem === null ? [] : [findingIn(source, { ...problem, fix: '', severity: 'error' })];
    const name = `${kind}/${id}`;
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, source);
      return found;
    }
    const message = `The ${kind} ${id === '*' ? '' : `${id} `}stands in ${before.path}, too: one of the two would be lost.`;
    return [...found, findingIn(source, { severity: 'error', code: 'DUPLICATE_DEFINITION', message, fix: 'Remove one of them.' })];
  });
}

/** The findings in the answer to a push or preflight of the folder, or in its refusal. */
export function findingsIn({ sources }: Pick<Folder, 'sources'>, answer: JsonObject): readonly Finding[] {
  const kinds = Object.entries(SECTIONS) as readonly (readonly [FileKind, string])[];
  return kinds.flatMap(([kind, name]) => {
    const section = answer[name];
    if (!isObject(section)) return [];
    const items = itemsOf(sources, kind);
    const results = listIn(section, 'results').filter((result) => isObject(result));
    const told = results.flatMap((result) => listIn(result, 'diagnostics').filter((each) => isObject(each)));
    // A section that is refused as a whole has the reason itself.
    const whole = told.length === 0 && section['ok'] === false ? [section] : told;
    // What a push opens is shown with its changes: it is nothing to mend.
    return whole.filter(({ code }) => code !== ACCESS_WIDENED).map((each) => placed(kind, items, each));
  });
}

function placed(kind: FileKind, items: readonly Source[], told: JsonObject): Finding {
  const pointer = stringOrEmpty(told['sourcePointer']);
  const isWhole = kind === 'game-values' || kind === 'rate-limit-rules';
  const [, index = ''] = /^\/(\d+)/.exec(pointer) ?? [];
  const byIndex = kind === 'test' && index !== '' ? items[Number(index)] : undefined;
  const file = stringOrEmpty(told['file']) || stringOrEmpty(told['sourcePath']);
  const source = isWhole
    ? items[0]
    : (byIndex ?? items.find(({ path, pointer: inside }) => path === file && inside === '') ?? ofId(items, told));
  const about = {
    severity: told['severity'] === 'warning' ? ('warning' as const) : ('error' as const),
    code: stringOrEmpty(told['type']) || stringOrEmpty(told['code']) || stringOrEmpty(told['error']),
    message: stringOrEmpty(told['message']),
    fix: stringOrEmpty(told['suggestedFix']),
    line: numberIn(told, 'line'),
    column: numberIn(told, 'column'),
  };
  if (source === undefined) return { ...about, kind, id: stringOrEmpty(told['resourceId']), path: file, text: null };
  const rest = byIndex === undefined ? pointer : pointer.slice(index.length + 1);
  return findingIn(source, about, `${source.pointer}${isWhole ? inFile(source, pointer) : rest}`);
}

function ofId(items: readonly Source[], told: JsonObject): Source | undefined {
  const id = stringOrEmpty(told['resourceId']);
  return (
    items.find((each) => each.id === id) ??
    items.find(({ resource }) => isObject(resource) && (resource['slug'] === id || resource['name'] === id))
  );
}

/** The pointer in the file. A push sends a bare list under a name, which the file does not have. */
function inFile({ resource }: Source, pointer: string): string {
  return isArray(resource) ? pointer.replace(/^\/(?:items|rules)(?=\/)/, '') : pointer;
}

type Told = Pick<Finding, 'severity' | 'code' | 'message' | 'fix'> & {
  readonly line?: number | null | undefined;
  readonly column?: number | null | undefined;
};

function findingIn(source: Source, { severity, code, message, fix, line = null, column = null }: Told, pointer = source.pointer): Finding {
  const { kind, id, path, text } = source;
  // The server names the member; the position found here is that of the wrong word itself.
  const told = line === null ? null : { line, column: column ?? 1 };
  const found = pointer === '' && told !== null ? told : (positionOf(source, pointer, code, message) ?? told);
  const at = found?.line ?? null;
  return {
    severity,
    code,
    message: withoutPosition(message, found),
    kind,
    id,
    path,
    fix,
    line: at,
    column: found?.column ?? null,
    text: at === null ? null : (text.split(/\r?\n/)[at - 1] ?? null),
  };
}

/** Removes the position from the end of a YAML error's message, because it is shown before the message. */
function withoutPosition(message: string, found: { readonly line: number; readonly column: number } | null): string {
  const position = found === null ? '' : ` (line ${found.line}, column ${found.column})`;
  return position !== '' && message.endsWith(position) ? message.slice(0, -position.length) : message;
}

function positionOf(source: Source, pointer: string, code: string, message: string) {
  const { text, kind, problem } = source;
  if (problem !== null) return null;
  const positions = parsed.get(source) ?? positionsIn(text, kind);
  parsed.set(source, positions);
  return OF_NAMES.test(code) ? positions.of(pointer) : positions.valueOf(pointer, wordsIn(message));
}

/** Codes of findings about the name of a member. All others are about its value. */
const OF_NAMES = /^UNKNOWN_(?!NAME$|MEMBER$|FIELD$)|_IGNORED|^RESERVED_INPUT$|^FIELD_MISREAD$/;

/** The words that a message quotes, longest first, because shorter ones may be parts of them. */
function wordsIn(message: string): readonly string[] {
  const quoted = [...message.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, single, double]) => single ?? double ?? '');
  return quoted.sort((a, b) => b.length - a.length);
}

/** Positions by source, so that a text with many findings is parsed once. */
const parsed = new WeakMap<Source, ReturnType<typeof positionsIn>>();

function listIn(object: JsonObject, name: string): readonly Json[] {
  const value = object[name];
  return isArray(value) ? value : [];
}

function numberIn(object: JsonObject, name: string): number | null {
  const value = object[name];
  return typeof value === 'number' ? value : null;
}
