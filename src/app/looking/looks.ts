import type * as contract from '../../contract/answers.ts';
import { isOfShared, isShared } from '../../domain/definition/model/shared.ts';
import type { LookingEvent } from '../../domain/looking/events.ts';
import { type Personal, personalIn } from '../../domain/personal/fields.ts';
import { refusal } from '../../kernel/errors.ts';
import { instantOrDate } from '../../kernel/instant.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { readLookingEvent } from '../../log/looking.ts';
import type { Log } from '../../log/port.ts';
import { accessStream } from '../../log/streams.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import { calledOf } from '../called.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { EarlierMarks } from './earlier-marks.ts';
import type { LookLog } from './look-log.ts';
import { firstSince } from './search.ts';

/** Who looked at whose data, and what of it people see. */
export interface Looks extends Pick<LookLog, 'record'> {
  /** What is personal in a project that is open here, and that was asked about before; `null`: nothing. Throws 503 BUSY for any other. */
  personal(projectId: string): Personal | null;
  /** The same, of any project. Throws 503 BEHIND and BUSY while it is looked up what earlier schemas marked. */
  personalIn(projectId: string): Promise<Personal | null>;
  /** Which collections of a project, by id or name, are shared, so that a key in them names no player. */
  sharedIn(projectId: string): Promise<Shared>;
  /** The newest first. Throws 400 INVALID_REQUEST and 403 FORBIDDEN. */
  list(caller: Caller, query: LooksQuery): Promise<ManageAnswer<contract.Looks>>;
}

/** Whether what is of a collection, or of a query, is of no player. */
export interface Shared {
  collection(idOrName: string): boolean;
  query(idOrName: string): boolean;
}

/** `null`: whatever it is. */
interface LooksQuery {
  readonly player: string | null;
  /** Only looks that name a player, or only those that name none. */
  readonly of: 'one' | 'many' | null;
  readonly person: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: number;
  readonly before: string | null;
}

const SCOPE = ['access'];
/** Events that one page looks at, and that are read at once. */
const LOOKED_AT = 5_000;
const PAGE = 500;

type Shown = contract.Looks['looks'][number];

export function createLooks(context: AppContext): Looks {
  const { log, looks } = context.looking;
  const earlier = new EarlierMarks(context);
  return {
    record: looks.record,

    personal(projectId) {
      const project = context.projects.peek(projectId);
      if (!project) throw refusal('BUSY');
      return personalIn(project.definitions, earlier.known(project));
    },

    async personalIn(projectId) {
      const project = await context.projects.get(projectId);
      return project ? personalIn(project.definitions, await earlier.of(project)) : null;
    },

    async sharedIn(projectId) {
      const project = await context.projects.get(projectId);
      if (!project) return { collection: () => false, query: () => false };
      const { definitions } = project;
      return {
        collection: (idOrName) => isShared(definitions, idOrName),
        query: (idOrName) => isOfShared(definitions, idOrName),
      };
    },

    async list(caller, query) {
      const project = await projectOf(context, caller);
      const { key } = accessAt(project, caller, 'live');
      requirePermissions(key, SCOPE, 'r');
      const stream = accessStream(project.id);
      const cursor = revisionCursor(query.before, 'before');
      const [first, last] = await Promise.all([sinceOf(log, stream, query.from, 'from', 0), sinceOf(log, stream, query.to, 'to', 1)]);
      const below = Math.min(last ?? Number.MAX_SAFE_INTEGER, cursor ?? Number.MAX_SAFE_INTEGER);
      const found = await lookThrough(log, stream, { from: first ?? 0, below }, fits(query), query.limit);
      await context.people.know(found.events.map(({ metadata }) => metadata.actor));
      const shown = found.events.map((event) => shownLook(event, context.people));
      const called = await calledOf(
        context,
        project.id,
        key,
        shown.map(({ player }) => player),
      );
      return { ...positioned(context, project, caller), result: { ok: true, looks: shown, ...called, before: found.before } };
    },
  };
}

/** The revision from which events are not older than a time, or, with `more`, than the millisecond behind it; `null`: no time named. */
async function sinceOf(log: Log, stream: string, text: string | null, name: string, more: 0 | 1): Promise<number | null> {
  if (text === null) return null;
  const time = instantOrDate(text);
  if (time === null) throw refusal('INVALID_REQUEST', `\`${name}\` must be an ISO time with its zone, such as 2026-03-01T12:00:00Z`);
  return (await firstSince(log, stream, time + more))?.since ?? 0;
}

type Fits = (event: LookingEvent) => boolean;

function fits({ player, of, person }: LooksQuery): Fits {
  return (event) => {
    if (event.type !== 'look.recorded' && event.type !== 'look.revealed') return false;
    const isOf = of === null || (of === 'one') === (event.data.player !== undefined);
    return isOf && (player === null || event.data.player === player) && (person === null || event.metadata.actor.person === person);
  };
}

interface Found {
  readonly events: readonly LookingEvent[];
  /** Of the next page; `null`: there is none. */
  readonly before: number | null;
}

/** Events that fit among the newest below a revision. */
async function lookThrough(
  log: Log,
  stream: string,
  { from, below }: { readonly from: number; readonly below: number },
  isWanted: Fits,
  limit: number,
): Promise<Found> {
  const events: LookingEvent[] = [];
  let searched = below;
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    if (searched <= from) return { events, before: null };
    const range = searched === Number.MAX_SAFE_INTEGER ? {} : { from: searched - 1 };
    const page = await log.read(stream, { ...range, limit: PAGE, direction: 'backwards' });
    for (const recorded of page) {
      if (recorded.revision < from) return { events, before: null };
      searched = recorded.revision;
      const event = readLookingEvent(recorded);
      if (event !== null && isWanted(event)) events.push(event);
      if (events.length === limit) return { events, before: searched > from ? searched : null };
    }
    if (page.length < PAGE) return { events, before: null };
  }
  return { events, before: searched };
}

function shownLook(event: LookingEvent, people: AppContext['people']): Shown {
  const { person = '' } = event.metadata.actor;
  const name = people.nameOf(person);
  const data = event.type === 'look.recorded' || event.type === 'look.revealed' ? event.data : { page: '' };
  return {
    revision: event.revision,
    at: new Date(event.metadata.recordedAt).toISOString(),
    person,
    ...(name === undefined ? {} : { name }),
    ...data,
  };
}
