import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/events.ts';
import { FORGETTABLE, PEOPLE_VERSIONS, type PeopleFact } from '../../domain/people/events.ts';
import {
  EVERY_PROJECT,
  evolvePeople,
  explained,
  forgetPerson,
  NOBODY,
  type PeopleState,
  type PersonState,
  type PersonWhy,
  removePerson,
} from '../../domain/people/people.ts';
import type { AuthorityState } from '../../domain/states.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import { decodeEvent } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { NO_HASH } from '../../log/chain.ts';
import { isRedacted } from '../../log/commitment.ts';
import { readPeopleEvent } from '../../log/people.ts';
import type { Log, NewEvent } from '../../log/port.ts';
import { sealFacts } from '../../log/seal-facts.ts';
import { PEOPLE_STREAM } from '../../log/streams.ts';
import type { LedgerRow } from '../ports/ledger.ts';
import type { PublishRow } from '../ports/publishes.ts';
import type { ViewReader } from '../ports/readers.ts';
import { type PersonChanges, personChanges } from './person-changes.ts';

/** The people of the installation, folded from their stream. They are few, so all of them are in memory. */

export interface People {
  /** As the log says, a second ago at most. */
  current(): Promise<PeopleState>;
  /** As the log says now. */
  latest(): Promise<PeopleState>;
  /**
   * Reads on if one of these actors is a person whom this process does not know yet: `nameOf` then says what can be said. A stream that
   * cannot be read leaves the name out: what games read does not hang on it.
   */
  know(actors: readonly Pick<Actor, 'person'>[]): Promise<void>;
  /** What a person is called, also one who is gone; `undefined`: this process has not read it. */
  nameOf(id: string): string | undefined;
  /**
   * Has a person forgotten: the log keeps that somebody with this id was there, and neither name nor e-mail nor account, nor why anything
   * was done with them; `why` it is forgotten stays, until the same id is forgotten once more. `isAllowed` may refuse. Answers whether the
   * log could give up what it held: an engine that cannot change an event keeps it. Throws 404 NOT_FOUND and 409 LAST_OWNER.
   */
  forget(
    actor: Actor,
    person: string,
    why: PersonWhy,
    isAllowed: (state: PeopleState) => Refusal | null,
  ): Promise<{ readonly isGone: boolean }>;
  /** What changed, the newest first. */
  history(asked: Parameters<typeof personChanges>[2]): Promise<PersonChanges>;
  /** Decides on the newest state, and stores what was decided. Throws the refusal. */
  change(cause: string, actor: Actor, decide: (state: PeopleState) => readonly PeopleFact[] | Refusal): Promise<PeopleState>;
}

/** How old the state may be that a request is judged by, ms: so long a role that was taken still holds. */
const FRESH_MS = 1_000;
const PAGE = 500;
/** How often a change is decided again because others changed something meanwhile. */
const TRIES = 10;

