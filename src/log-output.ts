import { write, writeSync } from 'node:fs';

/** Most characters that may wait to be written: a reader that stops reading must not fill the memory. */
const MAX_WAITING = 1024 * 1024;
const NEWLINE = 10;
/** Pause after a pipe was full, ms. */
const PAUSE_MS = 100;

/**
 * Writes log lines to a file descriptor, in order, without blocking the code that logs. Lines that cannot be written are dropped and
 * counted. A full disk, or a closed terminal, must neither end the node nor prevent its end. (The library's own stream throws, and then
 * retries for ever when the process ends.)
 */
export class LogOutput {
  readonly #fd: number;
  readonly #pauseMs: number;
  readonly #format: (line: string) => string;
  #waiting: string[] = [];
  #length = 0;
  #lost = 0;
  /** Whether the last line was written only in part. */
  #cut = false;
  #writing = false;
  /** The bytes that a full pipe has not taken yet, during the pause. */
  #left: Buffer | null = null;

  /** `format`: what is written of a line of JSON. */
  constructor(fd: number, { pauseMs = PAUSE_MS, format = (line: string) => line } = {}) {
    this.#fd = fd;
    this.#pauseMs = pauseMs;
    this.#format = format;
  }

  write(json: string): void {
    const line = this.#format(json);
    if (this.#length + line.length > MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (!this.#writing) this.#next();
  }

  /** Writes all waiting lines at once, in one attempt, when the process ends. */
  flush(): void {
    try {
      const { bytes } = this.#take();
      writeSync(this.#fd, this.#left === null ? bytes : Buffer.concat([this.#left, bytes]));
    } catch {
      // There is nowhere left to report it.
    }
  }

  #next(): void {
    const { bytes, lines } = this.#take();
    this.#writing = true;
    this.#send(bytes, lines);
  }

  /** Writes bytes. `lines`: how many lines they contain, which are counted if they are dropped. */
  #send(bytes: Buffer, lines: number): void {
    this.#left = null;
    write(this.#fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        this.#left = bytes;
        setTimeout(() => this.#send(bytes, lines), this.#pauseMs).unref();
        return;
      }
      if (error === null && written < bytes.length) {
        this.#cut = bytes[written - 1] !== NEWLINE;
        this.#send(bytes.subarray(written), lines);
        return;
      }
      if (error === null) this.#cut = false;
      else this.#lost += lines;
      this.#writing = false;
      if (this.#waiting.length > 0) this.#next();
    });
  }

  #take(): { readonly bytes: Buffer; readonly lines: number } {
    const waiting = this.#waiting;
    const lost = this.#lost;
    this.#waiting = [];
    this.#length = 0;
    this.#lost = 0;
    const told =
      lost === 0
        ? []
        : [
            this.#cut ? '\n' : '',
            this.#format(`${JSON.stringify({ level: 40, time: Date.now(), lines: lost, msg: 'lines of this log were lost' })}\n`),
          ];
    return { bytes: Buffer.from([...told, ...waiting].join('')), lines: lost + waiting.length };
  }
}
