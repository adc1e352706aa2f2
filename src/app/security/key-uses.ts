import type { AccessKey } from '../../domain/states.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { KeyUse, KeyUseTable } from '../ports/key-uses.ts';

/**
 * When keys were used last, to the minute. A request costs one look into a map; what was used is written once a minute by whoever runs
 * {@link KeyUses.write}. Nothing is decided by it, so it is in no log, and what a process that dies had not written is lost.
 */

/** Keys that one process notes within a minute; uses of more are not noted. */
const MAX_NOTED = 20_000;

export class KeyUses {
  readonly #table: KeyUseTable;
  readonly #scheduler: Pick<Scheduler, 'now'>;
  /** By the key itself, which lives as long as nothing about keys or settings of its project changes. */
  #noted = new Map<AccessKey, KeyUse>();

  constructor(table: KeyUseTable, scheduler: Pick<Scheduler, 'now'>) {
    this.#table = table;
    this.#scheduler = scheduler;
  }

  /** Notes that a request showed a key. */
  note(project: string, key: AccessKey): void {
    if (this.#noted.has(key) || key.kind === 'person' || this.#noted.size >= MAX_NOTED) return;
    this.#noted.set(key, { project, keyId: key.keyId, label: key.label, usedAt: this.#scheduler.now() });
  }

  /** Writes what was noted. What could not be written is noted again. */
  async write(): Promise<void> {
    const noted = this.#noted;
    if (noted.size === 0) return;
    this.#noted = new Map();
    try {
      await this.#table.note([...noted.values()]);
    } catch (error) {
      for (const [key, use] of noted) if (!this.#noted.has(key) && this.#noted.size < MAX_NOTED) this.#noted.set(key, use);
      throw error;
    }
  }

  /** The last use of each key of a project by id, with what this process has not written yet, and since when uses are noted. */
  async of(project: string): Promise<{ readonly uses: ReadonlyMap<string, KeyUse>; readonly since: number }> {
    const [stored, since] = await Promise.all([this.#table.of(project), this.#table.since()]);
    const uses = new Map(stored.map((use) => [use.keyId, use]));
    for (const use of this.#noted.values()) if (use.project === project) uses.set(use.keyId, use);
    return { uses, since };
  }
}
