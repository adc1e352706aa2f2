import { write, writeSync } from 'node:fs';

/** Characters that may wait to be written: a reader that stops reading must not fill the memory. */
const MOST_WAITING = 1024 * 1024;
const NEWLINE = 10;
/** After a pipe was full, ms. */
const PAUSE_MS = 100;

/**
 * The lines of the process log on their way to a file descriptor, in order and without holding up who logs. What cannot be written is
 * dropped and counted: a log on a full disk must neither end the node that writes it nor keep it from ending, and the log of a terminal
 * that has gone must not either. (The library's own stream throws, and then tries for ever on the way out.)
 */
export class LogOutput {
  readonly #fd: number;
  readonly #pauseMs: number;
  #waiting: string[] = [];
  #length = 0;
  #lost = 0;
  /** Whether the last line that came out is cut off. */
  #cut = false;
  #writing = false;
  /** What a full pipe has not taken, while it is given a pause. */
  #left: Buffer | null = null;

  constructor(fd: number, pauseMs = PAUSE_MS) {
    this.#fd = fd;
    this.#pauseMs = pauseMs;
  }

  write(line: string): void {
    if (this.#length + line.length > MOST_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    if (!this.#writing) this.#next();
  }

  /** Writes what waits, once and at once: for the end of the process. */
  flush(): void {
    try {
      const { bytes } = this.#take();
      writeSync(this.#fd, this.#left === null ? bytes : Buffer.concat([this.#left, bytes]));
    } catch {
      // There is nobody left to tell.
    }
  }

  #next(): void {
    const { bytes, lines } = this.#take();
    this.#writing = true;
    this.#send(bytes, lines);
  }

  /** `lines`: what is lost when the bytes are. */
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
        : [`${this.#cut ? '\n' : ''}${JSON.stringify({ level: 40, time: Date.now(), lines: lost, msg: 'lines of this log were lost' })}\n`];
    return { bytes: Buffer.from([...told, ...waiting].join('')), lines: lost + waiting.length };
  }
}
