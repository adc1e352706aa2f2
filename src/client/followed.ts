import type { Answer } from './answer.ts';
import { applied } from './apply.ts';
import type { OwnWrite } from './connection.ts';
import type { Result, SavepointError } from './errors.ts';

/** One topic that a client follows: what the server last said of it, and the client's own writes on top. */

/** Facts about a value. */
export interface Change {
  /** The revision of the project's log that the server's value is of. */
  readonly revision: number;
  /** Of a document: its save version. */
  readonly version: number;
  /** Whether it shows writes of this client that are not confirmed yet. */
  readonly isPending: boolean;
}

export interface Listener {
  value(value: unknown, change: Change): void;
  error(error: SavepointError): void;
  /** To be called when nothing more will come. */
  end(): void;
}

interface Unconfirmed {
  readonly change: OwnWrite['change'];
  /** The revision at which it was stored; `null`: there is no answer yet. */
  position: number | null;
}

export class Followed {
  /** The topic in the words that the server takes. */
  readonly text: string;
  readonly listeners = new Set<Listener>();
  /** The client has the value up to this revision; `null`: it has none. */
  upTo: number | null = null;
  error: SavepointError | null = null;
  /** The server refuses a stream with this topic. */
  isLeftOut = false;
  #value: unknown;
  #revision = -1;
  #version = 0;
  #writes: readonly Unconfirmed[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The value that is shown; `undefined`: none has come yet. */
  get shown(): unknown {
    if (this.upTo === null) return undefined;
    return this.#writes.reduce((value, { change }) => applied(value, change), this.#value);
  }

  get change(): Change {
    return { revision: this.#revision, version: this.#version, isPending: this.#writes.length > 0 };
  }

  /** Takes a value. One that is not newer than the known one came twice, and is ignored. */
  take(value: unknown, revision: number, version: number): void {
    if (this.upTo !== null && revision <= this.#revision) return;
    this.#value = value;
    this.#revision = revision;
    this.#version = version;
    this.error = null;
    this.upTo = Math.max(this.upTo ?? -1, revision);
    this.#forget();
    this.#tell();
  }

  /** Nothing has changed up to this revision, except by values that came. */
  isUpTo(revision: number): void {
    if (this.upTo === null || revision <= this.upTo) return;
    this.upTo = revision;
    if (this.#forget()) this.#tell();
  }

  refuse(error: SavepointError): void {
    this.forget();
    this.error = error;
    for (const listener of [...this.listeners]) listener.error(error);
  }

  /** Forgets the value: something else is asked for from now on. */
  forget(): void {
    this.upTo = null;
    this.#revision = -1;
  }

  /** Shows a write at once. The function that it returns is called with the outcome. */
  write(change: OwnWrite['change']): (answer: Result<Answer>) => void {
    const own: Unconfirmed = { change, position: null };
    this.#writes = [...this.#writes, own];
    this.#tell();
    return (answer) => {
      if (answer.ok) own.position = Number(answer.value.headers.get('x-ns-position') ?? 0);
      else this.#writes = this.#writes.filter((other) => other !== own);
      if (this.#forget() || !answer.ok) this.#tell();
    };
  }

  /** Drops the writes that the value shows. */
  #forget(): boolean {
    const before = this.#writes.length;
    this.#writes = this.#writes.filter(({ position }) => position === null || position > (this.upTo ?? -1));
    return this.#writes.length < before;
  }

  #tell(): void {
    if (this.upTo === null) return;
    const { shown, change } = this;
    for (const listener of [...this.listeners]) listener.value(shown, change);
  }
}
