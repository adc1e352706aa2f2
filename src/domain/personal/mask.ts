import type { Own } from '../../contract/own.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { PersonalPath } from '../model.ts';
import type { Personal } from './fields.ts';

/**
 * Leaves personal values out of what a person is shown. Rather too much is masked than too little: a member of that name anywhere, but for
 * members that the platform calls so itself.
 */

/** Stands for a personal value. */
export const MASK = '[personal]';

/** Where a value stands in an answer. */
interface Place {
  /** Whose documents it may hold; none: of any. A document may name collections, too, so that those around it count on. */
  readonly collections: readonly string[];
  /** Whether the value is made by a game: a personal field may stand in it without what surrounds it. */
  readonly isFree: boolean;
  /** Which members are the platform's own. Left out: none. */
  readonly own?: Own;
  /** What is personal in these collections. An answer may hold a hundred thousand changes, so it is asked for once. */
  readonly paths?: readonly PersonalPath[];
}

const NONE: readonly string[] = [];

/** Members that say which endpoint made something. */
const MAKERS = ['endpoint', 'slug', 'source'] as const;
/** Members that hold what a game made or sent. */
const FREE: ReadonlySet<string> = new Set(['input', 'payload']);
/** Members of what is about a field that say which, and why. All others are values of it. */
const ABOUT: ReadonlySet<string> = new Set([
  'path',
  'field',
  'op',
  'collection',
  'collectionId',
  'collection_id',
  'key',
  'player',
  'source',
  'reason',
]);

/** Members of a dry run, or of a pressed button, that its endpoint made. */
const MADE: ReadonlySet<string> = new Set(['result', 'steps', 'pendingWrites', 'documents']);
/** Texts that an endpoint worded: of a refusal, of a ledger entry, of why a test did not pass. */
const WORDED: ReadonlySet<string> = new Set(['message', 'reason', 'errors']);

/** The answer without personal values. */
export function masked(value: Json, personal: Personal, place: Place): Json {
  const { own = null } = place;
  if (isArray(value)) {
    const item = { ...place, own: own?.items ?? null };
    return value.map((each) => masked(each, personal, item));
  }
  if (!isObject(value)) return value;
  // What a game made may say anything of where it comes from.
  const collections = place.isFree ? NONE : withNamed(place.collections, value);
  const paths = collections === place.collections && place.paths !== undefined ? place.paths : pathsOf(personal, collections);
  const known = place.isFree ? endsIn(paths) : paths;
  const field = fieldOf(value);
  const here = withoutValues(value, known, own);
  const isTold = here['path'] === value['path'] && here['field'] === value['field'];
  const isHidden = typeof value['query'] === 'string' && personal.isShownBy(value['query']);
  const isHandled = MAKERS.some((name) => typeof value[name] === 'string' && personal.isHandledBy(value[name]));
  const isCallHandled = isOfHandling(value, personal);
  const isTest = typeof value['passed'] === 'boolean';
  const isMoney = typeof value['currency'] === 'string' && personal.isCurrency(value['currency']);
  const isCounted = typeof value['rule'] === 'string' && personal.isCountedBy(value['rule']);
  const members = Object.entries(here).map(([name, member]): [string, Json] => {
    if (name === 'message' && typeof value['code'] === 'string' && namesBelow(member, personal)) return [name, MASK];
    if (WORDED.has(name) && (isHandled || (isTest && tells(member, personal)))) return [name, withoutWords(member)];
    if (field !== null && typeof member === 'string' && (name === 'path' || name === 'field')) return [name, placeOf(member, field, paths)];
    // A document may have both, and what stands under `path` may be personal itself.
    if (field !== null && name === 'label') return [name, isTold ? labelOf(field, member, paths) : MASK];
    if (isCallHandled && name === 'input') return [name, { ...objectOf(member), value: { masked: MASK } }];
    const below = (isFree: boolean) =>
      isArray(member) || isObject(member)
        ? masked(member, personal, { collections, paths, own: own?.members.get(name) ?? null, isFree })
        : member;
    if (field !== null && !ABOUT.has(name) && !isLossFlag(name, member)) return [name, maskedChange(below(place.isFree), field, paths)];
    if (isHidden && name === 'rank') return [name, null];
    if (isCounted && name === 'amount') return [name, MASK];
    if (isHandled && MADE.has(name)) return [name, withoutMade(member)];
    if (isHandled && name === 'expectation' && isObject(member))
      return [name, { ...member, reason: withoutWords(member['reason'] ?? null) }];
    const left = below(place.isFree || FREE.has(name));
    return [name, isMoney && name !== 'revision' ? withoutNumbers(left) : left];
  });
  return Object.fromEntries(isHidden ? members.filter(([name]) => name !== 'value') : members);
}

