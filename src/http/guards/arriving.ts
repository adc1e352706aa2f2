/** A body on its way. */
export interface ArrivingBody {
  bytes: number;
  /** `performance.now()`. */
  readonly since: number;
  /** Ends the reading of it. */
  readonly refuse: () => void;
}

/**
 * Request bodies that are on their way, over all connections. What has come of them lies in memory for as long as the rest takes, which
 * a client may draw out: a few thousand of them, cut off in the middle, would end the process. Beyond the bound those are refused that
 * have had their time, the longest first; where none has, the one that would exceed it.
 */
export class Arriving {
  readonly #most: number;
  readonly #graceMs: number;
  #bytes = 0;
  /** In the order in which they began. */
  readonly #bodies = new Set<ArrivingBody>();

  constructor(most: number, graceMs: number) {
    this.#most = most;
    this.#graceMs = graceMs;
  }

  begin(refuse: () => void): ArrivingBody {
    const body = { bytes: 0, since: performance.now(), refuse };
    this.#bodies.add(body);
    return body;
  }

  add(body: ArrivingBody, bytes: number): void {
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

  /** It is there, or will not be. */
  end(body: ArrivingBody): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  #refuse(body: ArrivingBody): void {
    this.end(body);
    body.refuse();
  }
}
