import type { Answer } from './answer.ts';
import { applied } from './apply.ts';
import type { OwnWrite } from './connection.ts';
import type { Result, SavepointError } from './errors.ts';

/** One topic that a client follows: what the server last said of it, and the client's own writes on top. */

/** What is known of a value beside itself. */
export interface Change {
  /** Of the project's log: the value as the server has it is of then. */
  readonly revision: number;
  /** Of a document: its save version. */
  readonly version: number;
  /** Whether it shows writes of this client that are not confirmed yet. */
  readonly isPending: boolean;
}

export interface Listener {
  value(value: unknown, change: Change): void;
  error(error: SavepointError): void;
  /** Nothing more comes. */
  end(): void;
}

interface Unconfirmed {
  readonly change: OwnWrite['change'];
  /** Where it was stored; `null`: there is no answer yet. */
  position: number | null;
}

export class Followed {
  /** As the server is asked for it. */
  readonly text: string;
  readonly listeners = new Set<Listener>();
  /** The client has the value up to this revision; `null`: it has none. */
  upTo: number | null = null;
  error: SavepointError | null = null;
  /** The server takes no stream that asks for it. */
  isLeftOut = false;
  #value: unknown;
  #revision = -1;
  #version = 0;
  #writes: readonly Unconfirmed[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** What is shown now; `undefined`: nothing came yet. */
  get shown(): unknown {
    if (this.upTo === null) return undefined;
    return this.#writes.reduce((value, { change }) => applied(value, change), this.#value);
  }

  get change(): Change {
    return { revision: this.#revision, version: this.#version, isPending: this.#writes.length > 0 };
  }

  /** A value came. One that is known already came twice. */
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

  /** Nothing has changed up to this revision but what came. */
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

  /** What came is not what will be asked for any more. */
  forget(): void {
    this.upTo = null;
    this.#revision = -1;
  }

  /** Shows a write at once; the answer says what came of it. */
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