/** Of a change: that a restore counts it as lost. It brings that back, so whoever asks for one is told. */
function isLossFlag(name: string, member: Json): boolean {
  return name === 'lost' && member === true;
}

/** Whether a commit is of a call of an endpoint that handles personal values: its input may hold them by any name. */
function isOfHandling(commit: JsonObject, personal: Personal): boolean {
  const { endpoint } = objectOf(commit['actor'] ?? null);
  return typeof endpoint === 'string' && personal.isHandledBy(endpoint);
}

/** What an endpoint made that handles personal values: they may stand anywhere in it. */
function withoutMade(made: Json): Json {
  if (isArray(made)) {
    return made.flatMap((each): Json[] => {
      if (!isObject(each)) return [];
      if (isArray(each['changes'])) return [{ ...each, changes: each['changes'].map(withoutChange) }];
      return Object.hasOwn(each, 'data') ? [{ ...each, data: MASK }] : [];
    });
  }
  return isObject(made) ? { ...made, body: MASK } : made;
}

/** What there is, came and went of a currency, without how much. */
function withoutNumbers(value: Json): Json {
  if (isNumber(value)) return MASK;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutNumbers(member)]));
}

/** Sums of a ledger: what they come to, without how many entries that are. */
const SUMS: ReadonlySet<string> = new Set(['totalIncrease', 'totalDecrease', 'netChange', 'total']);

/** A ledger of all fields without what they come to: who knows the sums of all but a personal one knows that. */
export function withoutSums(ledger: Json): Json {
  const { summary } = objectOf(ledger);
  return summary === undefined ? ledger : { ...objectOf(ledger), summary: unsummed(summary) };
}

function unsummed(value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SUMS.has(name) ? MASK : unsummed(member)]));
}

/** Which field changes is told, but not from what and to what. */
function withoutChange(change: Json): Json {
  return isObject(change) ? { path: change['path'] ?? '', from: MASK, to: MASK } : MASK;
}

/** Whether a reason names a personal field: that of a test quotes what it found there. */
function tells(words: Json, personal: Personal): boolean {
  return isArray(words) ? words.some((each) => tells(each, personal)) : typeof words === 'string' && personal.isNamedIn(words);
}

