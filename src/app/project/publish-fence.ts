import { randomUUID } from 'node:crypto';
import type { ProjectEvent } from '../../domain/events.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';

/** How long a publish of another node may keep this node from appending, ms. */
const HELD_MS = 1_000;
/** Least time between two such pauses, in which this node's writes go on, ms. */
const REST_MS = 200;
/** How soon it is looked again whether the publish has come, ms. */
const LOOK_MS = 10;

/**
 * A publish that goes through many documents loses against a node that writes them all the time: whenever it is decided, something has
 * changed. So its node appends `publish.awaited`, which needs to read nothing. Every other node that writes meets that event, at the latest
 * by the conflict of its next append, and holds its appends back until the publish has come, for a moment at most.
 */
export class PublishFence {
  /** Names this writer in its own events, which do not hold it. */
  readonly id = randomUUID();
  readonly #scheduler: Pick<Scheduler, 'monotonic'>;
  #until = Number.NEGATIVE_INFINITY;

  constructor(scheduler: Pick<Scheduler, 'monotonic'>) {
    this.#scheduler = scheduler;
  }

  /** Notes an event that another writer stored, or that this one stored without learning of it. */
  note(event: ProjectEvent): void {
    const now = this.#scheduler.monotonic();
    if (event.type === 'publish.awaited' && event.data.by !== this.id && now >= this.#until + REST_MS) this.#until = now + HELD_MS;
    if (event.type.startsWith('definitions.')) this.#until = Math.min(this.#until, now);
  }

  /** Milliseconds until it is to be asked again; 0: this node may append. */
  delayMs(): number {
    return Math.max(Math.min(this.#until - this.#scheduler.monotonic(), LOOK_MS), 0);
  }
}
