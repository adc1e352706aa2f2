import { setTimeout } from 'node:timers/promises';
import type { Imported, Importer } from '../../app/operator/transfer/importer.ts';
import type { Installation } from '../../compose/installation.ts';
import { Refusal } from '../../kernel/errors.ts';

/** Refusals that pass by themselves. What a refused commit stored all the same is not written again, nor counted as written. */
const PASSING: ReadonlySet<string> = new Set(['WRITE_CONFLICT', 'BUSY', 'STORAGE_UNAVAILABLE', 'OUTCOME_UNKNOWN']);
const TRIES = 5;
const FIRST_PAUSE_MS = 250;
/**
 * The pause after a commit beside players, by the time that the commit took. Each commit makes the players' node lose an append, read what
 * the import wrote and check its waiting commands again.
 */
const PAUSE_FACTOR = 3;
/** The longest commit that counts for a pause. Where the whole machine is slow, a longer pause would only delay the end. */
const MAX_COMMIT_MS = 300;

/** Where an import goes. */
interface Destination {
  readonly projectId: string;
  readonly importer: Pick<Importer, 'head' | 'shown'>;
  readonly installation: Pick<Installation, 'waitUntilProjected'>;
}

/** Writes the commits of an import, one after the other: as fast as the read models follow, and slower beside players of the project. */
export class ImportCommits {
  readonly #destination: Destination;
  readonly #sleep: (ms: number) => Promise<unknown>;
  /** Revision of the last event that was written here; −1 before the first. */
  #reached = -1;

  constructor(destination: Destination, sleep: (ms: number) => Promise<unknown> = setTimeout) {
    this.#destination = destination;
    this.#sleep = sleep;
  }

  /** Tries `commit` until it is stored. Throws its `Refusal` when that does not pass. */
  async write(commit: () => Promise<Imported>): Promise<Imported> {
    for (let failures = 0; ; ) {
      const startedAt = performance.now();
      try {
        const done = await commit();
        const isPlayed = this.#reached >= 0 && done.events > 0 && done.revision - done.events > this.#reached;
        this.#reached = done.revision;
        if (isPlayed) await this.#sleep(Math.min(performance.now() - startedAt, MAX_COMMIT_MS) * PAUSE_FACTOR);
        return done;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'BEHIND' && (await this.keepUp())) continue;
        failures += 1;
        if (!PASSING.has(error.code) || failures === TRIES) throw error;
        await this.#sleep(FIRST_PAUSE_MS * 2 ** failures);
      }
    }
  }

  /**
   * Waits until the read models show what was written. Until then it is held in memory, within a bound, and no more is written beyond that.
   * Returns false if they stand still.
   */
  async keepUp(): Promise<boolean> {
    const { projectId, importer, installation } = this.#destination;
    // A publish of many commits may fail half way. Then more is stored than its caller was told.
    const reached = Math.max(this.#reached, importer.head(projectId));
    const isShown = await installation.waitUntilProjected(projectId, reached);
    if (isShown) importer.shown(projectId, reached);
    return isShown;
  }
}