/** Whether a refusal names what stands below a personal field, such as what a schema has against it: that is part of the value. */
function namesBelow(message: Json, personal: Personal): boolean {
  if (typeof message !== 'string') return false;
  const paths = personal.in(null).filter(([first]) => first !== '*');
  const words = message.match(/[^\s"'`:]+/g) ?? [];
  return words.some((word) => personalAbove(word.replace(/\.+$/, '').split('.'), paths) !== undefined);
}

function withoutWords(words: Json): Json {
  return isArray(words) ? words.map(withoutWords) : words === null ? null : MASK;
}

/** The collections with that which a value names; the same list, if it names no other. */
function withNamed(collections: readonly string[], value: JsonObject): readonly string[] {
  const named = value['collection'] ?? value['collectionId'] ?? value['collection_id'];
  return typeof named !== 'string' || collections.includes(named) ? collections : [...collections, named];
}

/** What is personal in any of these; none: in any that there is. */
function pathsOf(personal: Personal, collections: readonly string[]): readonly PersonalPath[] {
  return collections.length === 0 ? personal.in(null) : collections.flatMap((each) => personal.in(each));
}

/** The path of the field that an object is about: a change, an operation, a balance. `null`: it is about none. */
function fieldOf(value: JsonObject): PersonalPath | null {
  const written = value['path'] ?? value['field'];
  if (typeof written !== 'string') return null;
  if (written === '' || written === '$') return [];
  if (!written.startsWith('/')) return written.split('.');
  return written
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What is made of a list of paths is made once: a list is as many values long as an answer is. */
function oncePerList(make: (path: PersonalPath) => readonly PersonalPath[]): (paths: readonly PersonalPath[]) => readonly PersonalPath[] {
  const made = new WeakMap<readonly PersonalPath[], readonly PersonalPath[]>();
  return (paths) => {
    const found = made.get(paths) ?? paths.flatMap(make);
    made.set(paths, found);
    return found;
  };
}

const endsIn = oncePerList(endsOf);
const spelledIn = oncePerList(spelled);

/** A path and what it ends with, down to its last part. */
function endsOf(path: PersonalPath): readonly PersonalPath[] {
  return path.map((_, from) => path.slice(from)).filter(([first]) => first !== '*');
}

/** A path, and how it is read where dots part its names. */
function spelled(path: PersonalPath): readonly PersonalPath[] {
  return path.some((part) => part.includes('.')) ? [path, path.flatMap((part) => part.split('.'))] : [path];
}

/** A value of a field: it is personal itself, stands in what is, or holds some. */
function maskedChange(value: Json, field: PersonalPath, paths: readonly PersonalPath[]): Json {
  let here = value;
  for (const path of spelledIn(paths)) {
    if (!leadsTo(path, field)) continue;
    if (path.length <= field.length) return value === null ? null : MASK;
    const rest = path.slice(field.length);
    here = without(here, rest);
    // An item that is added to a list.
    if (rest[0] === '*') here = without(here, rest.slice(1));
  }
  return here;
}

/** Where a field is, down to what is personal: names below it are parts of a value. */
function placeOf(written: string, field: PersonalPath, paths: readonly PersonalPath[]): string {
  const personal = personalAbove(field, paths);
  if (personal === undefined) return written;
  const start = written.startsWith('/') ? 1 : 0;
  const separator = start === 1 ? '/' : '.';
  return written
    .split(separator)
    .slice(0, start + personal.length)
    .join(separator);
}

/** What is personal and holds the field as a part. */
function personalAbove(field: PersonalPath, paths: readonly PersonalPath[]): PersonalPath | undefined {
  return spelledIn(paths).find((path) => path.length < field.length && leadsTo(path, field));
}

/** Whether a path, as far as it and the field go, leads to the field. */
function leadsTo(path: PersonalPath, field: PersonalPath): boolean {
  return path.every((part, index) => part === '*' || index >= field.length || part === field[index]);
}

/** Names of list items are values of theirs. */
function labelOf(field: PersonalPath, label: Json, paths: readonly PersonalPath[]): Json {
  const personal = personalAbove(field, paths);
  if (personal !== undefined) return field.slice(0, personal.length).join(' › ');
  return paths.some((path) => path.includes('*')) ? field.join(' › ') : label;
}

/** Members of the platform's own names are left: a path of a document does not begin with them. */
function withoutValues(value: JsonObject, paths: readonly PersonalPath[], own: Own): JsonObject {
  const isOwn = (name: string) => own?.members.has(name) === true;
  if (!paths.some(([first = '*']) => first === '*' || (Object.hasOwn(value, first) && !isOwn(first)))) return value;
  const left = Object.entries(value).map(([name, member]): [string, Json] => {
    const here = isOwn(name) ? [] : paths.filter(([first]) => first === '*' || first === name);
    return [name, here.reduce<Json>((each, [, ...rest]) => without(each, rest), member)];
  });
  return Object.fromEntries(left);
}

/** The value with a mask where the path leads. */
function without(value: Json, path: PersonalPath): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value === null ? null : MASK;
  if (isArray(value)) return first === '*' || /^\d+$/.test(first) ? value.map((each) => without(each, rest)) : value;
  if (!isObject(value)) return value;
  if (first !== '*' && !Object.hasOwn(value, first)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, first === '*' || name === first ? without(member, rest) : member]),
  );
}

/** Whether a value that is to be stored holds a mask: whoever sends it was not shown what stands there. */
export function holdsMask(value: Json): boolean {
  if (isArray(value)) return value.some(holdsMask);
  return isObject(value) ? Object.values(value).some(holdsMask) : value === MASK;
}
