import type { Logger } from 'pino';
import { pause } from '../kernel/pause.ts';

/** Stops the parts of a process in the reverse order of their start. */
export class Shutdown {
  readonly #parts: (() => Promise<void>)[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(stop: () => Promise<void>): void {
    this.#parts.unshift(stop);
  }

  /**
   * Stops one part after the other. After `withinMs` parts that hang, such as a writer without its log, are abandoned. The last part is the
   * database, which has a timeout of its own and must not be left running.
   */
  async run(withinMs: number): Promise<void> {
    const over = new AbortController();
    const timeOver = pause(withinMs, over.signal);
    const parts = this.#parts.splice(0);
    for (const [index, part] of parts.entries()) {
      const stopping = part().catch((error: unknown) => this.#logger.warn({ err: error }, 'stopping a part failed'));
      const isLast = index === parts.length - 1;
      await (isLast ? stopping : Promise.race([stopping, timeOver]));
    }
    over.abort();
  }
}
