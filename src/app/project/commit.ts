import { randomUUID } from 'node:crypto';
import { type Actor, type DomainEvent, projectEvent } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import { type Subject, subjectsOf } from '../../domain/subjects.ts';
import { Refusal, refusable, refusal } from '../../kernel/errors.ts';
import { encodeEvent } from '../../kernel/json.ts';
import type { DecisionContext } from './decision-context.ts';
import { evolve } from './evolve.ts';
import { newVersion, type StateChange, type Version } from './version.ts';
import { textLength } from './weight.ts';

/** Result of a command that is not refused. */
export interface Decision<A> {
  readonly events: readonly DomainEvent[];
  readonly answer: A;
  /** The request was answered before, so nothing is decided. The commit of that answer may still be under way. */
  readonly replayed?: true;
}

/** A refusal that is stored with the events it causes, or was stored before. */
export interface Refused {
  readonly events: readonly DomainEvent[];
  readonly refused: Refusal;
  readonly replayed?: true;
}

export type Decided<A> = Decision<A> | Refused | Refusal;

/**
 * The result of a decision, with a thrown refusal turned into a returned one. Anything else that it throws, such as a request to load,
 * passes through.
 */
export function decidedBy<A>(decide: () => Decided<A>): Decided<A> {
  return refusable(decide);
}

/** The same decision with events before its own. A refusal is stored with them too. */
export function withEvents<A>(first: readonly DomainEvent[], decision: Decided<A>): Decision<A> | Refused {
  if (decision instanceof Refusal) return { events: first, refused: decision };
  return { ...decision, events: [...first, ...decision.events] };
}

/** Random beginning for this process, before a counter. */
const commandIds = `${randomUUID()}.`;
let commands = 0;

/** A command id: unique over all processes, at a fraction of the cost of random bits for each. */
export function newCommandId(): string {
  commands += 1;
  return commandIds + commands.toString(36);
}

/** What a use case asks the writer to decide and store. */
export interface Command<A> {
  /** Unique per request, of characters that JSON need not escape. */
  readonly commandId: string;
  /** The id of its request, where that is another. It is stored with the commit's first event. */
  readonly requestId?: string | undefined;
  /** The use case, such as `document.write`: a constant of letters, dots and dashes. */
  readonly cause: string;
  readonly actor: Actor;
  /** How often other nodes may change what it read before it is 409; left out: 8 times. */
  readonly attempts?: number;
  /** Pure and synchronous; may run several times. `now` never goes back within a project. */
  decide(ctx: DecisionContext, now: number): Decided<A>;
}

export interface Outcome<A> {
  readonly answer: A;
  /** The project's revision that the command made, or that the answer reflects. */
  readonly revision: number;
  /** See {@link Decision}. */
  readonly replayed?: true;
}

/** 409 `WRITE_CONFLICT` of a command whose reads other nodes changed too often. */
export class Overtaken extends Refusal {
  constructor() {
    const { status, code, message } = refusal('WRITE_CONFLICT');
    super(status, code, message);
  }
}

/** A command on its way through the writer. */
export interface Commit {
  readonly command: Command<unknown>;
  readonly resolve: (outcome: Outcome<unknown>) => void;
  readonly reject: (reason: unknown) => void;
  /** Empty for a command that only waits for what it read. */
  events: readonly DomainEvent[];
  /** JSON texts of the events' data. */
  texts: readonly string[];
  bytes: number;
  changes: readonly StateChange[];
  ctx: DecisionContext;
  /** Set when the command is decided: the answer, or a refusal. */
  result: { readonly answer: unknown; readonly replayed?: true } | { readonly refused: Refusal; readonly replayed?: true };
  decidedAt: number;
  attempts: number;
  /** How often subjects had to be loaded for it. */
  loads: number;
  /** Subjects loaded for it, kept in memory until it is decided. */
  pinned: readonly Subject[];
  sent: boolean;
  /** It was decided on everything that the log held when the command came, from whichever node. */
  current: boolean;
  settled: boolean;
}

const ABSENT = newVersion(null, 0);

/** JSON text of a decided event's data. */
export function eventText({ data, after }: DomainEvent): string {
  return encodeEvent(data, after);
}

/**
 * Text length of a document that an event changes in parts: such an event is small, however large many of them made the document. The text
 * was made when the write was decided. Every other event of a document holds all of it, so this is 0.
 */
function changedLength(event: DomainEvent, subject: Subject, state: SubjectState | null): number {
  return event.type === 'document.written' && event.data.changes !== undefined ? textLength(subject, state) : 0;
}

/** The states, after the commit's events, of every subject that they change. The decision has read each of them: no write is blind. */
export function stateChangesOf(commit: Commit, events: readonly DomainEvent[], now: number): readonly StateChange[] {
  const { commandId, cause, actor } = commit.command;
  const metadata = { commandId, cause, actor, schemaVersion: 1, recordedAt: now };
  const changes: StateChange[] = [];
  // Only for commits that change more than one subject; most change one.
  let earlier: Map<Subject, Version> | null = null;
  for (const [index, event] of events.entries()) {
    const pending = projectEvent(event, -1, '', metadata, '');
    for (const [at, subject] of subjectsOf(event).entries()) {
      // The first subject of an event is charged with its text. The others are counts and claims: charged so, a write that counts in a
      // hundred windows would fill the working set with a hundred times its size.
      const bytes = (at === 0 ? (commit.texts[index]?.length ?? 0) : 2 * subject.length) + 512;
      earlier ??= changes.length === 0 ? null : new Map(changes);
      const before = earlier?.get(subject) ?? versionRead(commit, subject);
      const state = evolve(subject, before.state, pending);
      const version = newVersion(state, Math.max(bytes, before.size, changedLength(event, subject, state)));
      if (earlier) earlier.set(subject, version);
      else changes.push([subject, version]);
    }
  }
  return earlier ? [...earlier] : changes;
}

function versionRead({ command, ctx }: Commit, subject: Subject): Version {
  const version = ctx.versionRead(subject) ?? (ctx.isAssumedAbsent(subject) ? ABSENT : undefined);
  if (!version) throw new Error(`${command.cause} changes ${subject} without reading it`);
  return version;
}
