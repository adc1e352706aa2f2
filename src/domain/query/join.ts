import type { NormalConfig, NormalJoin } from '../../contract/resources/query.ts';
import { ExactNumber, type Json, type JsonObject } from '../../kernel/json.ts';
import { flagOf, listOf, numberOf, objectOf, stringOf } from '../../kernel/json-read.ts';
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

type QuerySource = QueryModel['sources'][number];

/** How a source after the first is attached; `null`: it is merged with the others by key. */
export function sourceJoin(config: NormalConfig, source: QuerySource, index: number): NormalJoin | null {
  if (source.join !== undefined) return source.join;
  return (
    listOf(config.joins)
      .map((spec): NormalJoin => objectOf(spec))
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
    .map((spec): NormalJoin => objectOf(spec))
    .filter((spec) => !sources.some((source, index) => names(spec, source, index)))
    .flatMap(joinOfCollection);
  return [...attached, ...ownJoins];
}

function names(spec: NormalJoin, { collectionId, alias }: QuerySource, index: number): boolean {
  const at = numberOf(spec.index);
  if (at !== undefined) return at === index;
  if ([spec.sourceCollectionId, spec.localKey, spec.foreignKey].some((each) => stringOf(each) !== undefined)) return false;
  const name = stringOf(spec.source) ?? stringOf(spec.alias);
  return name === undefined ? stringOf(spec.collectionId) === collectionId : name === alias;
}

function joinOf({ collectionId, alias }: QuerySource, spec: NormalJoin): Join {
  return {
    collectionId,
    alias,
    left: keyOrPath(stringOf(spec.left)),
    right: keyOrPath(stringOf(spec.right)),
    rightOrKey: false,
    inner: isInner(spec) || flagOf(spec.required) === true,
    many: flagOf(spec.many) === true || stringOf(spec.cardinality) === 'many',
  };
}

function joinOfCollection(spec: NormalJoin): Join[] {
  const collectionId = stringOf(spec.sourceCollectionId) ?? stringOf(spec.collectionId);
  if (collectionId === undefined) return [];
  const alias = stringOf(spec.alias) ?? collectionId;
  const [left, right] = [keyOrPath(stringOf(spec.localKey)), keyOrPath(stringOf(spec.foreignKey))];
  return [{ collectionId, alias, left, right, rightOrKey: true, inner: isInner(spec), many: false }];
}

function isInner(spec: NormalJoin): boolean {
  return stringOf(spec.type)?.toLowerCase() === 'inner';
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
