import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CallTable, NewCall, ServedRequest } from '../../app/app.ts';
import { isPlain, maskSecrets } from '../../kernel/secrets.ts';
import { masked } from './shown.ts';

/**
 * Brings this process' requests to the table: in groups, off the way of requests. The queue is bounded, and a project has half of it at
 * most; what does not fit is counted, and the count is stored in its place. Nothing is sent twice: a group without an answer may be stored,
 * and its requests count as left out.
 */

/** `full`: too many waited. `failed`: the storage did not take them. */
export type LossReason = 'full' | 'failed';

export interface RecorderObserver {
  stored(requests: number): void;
  lost(requests: number, reason: LossReason): void;
  /** Storing or reading failed. */
  failed(error: unknown): void;
}

const MAX_WAITING = 8_000;
const MAX_OF_PROJECT = MAX_WAITING / 2;
/** Anybody can name projects that may not exist. */
const MAX_UNPROVEN = 200;
/** Requests of one statement: few, because making it is one turn of the event loop. */
const GROUP = 500;
/** How long requests are gathered, ms. */
const GATHER_MS = 250;
/** The longest rest between two groups, ms. */
const MAX_REST_MS = 50;
const FAILURE_REST_MS = 1_000;
/** Texts whose masked form is kept: paths come again and again. */
const MAX_TEXTS = 5_000;

export class CallRecorder {
  readonly #table: CallTable;
  readonly #observer: RecorderObserver;
  /** By project. A project that was served goes to the end. */
  readonly #queues = new Map<string, NewCall[]>();
  readonly #missed = new Map<string, number>();
  readonly #masks = new LRUCache<string, string>({ max: MAX_TEXTS });
  readonly #mask = (text: string): string => this.#maskedText(text);
  #waiting = 0;
  #unproven = 0;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #closing = false;

  constructor(table: CallTable, observer: RecorderObserver) {
    this.#table = table;
    this.#observer = observer;
  }

  /** Requests that wait to be stored. */
  get waiting(): number {
    return this.#waiting;
  }

  note(project: string, request: ServedRequest, isProven: boolean): void {
    const queue = this.#queues.get(project);
    if (!isProven && this.#unproven >= MAX_UNPROVEN) return;
    if (this.#closing || this.#waiting >= MAX_WAITING || (queue?.length ?? 0) >= MAX_OF_PROJECT) {
      // A project that may not exist is counted nowhere.
      if (isProven) this.#lose(project, 1, 'full');
      return;
    }
    const call: NewCall = { project, request, missed: 0, at: request.at, isProven };
    if (queue === undefined) this.#queues.set(project, [call]);
    else queue.push(call);
    this.#waiting += 1;
    if (!isProven) this.#unproven += 1;
    this.#flushSoon();
  }

  /** Counts requests that were not noted; the count is stored. */
  miss(project: string, missed: number): void {
    this.#missed.set(project, (this.#missed.get(project) ?? 0) + missed);
    this.#flushSoon();
  }

  /** Stores what waits now. Resolves when that is done or has failed; never rejects. */
  flush(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // What came while the run was ending.
      if (this.#waiting > 0 || this.#missed.size > 0) this.#flushSoon();
    });
    return this.#running;
  }

  /** A run under way takes what waits, too. */
  #flushSoon(): void {
    if (this.#running !== null || this.#closing) return;
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Stores what waits, as long as the table takes it, and notes no more. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.flush();
    // A run that was ending already may have left what came meanwhile.
    if (this.#waiting > 0) await this.flush();
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) {
      const startedAt = performance.now();
      const isStored = await this.#send(group);
      if (this.#closing && !isStored) return;
      const rest = isStored ? Math.min(performance.now() - startedAt, MAX_REST_MS) : FAILURE_REST_MS;
      if (!this.#closing && (this.#waiting > 0 || !isStored)) await sleep(rest, undefined, { ref: false });
    }
  }

  async #send(group: readonly NewCall[]): Promise<boolean> {
    const requests = group.filter(({ request }) => request !== null).length;
    try {
      await this.#table.append(group);
      this.#observer.stored(requests);
      return true;
    } catch (error) {
      this.#observer.failed(error);
      this.#observer.lost(requests, 'failed');
      for (const { project, isProven, missed, request } of group) if (isProven) this.#count(project, request === null ? missed : 1);
      return false;
    }
  }

  /** The numbers of what was left out, and requests of the projects in turn. */
  #nextGroup(): readonly NewCall[] {
    const group: NewCall[] = [];
    for (const [project, missed] of this.#missed) {
      if (group.length === GROUP) return group;
      this.#missed.delete(project);
      group.push({ project, request: null, missed, at: Date.now(), isProven: true });
    }
    for (const [project, queue] of this.#queues) {
      if (group.length === GROUP) break;
      this.#queues.delete(project);
      const taken = queue.splice(0, GROUP - group.length);
      if (queue.length > 0) this.#queues.set(project, queue);
      for (const call of taken) group.push(this.#taken(call));
    }
    return group;
  }

  #taken(call: NewCall): NewCall {
    this.#waiting -= 1;
    if (!call.isProven) this.#unproven -= 1;
    return call.request === null ? call : { ...call, request: masked(call.request, this.#mask) };
  }

  #maskedText(text: string): string {
    if (isPlain(text)) return text;
    const known = this.#masks.get(text);
    if (known !== undefined) return known;
    const made = maskSecrets(text);
    this.#masks.set(text, made);
    return made;
  }

  #lose(project: string, requests: number, reason: LossReason): void {
    this.#observer.lost(requests, reason);
    this.#count(project, requests);
  }

  #count(project: string, requests: number): void {
    this.#missed.set(project, (this.#missed.get(project) ?? 0) + requests);
  }
}
