import type { collection } from '../../contract/resources/collection.ts';
import type { endpoint } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { query } from '../../contract/resources/query.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { flagOf, objectOf, stringOf } from '../../kernel/json-read.ts';
import { isInternal } from '../../language/exposure.ts';
import { buttonOf, opennessOf } from '../definition/model/models.ts';
import type { OpenTo } from '../model.ts';
import { isWider } from './next.ts';

/** What a publish opens to more callers. It stops nothing: whoever publishes is told, and can see whether it was meant. */

/** The code of the findings that say so. */
export const ACCESS_WIDENED = 'ACCESS_WIDENED';

/** `member`: of the definition, which opens it. */
export interface Widening {
  readonly member: string;
  readonly message: string;
}

/** What the second form of a definition opens that the first kept closed. One that was not there (`{}`) kept nothing closed. */
export function wideningsOf(kind: string, before: Json, after: Json): readonly Widening[] {
  const [one, other] = [objectOf(before), objectOf(after)];
  if (Object.keys(one).length === 0) return [];
  const found = WIDENINGS.get(kind)?.(one, other) ?? [];
  return found.filter((each) => each !== null);
}

/** As the difference between two forms tells it; no member if nothing is opened. */
export function openedBetween(kind: string, before: Json, after: Json): { readonly opens?: readonly string[] } {
  const opens = wideningsOf(kind, before, after).map(({ message }) => message);
  return opens.length === 0 ? {} : { opens };
}

const WHO: Readonly<Record<OpenTo, string>> = {
  public: 'every game',
  owner: 'the player whose it is',
  endpoints: 'secret keys and endpoints alone',
};

type WrittenCollection = Written<typeof collection>;

function ofCollection(written: WrittenCollection, rewritten: WrittenCollection): readonly (Widening | null)[] {
  const [before, after] = [opennessOf(written), opennessOf(rewritten)];
  const member = (rewritten.access ?? written.access ?? null) === null ? 'accessMode' : 'access';
  const wider = (what: string, one: OpenTo, other: OpenTo) =>
    isWider(other, one) ? { member, message: `${what} by ${WHO[other]}; until now by ${WHO[one]}.` } : null;
  return [
    wider('Documents may be read', before.access.read, after.access.read),
    wider('Documents may be written', before.access.write, after.access.write),
    wider('Lists, records and ledgers may be read', before.access.records, after.access.records),
    opened('publicAppend', isAppendable(before), isAppendable(after), 'Games may append records; until now secret keys alone.'),
    opened('history', before.ownHistory, after.ownHistory, 'Players may read what their data were; until now secret keys alone.'),
    opened('allowRecordDelete', before.allowRecordDelete, after.allowRecordDelete, 'Documents may be deleted; until now not by games.'),
    opened(
      'visibility',
      showsValues(written),
      showsValues(rewritten),
      'Players see the game values of this collection; until now they did not.',
    ),
    opened(
      'collectionType',
      before.type === 'global' || before.access.records !== 'public',
      after.type === 'global' && after.access.records === 'public',
      'Every game may list and read what is in it, as a global collection; until now each document was a player’s.',
    ),
  ];
}

type WrittenEndpoint = Written<typeof endpoint>;

function ofEndpoint(before: WrittenEndpoint, after: WrittenEndpoint): readonly (Widening | null)[] {
  const isOpen = (definition: WrittenEndpoint) => !isInternal(definition) && !takesSecret(definition);
  const [member, was] = isInternal(before) ? ['exposure', 'steps alone'] : ['requiresSecretKey', 'secret keys alone'];
  const hasButton = ({ console: button }: WrittenEndpoint) => buttonOf(button) !== null;
  return [
    opened(member, isOpen(before), isOpen(after), `Every game may call it; until now ${was}.`),
    opened(
      'console',
      hasButton(before),
      hasButton(after),
      'Who presses buttons in the console may run it; until now whoever may call endpoints.',
    ),
  ];
}

function ofQuery(before: Written<typeof query>, after: Written<typeof query>): readonly (Widening | null)[] {
  const message = 'Every game may run it; until now secret keys alone.';
  return [opened('requiresSecretKey', !takesSecret(before), !takesSecret(after), message)];
}

/** By kind; definitions of other kinds open nothing. */
const WIDENINGS: ReadonlyMap<string, (before: JsonObject, after: JsonObject) => readonly (Widening | null)[]> = new Map([
  ['collection', ofCollection],
  ['endpoint', ofEndpoint],
  ['query', ofQuery],
]);

function takesSecret({ requiresSecretKey }: { readonly requiresSecretKey?: Json | undefined }): boolean {
  return flagOf(requiresSecretKey) ?? false;
}

function opened(member: string, before: boolean, after: boolean, message: string): Widening | null {
  return after && !before ? { member, message } : null;
}

function isAppendable({ type, publicAppend, access: { write } }: ReturnType<typeof opennessOf>): boolean {
  return type === 'global' && publicAppend && write !== 'endpoints';
}

function showsValues({ visibility }: WrittenCollection): boolean {
  return stringOf(visibility)?.toLowerCase() === 'public';
}
