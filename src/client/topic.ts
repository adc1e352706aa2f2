import type { Answer } from './answer.ts';
import { applied } from './apply.ts';
import type { OwnWrite } from './connection.ts';
import type { Result, SavepointError } from './errors.ts';

/** One topic that a client follows: the server's last value, and the client's own writes on top of it. */

/** Facts about a value. */
export interface Change {
  /** The revision of the project's log that the server's value reflects. */
  readonly revision: number;
  /** Of a document: its save version. */
  readonly version: number;
  /** Whether it shows writes of this client that are not confirmed yet. */
  readonly isPending: boolean;
}

export interface Listener {
  value(value: unknown, change: Change): void;
  error(error: SavepointError): void;
  /** Called when nothing more will come. */
  end(): void;
}

interface UnconfirmedWrite {
  readonly change: OwnWrite['change'];
  /** The revision at which the write was stored; `null`: there is no answer yet. */
  position: number | null;
}

export class Topic {
  /** The topic as the server names it. */
  readonly text: string;
  readonly listeners = new Set<Listener>();
  /** The value is known up to this revision; `null`: there is no value. */
  upTo: number | null = null;
  error: SavepointError | null = null;
  /** The server refuses a stream with this topic. */
  isExcluded = false;
  #serverValue: unknown;
  #revision = -1;
  #version = 0;
  #writes: readonly UnconfirmedWrite[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The value that is shown; `undefined`: none has come yet. */
  get value(): unknown {
    if (this.upTo === null) return undefined;
    return this.#writes.reduce((value, { change }) => applied(value, change), this.#serverValue);
  }

  get change(): Change {
    return { revision: this.#revision, version: this.#version, isPending: this.#writes.length > 0 };
  }

  /** Takes a value from the server. One that is not newer than the known one is a repetition, and is ignored. */
  receive(value: unknown, revision: number, version: number): void {
    if (this.upTo !== null && revision <= this.#revision) return;
    this.#serverValue = value;
    this.#revision = revision;
    this.#version = version;
    this.error = null;
    this.upTo = Math.max(this.upTo ?? -1, revision);
    this.#dropConfirmed();
    this.#notify();
  }

  /** Notes that every change up to this revision has been received. */
  advanceTo(revision: number): void {
    if (this.upTo === null || revision <= this.upTo) return;
    this.upTo = revision;
    if (this.#dropConfirmed()) this.#notify();
  }

  refuse(error: SavepointError): void {
    this.forget();
    this.error = error;
    for (const listener of [...this.listeners]) listener.error(error);
  }

  /** Forgets the value, because the topic may mean something else from now on. */
  forget(): void {
    this.upTo = null;
    this.#revision = -1;
  }

  /** Shows a write at once. The caller passes the outcome to the function that is returned. */
  showWrite(change: OwnWrite['change']): (answer: Result<Answer>) => void {
    const own: UnconfirmedWrite = { change, position: null };
    this.#writes = [...this.#writes, own];
    this.#notify();
    return (answer) => {
      if (answer.ok) own.position = Number(answer.value.headers.get('x-ns-position') ?? 0);
      else this.#writes = this.#writes.filter((other) => other !== own);
      if (this.#dropConfirmed() || !answer.ok) this.#notify();
    };
  }

  /** Drops the writes that the server's value contains. Returns whether there were any. */
  #dropConfirmed(): boolean {
    const before = this.#writes.length;
    this.#writes = this.#writes.filter(({ position }) => position === null || position > (this.upTo ?? -1));
    return this.#writes.length < before;
  }

  #notify(): void {
    if (this.upTo === null) return;
    const { value, change } = this;
    for (const listener of [...this.listeners]) listener.value(value, change);
  }
}
