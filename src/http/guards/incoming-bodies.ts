/** A body that is arriving. */
export interface IncomingBody {
  bytes: number;
  /** `performance.now()` at its beginning. */
  readonly since: number;
  /** Stops reading it. */
  readonly refuse: () => void;
}

/**
 * Bounds the bytes of request bodies that are arriving, over all connections. They stay in memory until the rest arrives, so a few thousand
 * slow bodies would end the process. Above the bound, bodies past their grace time are refused, the oldest first. If there are none, the
 * body that exceeds the bound is refused.
 */
export class IncomingBodies {
  readonly #maxBytes: number;
  readonly #graceMs: number;
  #bytes = 0;
  /** In the order in which they began. */
  readonly #bodies = new Set<IncomingBody>();

  constructor(most: number, graceMs: number) {
    this.#maxBytes = most;
    this.#graceMs = graceMs;
  }

  begin(refuse: () => void): IncomingBody {
    const body = { bytes: 0, since: performance.now(), refuse };
    this.#bodies.add(body);
    return body;
  }

  add(body: IncomingBody, bytes: number): void {
    if (!this.#bodies.has(body)) return;
    body.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return;
    for (const slow of this.#bodies) {
      if (this.#bytes <= this.#maxBytes || performance.now() - slow.since < this.#graceMs) break;
      if (slow !== body) this.#refuse(slow);
    }
    if (this.#bytes > this.#maxBytes && this.#bodies.size > 1) this.#refuse(body);
  }

  /** Stops counting a body that is complete or was aborted. */
  end(body: IncomingBody): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  #refuse(body: IncomingBody): void {
    this.end(body);
    body.refuse();
  }
}