export function createPeople(log: Log, scheduler: Pick<Scheduler, 'now' | 'monotonic'>): People {
  let state = NOBODY;
  let revision = -1;
  let hash = NO_HASH;
  let recordedAt = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  /** Events that still say who somebody is, by revision. */
  const naming = new Set<number>();

  const readOn = async () => {
    const begun = scheduler.monotonic();
    const owed: number[] = [];
    for (;;) {
      const events = await log.read(PEOPLE_STREAM, { from: revision + 1, limit: PAGE, direction: 'forwards' });
      for (const recorded of events) {
        const event = readPeopleEvent(recorded, hash);
        revision = recorded.revision;
        if (event === null) continue;
        if (FORGETTABLE.has(event.type)) naming.add(revision);
        if (event.type === 'person.forgotten') owed.push(...event.data.revisions.filter((each) => naming.delete(each)));
        hash = event.hash;
        recordedAt = event.metadata.recordedAt;
        state = evolvePeople(state, event);
      }
      if (events.length < PAGE) break;
    }
    // Whoever stored that somebody is forgotten may have ended before the log gave it up.
    if (owed.length > 0) await log.redact?.(PEOPLE_STREAM, owed).catch(() => undefined);
    readAt = begun;
  };
  const refresh = () => {
    reading ??= readOn().finally(() => {
      reading = null;
    });
    return reading;
  };
  const latest = async () => {
    // A read under way may have begun before what is asked about was stored.
    await reading?.catch(() => undefined);
    await refresh();
    return state;
  };

  const sealed = (facts: readonly PeopleFact[], cause: string, actor: Actor): readonly NewEvent[] =>
    sealFacts(hash, facts, { cause, actor, recordedAt: Math.max(recordedAt, scheduler.now()) }, PEOPLE_VERSIONS).events;

  const current = async () => {
    if (scheduler.monotonic() - readAt > FRESH_MS) await refresh();
    return state;
  };
  const nameOf = (id: string) => state.people.get(id)?.name ?? state.former.get(id);

  const change: People['change'] = async (cause, actor, decide) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      await latest();
      const facts = accepted(decide(state));
      if (facts.length === 0) return state;
      const { ok } = await log.append(PEOPLE_STREAM, revision === -1 ? 'none' : revision, sealed(facts, cause, actor));
      if (ok) return latest();
    }
    throw refusal('WRITE_CONFLICT');
  };

  return {
    current,
    latest,

    async know(actors) {
      if (actors.some(({ person }) => person !== undefined && nameOf(person) === undefined)) await current().catch(() => undefined);
    },

    nameOf,

    history: (asked) => personChanges(log, { nameOf }, asked),

    change,

    async forget(actor, person, why, isAllowed) {
      // Nobody is linked any more who was removed, so all that names the person is there by then. A reason that is none refuses before.
      await change('person.remove', actor, (now) => {
        const refused = isAllowed(now) ?? explained(person, [], why);
        return refused instanceof Refusal || !now.people.has(person) ? refused : removePerson(now, person);
      });
      const revisions = await namingOf(log, person);
      await change('person.forget', actor, () => explained(person, forgetPerson(person, revisions), why));
      await log.redact?.(PEOPLE_STREAM, revisions);
      return { isGone: log.redact !== undefined };
    },
  };
}

/** Revisions of the events that say who a person is and still hold it. */
async function namingOf(log: Log, person: string): Promise<readonly number[]> {
  const revisions: number[] = [];
  for (let from = 0; ; from += PAGE) {
    const events = await log.read(PEOPLE_STREAM, { from, limit: PAGE, direction: 'forwards' });
    for (const { revision, type, data } of events) {
      if (!FORGETTABLE.has(type) || isRedacted(data)) continue;
      const { person: named } = objectOf(decodeEvent(data));
      if (named === person) revisions.push(revision);
    }
    if (events.length < PAGE) return revisions;
  }
}

/** An id of a person: it names nobody, so metadata may hold it. */
export function newPersonId(): string {
  return `per_${randomBytes(8).toString('hex')}`;
}

/** Who owns the installation, in the order in which they came. */
export function ownersOf({ people }: PeopleState): readonly PersonState[] {
  return [...people.values()].filter(({ roles }) => roles.get(EVERY_PROJECT) === 'owner');
}

/** The label of an actor: of its key, or the name of its person. */
export function labelOf(
  { keyId, person }: Pick<Actor, 'keyId' | 'person'>,
  authority: AuthorityState | null,
  { nameOf }: Pick<People, 'nameOf'>,
): string | undefined {
  if (person !== undefined) return nameOf(person);
  return keyId === undefined ? undefined : authority?.keys.get(keyId)?.label;
}

/** Views that name people, whose labels are in no table. */
export function withNames(views: ViewReader, people: Pick<People, 'know' | 'nameOf'>): ViewReader {
  const named = async <Row extends PublishRow | LedgerRow>(rows: readonly Row[]): Promise<readonly Row[]> => {
    await people.know(rows.map(({ actor }) => actor));
    return rows.map((row) => (row.actor.person === undefined ? row : { ...row, label: people.nameOf(row.actor.person) ?? null }));
  };
  return {
    ...views,
    async ledger(...of) {
      const page = await views.ledger(...of);
      return { ...page, entries: await named(page.entries) };
    },
    async economyEntries(...of) {
      const page = await views.economyEntries(...of);
      return { ...page, entries: await named(page.entries) };
    },
    async publishes(...of) {
      const page = await views.publishes(...of);
      return { ...page, publishes: await named(page.publishes) };
    },
  };
}
