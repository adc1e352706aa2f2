import type { Written } from '../../contract/resources/member.ts';
import type { join as joinSchema, queryConfig } from '../../contract/resources/query.ts';
import { ExactNumber, type Json, type JsonObject } from '../../kernel/json.ts';
import { firstText, flagOf, listOf, numberOf, objectOf } from '../../kernel/json-read.ts';
import { getPath, member } from '../../kernel/path.ts';
import type { QueryModel } from '../model.ts';
import type { Row } from './evaluate.ts';

/** Attaches documents of another collection to the rows of a query. */
export interface Join {
  readonly collectionId: string;
  readonly alias: string;
  /** Dotted path in the row; `null`: the key of its document. */
  readonly left: string | null;
  /** Dotted path in the joined document; `null`: its key. */
  readonly right: string | null;
  /** Whether a joined document without the field is matched by its key. */
  readonly rightOrKey: boolean;
  /** Whether rows without a match are dropped. */
  readonly inner: boolean;
  readonly many: boolean;
}

/** The join as written. */
type Spec = Written<typeof joinSchema>;

type QuerySource = QueryModel['sources'][number];

/** How a source after the first is attached; `null`: it is merged with the others by key. */
export function sourceJoin(config: Written<typeof queryConfig>, source: QuerySource, index: number): Spec | null {
  if (source.join !== undefined) return source.join;
  return (
    listOf(config.joins)
      .map((spec): Spec => objectOf(spec))
      .find((spec) => names(spec, source, index)) ?? null
  );
}

/** Every join of a query: those of its sources, then the collections in `config.joins`. */
export function joinsOf({ sources, config }: QueryModel): readonly Join[] {
  const attached = sources.flatMap((source, index): Join[] => {
    const spec = index === 0 ? null : sourceJoin(config, source, index);
    return spec === null ? [] : [joinOf(source, spec)];
  });
  const ownJoins = listOf(config.joins)
    .map((spec): Spec => objectOf(spec))
    .filter((spec) => !sources.some((source, index) => names(spec, source, index)))
    .flatMap(joinOfCollection);
  return [...attached, ...ownJoins];
}

function names(spec: Spec, { collectionId, alias }: QuerySource, index: number): boolean {
  const at = numberOf(spec.index) ?? numberOf(spec.sourceIndex);
  if (at !== undefined) return at === index;
  if (firstText(spec, 'sourceCollectionId', 'localKey', 'foreignKey') !== undefined) return false;
  const name = firstText(spec, 'source', 'alias', 'as');
  return name === undefined ? firstText(spec, 'collectionId') === collectionId : name === alias;
}

function joinOf({ collectionId, alias }: QuerySource, spec: Spec): Join {
  const on: Spec = objectOf(spec.on);
  const left = firstText(spec, 'left', 'local', 'localField', 'from') ?? firstText(on, 'left', 'local');
  const right = firstText(spec, 'right', 'foreign', 'foreignField', 'to') ?? firstText(on, 'right', 'foreign');
  return {
    collectionId,
    alias,
    left: keyOrPath(left),
    right: keyOrPath(right),
    rightOrKey: false,
    inner: isInner(spec) || flagOf(spec.required) === true,
    many: flagOf(spec.many) === true || flagOf(spec.multiple) === true || firstText(spec, 'cardinality') === 'many',
  };
}

function joinOfCollection(spec: Spec): Join[] {
  const collectionId = firstText(spec, 'sourceCollectionId', 'collectionId');
  if (collectionId === undefined) return [];
  const alias = firstText(spec, 'alias') ?? collectionId;
  const [left, right] = [keyOrPath(firstText(spec, 'localKey')), keyOrPath(firstText(spec, 'foreignKey'))];
  return [{ collectionId, alias, left, right, rightOrKey: true, inner: isInner(spec), many: false }];
}

function isInner(spec: Spec): boolean {
  return firstText(spec, 'type')?.toLowerCase() === 'inner';
}

function keyOrPath(text: string | undefined): string | null {
  return text === undefined || text === '$key' || text === '_key' || text === 'key' ? null : text;
}

/** A document that a query keeps. Its text takes less room than its objects. */
export interface KeptDocument {
  readonly key: string;
  readonly text: string;
  /** The revision that decides between documents of equal numbers; see `reached.ts`. */
  readonly reached: number;
}

/** The joined documents by the text of the value that they are matched by, in order of their keys. */
export type Matches = Map<string, KeptDocument[]>;

/** Adds a document, and says whether it was kept. Of documents with the same text, only a join with `many` keeps more than the first. */
export function addMatch(matches: Matches, join: Join, stored: KeptDocument, data: JsonObject): boolean {
  const value = join.right === null ? stored.key : (getPath(data, join.right) ?? (join.rightOrKey ? stored.key : null));
  const text = joinKey(value);
  if (text === null) return false;
  const known = matches.get(text);
  if (known === undefined) matches.set(text, [stored]);
  else if (join.many) known.push(stored);
  return known === undefined || join.many;
}

/** The documents that match a row. `first`: alias of the row's own document. */
export function matchOf(join: Join, matches: Matches, row: Row, first: string | null): readonly KeptDocument[] {
  return matches.get(joinKey(leftOf(join, row, first)) ?? '\0') ?? [];
}

/** The row with its matches under the alias; `null`: it is dropped. */
export function joined(join: Join, found: readonly JsonObject[], row: Row): Row | null {
  if (found.length === 0 && join.inner) return null;
  return { key: row.key, data: { ...row.data, [join.alias]: join.many ? found : (found[0] ?? null) } };
}

/** The row's side of a join. A path names a member of the row or, if sources have aliases, of the first source's document. */
function leftOf({ left }: Join, { key, data }: Row, first: string | null): Json {
  if (left === null) return key;
  return getPath(data, left) ?? (first === null ? null : (getPath(member(data, first) ?? null, left) ?? null));
}

/** A value as text, since keys compare as text. A value that is neither text, number nor boolean matches nothing. */
function joinKey(value: Json): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value instanceof ExactNumber ? value.text : null;
}
