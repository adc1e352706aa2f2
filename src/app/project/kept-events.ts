import type { ProjectEvent } from '../../domain/events.ts';
import type { Subject } from '../../domain/subjects.ts';
import { weigh } from './weight.ts';

interface KeptEvent {
  readonly revision: number;
  readonly event: ProjectEvent;
  readonly size: number;
}

/** The events after the horizon of subjects that are not in memory, by which a row that is loaded later becomes the state at the head. */
export class KeptEvents {
  readonly #events = new Map<Subject, KeptEvent[]>();
  /** Sizes of states that are larger than the events kept of them. */
  readonly #largerStates = new Map<Subject, number>();
  /** Memory that they take. */
  bytes = 0;

  of(subject: Subject): readonly KeptEvent[] {
    return this.#events.get(subject) ?? [];
  }

  /** `size`: bytes of the event's data. */
  keep(subject: Subject, event: ProjectEvent, size: number): void {
    const kept = this.#events.get(subject) ?? [];
    kept.push({ revision: event.revision, event, size });
    this.#events.set(subject, kept);
    this.bytes += weigh(size);
  }

  drop(subject: Subject): void {
    for (const one of this.of(subject)) this.bytes -= weigh(one.size);
    this.#delete(subject);
  }

  /** Drops the events of a subject up to a revision. */
  dropThrough(subject: Subject, revision: number): void {
    const events = this.#events.get(subject);
    if (!events) return;
    const later = events.filter((one) => one.revision > revision);
    for (const one of events) if (one.revision <= revision) this.bytes -= weigh(one.size);
    if (later.length > 0) this.#events.set(subject, later);
    else this.#delete(subject);
  }

  /** At most `most` subjects, those whose events take the most room, of which there are several: as a state each may take less. */
  heaviest(most: number): Subject[] {
    const heaviest: (readonly [subject: Subject, size: number])[] = [];
    for (const [subject, events] of this.#events) {
      if (events.length < 2) continue;
      const size = sizeOf(events);
      if (size >= (this.#largerStates.get(subject) ?? 0)) heaviest.push([subject, size]);
    }
    const first = heaviest.sort(([, one], [, other]) => other - one).slice(0, most);
    return first.map(([subject]) => subject);
  }

  /** Whether a state of `size` bytes takes no more room than the events of its subject, of which there are some. A larger one is noted. */
  outweigh(subject: Subject, size: number): boolean {
    const events = this.#events.get(subject);
    if (events === undefined) return false;
    const isLarger = size > sizeOf(events);
    if (isLarger) this.#largerStates.set(subject, size);
    return !isLarger;
  }

  #delete(subject: Subject): void {
    this.#events.delete(subject);
    this.#largerStates.delete(subject);
  }
}

function sizeOf(events: readonly KeptEvent[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}
