import { randomUUID } from 'node:crypto';
import { TELEMETRY_VERSIONS, type TelemetryFact, type TelemetryMetadata } from '../../domain/telemetry/events.ts';
import { encodeEvent } from '../../kernel/json.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { bytesOf, type Log, type NewEvent } from '../../log/port.ts';
import { telemetryStream } from '../../log/streams.ts';

/**
 * Brings this node's telemetry to the log. It is appended in groups, one group of one project at a time, so a flood takes no more of the
 * log than one small append; game writes have their own way. The queue is bounded, and nothing is sent twice: an append without an answer
 * may be stored, and its events count as not stored.
 */

export interface RecorderLimits {
  readonly queueEvents: number;
  readonly queueBytes: number;
  /** Events of one append. Few: in Postgres it may travel with game writes. */
  readonly groupEvents: number;
  readonly groupBytes: number;
}

const RECORDER_LIMITS: RecorderLimits = {
  queueEvents: 10_000,
  queueBytes: 8 * 1024 * 1024,
  groupEvents: 200,
  groupBytes: 128 * 1024,
};

/** `full`: the queue was full. `late`: nobody waited any more when it was to be sent. `failed`: the append failed. */
export type LossReason = 'full' | 'late' | 'failed';

interface RecorderObserver {
  stored(events: number): void;
  lost(events: number, reason: LossReason): void;
}

export interface RecorderOptions {
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly observer: RecorderObserver;
  readonly limits?: RecorderLimits;
  /** Reports an append that failed. */
  onError(error: unknown): void;
}

interface QueuedEvent {
  readonly event: NewEvent;
  readonly bytes: number;
  /** The request has been answered, so nobody waits for the event. */
  isAbandoned: boolean;
  readonly settle: (revision: number | null) => void;
}

/** Pause after a failed append, ms: the log is away. */
const FAILURE_PAUSE_MS = 250;
const MAX_PAUSE_MS = 50;

export class TelemetryRecorder {
  readonly #options: RecorderOptions;
  readonly #limits: RecorderLimits;
  /** By project. A project that was served goes to the end of the queue. */
  readonly #queues = new Map<string, QueuedEvent[]>();
  #events = 0;
  #bytes = 0;
  #running: Promise<void> | null = null;
  #closing = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#limits = options.limits ?? RECORDER_LIMITS;
  }

  /** Events that wait for an append. */
  get length(): number {
    return this.#events;
  }

  /** Resolves with the event's revision; `null` if it was not stored, or that is unknown after `waitMs`. Never rejects. */
  record(
    projectId: string,
    fact: TelemetryFact,
    metadata: Omit<TelemetryMetadata, 'schemaVersion'>,
    waitMs: number,
  ): Promise<number | null> {
    const event = sealed(fact, metadata);
    const bytes = bytesOf(event);
    const isFull = this.#events >= this.#limits.queueEvents || this.#bytes + bytes > this.#limits.queueBytes;
    if (isFull || this.#closing) {
      this.#options.observer.lost(1, 'full');
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const cancel = this.#options.scheduler.after(waitMs, () => {
        waiting.isAbandoned = true;
        resolve(null);
      });
      const settle = (revision: number | null) => {
        cancel();
        resolve(revision);
      };
      const waiting: QueuedEvent = { event, bytes, isAbandoned: false, settle };
      this.#enqueue(projectId, waiting);
    });
  }

  /** Stores what waits, as long as the log takes it, and accepts no more. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#running;
  }

  #enqueue(projectId: string, waiting: QueuedEvent): void {
    const queue = this.#queues.get(projectId);
    if (queue) queue.push(waiting);
    else this.#queues.set(projectId, [waiting]);
    this.#events += 1;
    this.#bytes += waiting.bytes;
    // Started a microtask later, so events of one turn share the first append.
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const sentAt = this.#options.scheduler.monotonic();
      const stored = await this.#send(next.projectId, next.group);
      if (!stored && this.#closing) this.#dropAll();
      else await this.#pause(stored, sentAt);
    }
    // In the same turn as the test above: an event that comes later must start a new run.
    this.#running = null;
  }

  /** Rests as long as the append took: what is slow for telemetry is slow for game writes, and they go first. */
  async #pause(stored: boolean, sentAt: number): Promise<void> {
    if (this.#closing) return;
    const { scheduler } = this.#options;
    await scheduler.sleep(stored ? Math.min(scheduler.monotonic() - sentAt, MAX_PAUSE_MS) : FAILURE_PAUSE_MS);
  }

  /** The next group, of the project that has waited longest, without events that nobody waits for. */
  #next(): { readonly projectId: string; readonly group: readonly QueuedEvent[] } | null {
    for (const [projectId, queue] of this.#queues) {
      this.#queues.delete(projectId);
      const group = this.#takeGroup(queue);
      if (queue.length > 0) this.#queues.set(projectId, queue);
      if (group.length > 0) return { projectId, group };
    }
    return null;
  }

  #takeGroup(queue: QueuedEvent[]): QueuedEvent[] {
    const { groupEvents, groupBytes } = this.#limits;
    let count = 0;
    let bytes = 0;
    for (const waiting of queue) {
      if (count > 0 && (count === groupEvents || bytes + waiting.bytes > groupBytes)) break;
      count += 1;
      bytes += waiting.bytes;
    }
    const taken = queue.splice(0, count);
    this.#events -= count;
    this.#bytes -= bytes;
    const group = taken.filter(({ isAbandoned }) => !isAbandoned);
    if (group.length < count) this.#options.observer.lost(count - group.length, 'late');
    return group;
  }

  async #send(projectId: string, group: readonly QueuedEvent[]): Promise<boolean> {
    const { log, observer, onError } = this.#options;
    try {
      const events = group.map(({ event }) => event);
      const result = await log.append(telemetryStream(projectId), 'any', events);
      if (!result.ok) throw new Error(`the log refused telemetry at revision ${result.actual}`);
      observer.stored(group.length);
      const first = result.revision - group.length + 1;
      for (const [index, waiting] of group.entries()) waiting.settle(first + index);
      return true;
    } catch (error) {
      onError(error);
      observer.lost(group.length, 'failed');
      for (const waiting of group) waiting.settle(null);
      return false;
    }
  }

  #dropAll(): void {
    for (const queue of this.#queues.values()) {
      this.#options.observer.lost(queue.length, 'failed');
      for (const waiting of queue) waiting.settle(null);
    }
    this.#queues.clear();
    this.#events = 0;
    this.#bytes = 0;
  }
}

function sealed({ type, data }: TelemetryFact, metadata: Omit<TelemetryMetadata, 'schemaVersion'>): NewEvent {
  const text = JSON.stringify({ schemaVersion: TELEMETRY_VERSIONS[type], ...metadata });
  return { id: randomUUID(), type, data: encodeEvent(data), metadata: text };
}
