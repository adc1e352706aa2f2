import type { Space } from '../../domain/events.ts';
import type { Subject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { KeyedMutex, MutexLock } from '../../kernel/keyed-mutex.ts';
import { type Scheduler, yielding } from '../../kernel/scheduler.ts';
import type { CompiledEndpoint } from '../../language/compile.ts';
import type { Effects } from '../../language/expressions/call.ts';
import { MAX_SCANNED } from '../../language/run.ts';
import type { AppContext } from '../context.ts';
import type { DocumentKeys } from '../ports/state-reader.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { CallTime } from './call-time.ts';

/**
 * Thrown by a decision that needs an effect. The caller of the decision performs the effect and asks again. It is not an `Error`, because
 * nothing failed.
 */
class NeedsEffect {
  readonly perform: () => Promise<void>;

  constructor(perform: () => Promise<void>) {
    this.perform = perform;
  }
}

/** Bytes that the documents of a collection may take in the table if a step looks through them. */
const MAX_SCANNED_BYTES = 4 * 1024 * 1024;
/** After this many tries the keys are used as found, even if they keep changing: they were read after the call began. */
const TRIES = 10;
/** Time limits of one webhook, and of all webhooks of a call: the game waits for them. */
const ONE_WEBHOOK_MS = 3000;
const MAX_WEBHOOK_MS = 5000;
/** Effects that one call may have. */
const MAX_EFFECTS = 50;

/** Result of a webhook step whose request goes out after the call. */
const QUEUED: JsonObject = { ok: true, queued: true };

const prepared = new WeakSet<CompiledEndpoint>();
const preparing = new WeakMap<CompiledEndpoint, Promise<void>>();

/** Prepares a large endpoint once for all calls that wait for it, with pauses for other work between its steps. */
function prepare(compiled: CompiledEndpoint, scheduler: Scheduler): Promise<void> {
  const known = preparing.get(compiled);
  if (known !== undefined) return known;
  const work = async () => {
    const rest = yielding(scheduler);
    for (const _ of compiled.prepare()) await rest();
    prepared.add(compiled);
  };
  const running = work();
  preparing.set(compiled, running);
  return running;
}

type EffectContext = Pick<AppContext, 'webhooks' | 'scheduler'> & { readonly limits: Pick<AppContext['limits'], 'endpointMs'> };

/** Results of effects, kept from one decision of a call to the next. */
export class CallEffects implements Effects {
  readonly #project: Project;
  readonly #context: EffectContext;
  readonly #time: CallTime;
  /** Made when first needed, because most calls have no effects. */
  #scans: Map<string, DocumentKeys & { readonly tries: number }> | null = null;
  /** Results of webhooks, by number. */
  #deliveries: JsonObject[] | null = null;
  #webhookMs = MAX_WEBHOOK_MS;
  /** Made when first needed. */
  #notifications: { readonly url: string; readonly payload: JsonObject }[] | null = null;
  #sleptMs = 0;
  readonly #mutex: KeyedMutex | null;
  /** The call's idempotency key, if it has one. */
  #key: Subject | null = null;
  #lock: MutexLock | null = null;

  /** `mutex`: serializes the node's calls that share an idempotency key; `null` where no call waits for another. */
  constructor(project: Project, context: EffectContext, mutex: KeyedMutex | null = null) {
    this.#project = project;
    this.#context = context;
    this.#mutex = mutex;
    this.#time = new CallTime(context.scheduler, context.limits.endpointMs);
  }

  /** Starts a decision. Nothing of an earlier decision of the call counts. */
  begin(): void {
    this.#sleptMs = 0;
    this.#notifications = null;
    this.#time.begin();
  }

  /** Sets the call's idempotency key. Of several calls with one key under way, only one has effects; the others find its answer. */
  setIdempotencyKey(key: Subject): void {
    this.#key = key;
  }

  /** The call is stored or refused, so another call with its key may go on. */
  end(): void {
    this.#lock?.release();
    this.#lock = null;
  }

  checkTime(): void {
    this.#time.check();
  }

  /** Throws {@link NeedsEffect} for a large endpoint that has not been prepared: compiling it here would hold up everyone. */
  prepared(compiled: CompiledEndpoint): void {
    if (!compiled.isLarge || prepared.has(compiled)) return;
    throw new NeedsEffect(() => prepare(compiled, this.#context.scheduler));
  }

  sleep(ms: number): void {
    this.#sleptMs += ms;
  }

  get sleptMs(): number {
    return this.#sleptMs;
  }

  /**
   * Waits as long as the call's sleep steps say. It runs after the call is settled: a decision is one turn and may be repeated, so it
   * cannot wait, and no write waits for it.
   */
  async awaitSleeps(): Promise<void> {
    if (this.#sleptMs > 0) await this.#context.scheduler.sleep(this.#sleptMs);
  }

  /**
   * Continues after a decision threw `error`: performs the effect it asked for and decides again, until it asks for none. Other errors are
   * thrown, after the call's sleeps.
   */
  async after<A>(error: unknown, decide: () => Promise<A>): Promise<A> {
    let thrown = error;
    for (let effects = 0; thrown instanceof NeedsEffect && effects < MAX_EFFECTS; effects += 1) {
      await thrown.perform();
      try {
        return await decide();
      } catch (next) {
        thrown = next;
      }
    }
    await this.awaitSleeps();
    throw thrown instanceof NeedsEffect ? refusal('LIMIT_EXCEEDED', `A call may look around ${MAX_EFFECTS} times at most`) : thrown;
  }

  /**
   * Keys of a collection's documents: those of the table, and those that changed since it was written. Some may be deleted by now. Throws
   * 400 SCAN_TOO_LARGE, or {@link NeedsEffect}.
   */
  keys(ctx: DecisionContext, space: Space, collection: string): readonly string[] {
    const name = `${space}/${collection}`;
    const found = this.#scans?.get(name);
    // Changes between the table's revision and the horizon may have left the working set.
    if (!found || (found.revision < ctx.horizon && found.tries < TRIES)) {
      throw new NeedsEffect(async () => {
        const keys = await this.#project.documentKeys(space, collection, MAX_SCANNED + 1);
        this.#scans ??= new Map();
        this.#scans.set(name, { ...keys, tries: (found?.tries ?? 0) + 1 });
      });
    }
    if (found.keys.length > MAX_SCANNED || found.bytes > MAX_SCANNED_BYTES) throw refusal('SCAN_TOO_LARGE');
    const changed = ctx.changedKeys(space, collection);
    return changed.length === 0 ? found.keys : [...new Set([...found.keys, ...changed])].sort();
  }

  /**
   * Result of the call's webhook number `index`. It was sent before this decision, which may differ from the one that asked for it: a
   * decision that is made again sends nothing twice. `null` for an address that webhooks may not use. Throws {@link NeedsEffect}.
   */
  webhook(index: number, url: string, payload: JsonObject): JsonObject | null {
    const delivered = this.#deliveries?.[index];
    if (delivered) return delivered;
    if (!this.#context.webhooks.isAllowed(url)) return null;
    throw new NeedsEffect(() => this.#deliver(index, url, payload));
  }

  notify(url: string, payload: JsonObject): JsonObject | null {
    if (!this.#context.webhooks.isAllowed(url)) return null;
    this.#notifications ??= [];
    this.#notifications.push({ url, payload });
    return QUEUED;
  }

  /**
   * Sends the webhooks that wait for the end of the call, once it is stored. Nobody waits and nothing is retried: each is sent at most
   * once, and a node that dies loses those it had not sent.
   */
  sendNotifications(): void {
    for (const { url, payload } of this.#notifications ?? [])
      void this.#context.webhooks.post(this.#project.id, url, payload, ONE_WEBHOOK_MS);
  }

  async #waitForSameKey(): Promise<boolean> {
    if (this.#mutex === null || this.#key === null || this.#lock !== null) return false;
    this.#lock = await this.#mutex.acquire(`${this.#project.id} ${this.#key}`);
    if (this.#lock === null) throw refusal('BUSY', 'Too many requests with this Idempotency-Key wait for the first');
    return this.#lock.hasWaited;
  }

  async #deliver(index: number, url: string, payload: JsonObject): Promise<void> {
    // The call is decided again: if an earlier one was stored meanwhile, there is nothing left to send.
    if (await this.#waitForSameKey()) return;
    const { webhooks, scheduler } = this.#context;
    const started = scheduler.monotonic();
    const timeoutMs = Math.ceil(Math.min(ONE_WEBHOOK_MS, this.#webhookMs));
    this.#deliveries ??= [];
    this.#deliveries[index] =
      timeoutMs > 0
        ? { ...(await webhooks.post(this.#project.id, url, payload, timeoutMs)) }
        : { ok: false, status: 0, error: 'The call has no time left.' };
    this.#webhookMs -= scheduler.monotonic() - started;
  }
}
