/** A body that is arriving. */
export interface IncomingBody {
  bytes: number;
  /** `performance.now()` at its beginning. */
  readonly since: number;
  /** Stops reading it. */
  readonly refuse: () => void;
}

/**
 * Bounds the bytes of request bodies that are arriving, over all connections. What has arrived lies in memory until the rest comes, and a client
 * may take its time: a few thousand unfinished bodies would end the process. Above the bound, bodies that have had their time are refused, the
 * longest first. If none has, the body that would exceed the bound is refused.
 */
export class IncomingBodies {
  readonly #most: number;
  readonly #graceMs: number;
  #bytes = 0;
  /** In the order in which they began. */
  readonly #bodies = new Set<IncomingBody>();

  constructor(most: number, graceMs: number) {
    this.#most = most;
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
    if (this.#bytes <= this.#most) return;
    for (const slow of this.#bodies) {
      if (this.#bytes <= this.#most || performance.now() - slow.since < this.#graceMs) break;
      if (slow !== body) this.#refuse(slow);
    }
    if (this.#bytes > this.#most && this.#bodies.size > 1) this.#refuse(body);
  }

  /** The body is complete, or will never be. */
  end(body: IncomingBody): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  #refuse(body: IncomingBody): void {
    this.end(body);
    body.refuse();
  }
}
