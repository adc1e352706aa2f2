import { randomUUID } from 'node:crypto';
import { PackedText } from '../../domain/document/packed-text.ts';
import { type Actor, type DomainEvent, placed } from '../../domain/events.ts';
import type { SubjectState } from '../../domain/states.ts';
import { type SubjectKey, subjectsOf } from '../../domain/subjects.ts';
import { Refusal, refusable } from '../../kernel/errors.ts';
import { encodeEvent } from '../../kernel/json.ts';
import { evolve } from './evolve.ts';
import type { View } from './view.ts';
import { textLength } from './weight.ts';
import { type Effect, newVersion, type Version } from './working-set.ts';

/** What a command comes to where it is not refused. */
export interface Decision<A> {
  readonly events: readonly DomainEvent[];
  readonly answer: A;
  /** It was answered so before: nothing is decided, and what it was answered for may be on its way still. */
  readonly replayed?: true;
}

/** A refusal that is stored with what it leaves behind, or was before. */
export interface Refused {
  readonly events: readonly DomainEvent[];
  readonly refused: Refusal;
  readonly replayed?: true;
}

export type Decided<A> = Decision<A> | Refused | Refusal;

/** What a decision comes to, also where it throws its refusal. Anything else thrown, such as what has to be loaded first, goes on its way. */
export function decidedBy<A>(decide: () => Decided<A>): Decided<A> {
  return refusable(decide);
}

/** The same decision, with events before its own; also of a refusal, which is stored with them. */
export function withEvents<A>(first: readonly DomainEvent[], decision: Decided<A>): Decision<A> | Refused {
  if (decision instanceof Refusal) return { events: first, refused: decision };
  return { ...decision, events: [...first, ...decision.events] };
}

/** A random beginning for each process, and a count. */
const commandIds = `${randomUUID()}.`;
let commands = 0;

/** Unlike any other of this process or another, at a fraction of what random bits for each would cost. */
export function newCommandId(): string {
  commands += 1;
  return commandIds + commands.toString(36);
}

/** What a use case asks the writer to decide and store. */
export interface Command<A> {
  /** Unique per request; anything that JSON need not escape. */
  readonly commandId: string;
  /** The use case, such as `document.write`: a constant of letters, dots and dashes. */
  readonly cause: string;
  readonly actor: Actor;
  /** Pure and synchronous; may run several times. `now` never runs backwards within the project. */
  decide(view: View, now: number): Decided<A>;
}

export interface Outcome<A> {
  readonly answer: A;
  /** The project's revision that the answer reflects or became. */
  readonly revision: number;
  /** See {@link Decision}. */
  readonly replayed?: true;
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
  effects: readonly Effect[];
  view: View;
  /** Settled at the end: an answer, or the refusal that was decided on speculation. */
  result: { readonly answer: unknown; readonly replayed?: true } | { readonly refused: Refusal; readonly replayed?: true };
  decidedAt: number;
  attempts: number;
  /** How often something it reads had to be loaded. */
  loads: number;
  /** What was loaded for it, kept in memory until it is decided. */
  kept: readonly SubjectKey[];
  sent: boolean;
  settled: boolean;
}

const ABSENT = newVersion(null, 0);

/** JSON text of a decided event's data. */
export function textOf({ type, data, after }: DomainEvent): string {
  if (after instanceof PackedText) throw new Error(`a ${type} that was sealed is not decided again: its document is gone`);
  return encodeEvent(data, after);
}

/**
 * Length of a document that an event changes in parts: it says little of one that many have made large. Its text was made when the
 * write was decided; every other event of a document holds the whole of it.
 */
function changedLength(event: DomainEvent, state: SubjectState | null): number {
  return event.type === 'document.written' && event.data.changes !== undefined ? textLength(state) : 0;
}

/** The states after the commit's events of every subject they change. Each was read by the decision: a blind write would hide behind it. */
export function effectsOf(commit: Commit, events: readonly DomainEvent[], now: number): readonly Effect[] {
  const { commandId, cause, actor } = commit.command;
  const metadata = { commandId, cause, actor, schemaVersion: 1, recordedAt: now };
  const effects: Effect[] = [];
  // For the commits that change more than one subject: most change one.
  let earlier: Map<SubjectKey, Version> | null = null;
  for (const [index, event] of events.entries()) {
    // Its own share: a call that writes many documents would otherwise charge each of them with all.
    const bytes = (commit.texts[index]?.length ?? 0) + 512;
    const pending = placed(event, -1, '', metadata, '');
    for (const subject of subjectsOf(event)) {
      earlier ??= effects.length === 0 ? null : new Map(effects);
      const before = earlier?.get(subject) ?? readBy(commit, subject);
      const state = evolve(subject, before.state, pending);
      const version = newVersion(state, Math.max(bytes, before.size, changedLength(event, state)));
      if (earlier) earlier.set(subject, version);
      else effects.push([subject, version]);
    }
  }
  return earlier ? [...earlier] : effects;
}

function readBy({ command, view }: Commit, subject: SubjectKey): Version {
  const version = view.seen(subject) ?? (view.isFresh(subject) ? ABSENT : undefined);
  if (!version) throw new Error(`${command.cause} changes ${subject} without reading it`);
  return version;
}
