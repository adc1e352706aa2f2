import { playerOfKey } from '../../domain/document/key.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { Topic } from '../../domain/live/topic.ts';
import { DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json, parseStored, stringifyJson } from '../../kernel/json.ts';
import type { Address, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { type History, mayReadPublishes } from '../management/history.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { readable, readDocument } from '../storage/documents.ts';
import { ledgerAnswer, readableLedger } from '../storage/ledger.ts';
import { type Queries, runnable, sourcesOf } from '../storage/queries.ts';
import { readableSlots, slotsAnswer } from '../storage/save-records.ts';
import { readableValues, type Values } from '../storage/values.ts';
import { ownersSubject } from './touched.ts';

/** The plain read behind a topic, for a caller who may do it. Whoever may not gets the refusal of the plain read. */
export interface Reading {
  /** Readings of one name answer alike, so one of them is asked for all. */
  readonly name: string;
  /** What the answer is made of, beside the definitions and the settings. */
  readonly subjects: readonly SubjectKey[];
  /** Shortest time between two answers, ms. */
  readonly everyMs: number;
  /** The caller, proven if the read asks for that. */
  readonly caller: Caller;
  read(): Promise<Answered>;
}

export interface Answered {
  /** JSON text; `null`: there is nothing under this name. */
  readonly text: string;
  /** Of a document: its save version. */
  readonly version?: number;
  /** The text without what differs between two runs over the same data. */
  readonly same: string;
  readonly position: number;
  readonly stale: boolean;
}

/** The use cases that a topic is read by. */
export interface Read {
  readonly context: AppContext;
  readonly queries: Queries;
  readonly values: Values;
  readonly history: History;
}

/** Boards, and all that passes over many documents, ms. */
const BOARD_MS = 1_000;
/** The ledger comes out of a view, which is written some tenths of a second later, ms. */
const VIEW_MS = 250;
/** Entries of a ledger where the topic says nothing. */
const LEDGER_LIMIT = '100';

/** Throws the refusal of the plain read for a caller who may not do it. */
export function readingOf(read: Read, caller: Caller, topic: Topic, target: PublishTarget): Promise<Reading> {
  switch (topic.kind) {
    case 'documents':
      return documentReading(read, caller, addressOf(topic, caller, target));
    case 'ledger':
      return ledgerReading(read, caller, addressOf(topic, caller, target), topic);
    case 'records':
      return slotsReading(read, caller, addressOf(topic, caller, target));
    case 'query':
      return queryReading(read, caller, topic, target);
    case 'values':
      return valuesReading(read, caller, target);
    case 'publishes':
      return publishesReading(read, caller, topic);
  }
}

function addressOf({ of, key }: Topic, caller: Caller, target: PublishTarget): Address {
  return { collection: of, key: key ?? ownId(caller), target };
}

function ownId({ onBehalfOf, platformId }: Caller): string {
  const id = onBehalfOf ?? platformId;
  if (id === null)
    throw refusal('MISSING_PLATFORM_ID', 'A topic without a key is about the player: name the player, in the header x-platform-id');
  return id;
}

async function documentReading({ context }: Read, caller: Caller, at: Address): Promise<Reading> {
  const { project, access, collection, caller: reader } = await readable(context, caller, at);
  return {
    name: `documents ${access.space} ${collection.id} ${at.key}`,
    subjects: documentSubjects(access.space, collection.id, at.key),
    everyMs: 0,
    caller: reader,
    async read() {
      const found = await readDocument(context, project, reader, access, collection, at.key);
      const where = found ?? positioned(context, project, reader);
      const [text, version] = found === null ? ['null', 0] : [found.text, found.version];
      return { text, version, same: `${version} ${text}`, position: where.position, stale: false };
    },
  };
}

async function ledgerReading({ context }: Read, caller: Caller, at: Address, { options }: Topic): Promise<Reading> {
  const ledger = await readableLedger(context, caller, at);
  const { access, collection } = ledger;
  const spaces = access.space === 'live' ? [access.space] : [access.space, 'live' as const];
  const query = { field: options.get('field') ?? null, limit: options.get('limit') ?? LEDGER_LIMIT, from: null, to: null, cursor: null };
  return {
    name: `ledger ${access.space} ${collection.id} ${at.key} ${JSON.stringify([query.field, query.limit])}`,
    subjects: spaces.map((space) => ownersSubject(space, collection.id, playerOfKey(at.key))),
    everyMs: VIEW_MS,
    caller: ledger.caller,
    read: async () => whole(await ledgerAnswer(context, ledger, at, query)),
  };
}

async function slotsReading({ context }: Read, caller: Caller, at: Address): Promise<Reading> {
  const slots = await readableSlots(context, caller, at);
  const { access, collection } = slots;
  const spaces = access.space === 'live' ? [access.space] : [access.space, 'live' as const];
  const owned = spaces.map((space) => ownersSubject(space, collection.id, playerOfKey(at.key)));
  return {
    name: `records ${access.space} ${collection.id} ${at.key}`,
    subjects: [...recordListSubjects(access.space, collection.id, at.key), ...owned],
    everyMs: 0,
    caller: slots.caller,
    read: async () => whole(await slotsAnswer(context, slots)),
  };
}

async function queryReading({ context, queries }: Read, caller: Caller, { of, options }: Topic, target: PublishTarget): Promise<Reading> {
  const asked = (name: string) => options.get(name) ?? null;
  const player = asked('platformId') ?? (options.has('around') ? ownId(caller) : null);
  const run = { id: of, target, fresh: false, limit: asked('limit'), offset: asked('offset'), player, around: asked('around') };
  const project = await projectOf(context, caller);
  const { access, query, plan, page } = runnable(project, caller, run);
  return {
    name: `query ${access.space} ${query.id} ${JSON.stringify(page)}`,
    subjects: sourcesOf(access, plan),
    everyMs: BOARD_MS,
    caller,
    async read() {
      const answer = whole(await queries.run(caller, run));
      return { ...answer, same: lasting(answer.text) };
    },
  };
}

async function valuesReading({ context, values }: Read, caller: Caller, target: PublishTarget): Promise<Reading> {
  const project = await projectOf(context, caller);
  const { isWhole } = readableValues(project, caller, target);
  const read = async () => whole(await values.read(caller, target));
  return { name: `values ${target} ${isWhole}`, subjects: [DEFINITIONS], everyMs: 0, caller, read };
}

async function publishesReading({ context, history }: Read, caller: Caller, { options }: Topic): Promise<Reading> {
  if (!caller.isSecret) throw refusal('SECRET_KEY_REQUIRED', 'What was published is shown to a secret key, in the header x-secret-key');
  mayReadPublishes(await projectOf(context, caller), caller);
  const limit = options.get('limit') ?? null;
  const read = async () => whole(await history.publishes(caller, { limit, before: null }));
  return { name: `publishes ${limit}`, subjects: [DEFINITIONS], everyMs: VIEW_MS, caller, read };
}

function whole<Result extends object>({ result, position, stale }: ReadAnswer<Result>): Answered {
  const text: string = typeof result === 'string' ? result : stringifyJson(result as unknown as Json);
  return { text, same: text, position, stale };
}

/** When and how long a query ran says nothing of its rows. */
const PASSING: ReadonlySet<string> = new Set(['generatedAt', 'lastran', 'updatedAt', 'performance', 'fromCache', 'cachedAt', 'expiresAt']);

function lasting(text: string): string {
  const result = parseStored(text);
  if (!isObject(result)) return text;
  return stringifyJson(Object.fromEntries(Object.entries(result).filter(([name]) => !PASSING.has(name))));
}
