import type { Space } from '../../domain/events.ts';
import { NO_QUOTAS, type Quotas, quotasOf, sameQuotas } from '../../domain/project/quotas.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Log } from '../../log/port.ts';
import type { StateReader } from '../ports/state-reader.ts';
import { DayQuota } from './day-quota.ts';
import { MinuteQuota } from './minute-quota.ts';
import { StoreQuotas } from './store-quotas.ts';
import { UsageCounter } from './usage-counter.ts';

interface ProjectQuotasOptions {
  readonly projectId: string;
  readonly stream: string;
  readonly log: Log;
  readonly reader: StateReader;
  readonly scheduler: Scheduler;
  /** For projects without quotas of their own. */
  readonly defaults: Quotas;
  readonly head: () => number;
  /** The present space of staged data. */
  readonly staged: () => Space;
  readonly isClosed: () => boolean;
}

const NO_SETTINGS: JsonObject = {};

/** The quotas of one open project, by its current settings. */
export class ProjectQuotas {
  /** What games and servers may store; `null`: no bound. */
  store: StoreQuotas | null = null;
  /** What players may report; `null`: no bound. */
  reports: MinuteQuota | null = null;
  readonly #options: ProjectQuotasOptions;
  #quotas = NO_QUOTAS;
  #openedSettings: JsonObject | null = null;

  constructor(options: ProjectQuotasOptions) {
    this.#options = options;
  }

  /** Whether the settings differ from those opened last. False before the first `open`. */
  isOutdated(settings: JsonObject = NO_SETTINGS): boolean {
    return this.#openedSettings !== null && this.#openedSettings !== settings;
  }

  /** Takes over the quotas in these settings. Rejects if the log cannot be asked what was stored today. */
  async open(settings: JsonObject = NO_SETTINGS): Promise<void> {
    this.#openedSettings = settings;
    const quotas = quotasOf(settings, this.#options.defaults);
    if (sameQuotas(quotas, this.#quotas)) return;
    this.#quotas = quotas;
    const { telemetryPerMinute, eventsPerDay } = quotas;
    this.reports = telemetryPerMinute === 0 ? null : new MinuteQuota(telemetryPerMinute);
    const { log, stream, head, scheduler } = this.#options;
    const day = eventsPerDay === 0 ? null : await DayQuota.open(log, stream, head(), eventsPerDay, scheduler.now());
    // Other settings came meanwhile.
    if (this.#quotas !== quotas) return;
    const count = this.#countFor(quotas);
    this.store = day === null && count === null ? null : new StoreQuotas(quotas, day, count);
  }

  #countFor(quotas: Quotas): UsageCounter | null {
    if (quotas.documents === 0 && quotas.bytes === 0) return null;
    const { projectId, reader, scheduler, isClosed, staged } = this.#options;
    const count = new UsageCounter({
      scheduler,
      isClosed: () => isClosed() || this.#quotas !== quotas,
      page: (after, rows) => reader.countDocuments(projectId, staged(), after, rows, quotas.bytes > 0),
    });
    // Starts the first count. Nothing is refused before it is done.
    count.current();
    return count;
  }
}
