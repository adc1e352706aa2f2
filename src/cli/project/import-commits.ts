import { setTimeout } from 'node:timers/promises';
import type { Imported, Importer } from '../../app/operator/transfer/importer.ts';
import type { Installation } from '../../compose/installation.ts';
import { Refusal } from '../../kernel/errors.ts';

/** Transient refusals. If such a commit was stored nevertheless, the retry neither writes nor counts it again. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['WRITE_CONFLICT', 'BUSY', 'STORAGE_UNAVAILABLE', 'OUTCOME_UNKNOWN']);
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 250;
/**
 * The pause after a commit while players play, as a multiple of the commit's time. Each commit makes the players' node lose an append, read
 * what the import wrote and check its waiting commands again.
 */
const PAUSE_FACTOR = 3;
/** Bound on the commit time that counts for a pause, ms. On a slow machine, a longer pause would only delay the end. */
const MAX_COMMIT_MS = 300;

/** The destination of an import. */
interface Destination {
  readonly projectId: string;
  readonly importer: Pick<Importer, 'head' | 'shown'>;
  readonly installation: Pick<Installation, 'waitUntilProjected'>;
}

/** Writes the commits of an import one after the other, as fast as the read models follow, and slower while players use the project. */
export class ImportCommits {
  readonly #destination: Destination;
  readonly #sleep: (ms: number) => Promise<unknown>;
  /** Revision of the last event that was written here; −1 before the first. */
  #lastRevision = -1;

  constructor(destination: Destination, sleep: (ms: number) => Promise<unknown> = setTimeout) {
    this.#destination = destination;
    this.#sleep = sleep;
  }

  /** Retries `commit` until it is stored. Throws its `Refusal` if that is not transient. */
  async write(commit: () => Promise<Imported>): Promise<Imported> {
    for (let failures = 0; ; ) {
      const startedAt = performance.now();
      try {
        const done = await commit();
        const isPlayed = this.#lastRevision >= 0 && done.events > 0 && done.revision - done.events > this.#lastRevision;
        this.#lastRevision = done.revision;
        if (isPlayed) await this.#sleep(Math.min(performance.now() - startedAt, MAX_COMMIT_MS) * PAUSE_FACTOR);
        return done;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'BEHIND' && (await this.awaitReadModels())) continue;
        failures += 1;
        if (!TRANSIENT_CODES.has(error.code) || failures === MAX_ATTEMPTS) throw error;
        await this.#sleep(FIRST_PAUSE_MS * 2 ** failures);
      }
    }
  }

  /**
   * Writes rows in one commit, or in several where they make too much for one: each save record and each number of a ledger is stored by
   * itself. Answers how many items were written.
   */
  async writeRows<Row>(rows: readonly Row[], commit: (rows: readonly Row[]) => Promise<Imported>): Promise<number> {
    try {
      return (await this.write(() => commit(rows))).written;
    } catch (error) {
      const isTooLarge = error instanceof Refusal && error.code === 'APPEND_TOO_LARGE';
      if (!isTooLarge || rows.length < 2) throw error;
      const half = Math.ceil(rows.length / 2);
      return (await this.writeRows(rows.slice(0, half), commit)) + (await this.writeRows(rows.slice(half), commit));
    }
  }

  /**
   * Waits until the read models show what was written. Until then it is kept in memory, within a bound that stops further writes. Returns
   * false if the read models make no progress.
   */
  async awaitReadModels(): Promise<boolean> {
    const { projectId, importer, installation } = this.#destination;
    // A publish of many commits may fail half way. Then more is stored than its caller knows.
    const reached = Math.max(this.#lastRevision, importer.head(projectId));
    const isShown = await installation.waitUntilProjected(projectId, reached);
    if (isShown) importer.shown(projectId, reached);
    return isShown;
  }
}
