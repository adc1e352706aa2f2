import { SavepointError } from './errors.ts';
import type { QueueStorage } from './storage.ts';

/** How entries are written as texts. `parse` takes any text: it makes an entry of one that is damaged, too. */
export interface EntryFormat<Entry> {
  parse(text: string, n: number): Entry;
  stringify(entry: Entry): string;
}

/**
 * The entries of a queue in a storage of texts by name. Entry `n` is stored under `{name}:{n}`, and the number of the first entry under
 * `{name}`. An entry is added by storing its text, and removed by advancing the number of the first.
 */
export class QueueEntries<Entry> {
  readonly #storage: QueueStorage;
  readonly #name: string;
  readonly #format: EntryFormat<Entry>;
  readonly #entries: Entry[] = [];
  #first = 0;
  /** Entries are stored one after the other, because a gap would hide the entries behind it. */
  #lastWrite: Promise<void> = Promise.resolve();
  #pending = 0;
  /** The text of a write that failed. It may have been stored all the same. */
  #uncertain: string | null = null;

  constructor(storage: QueueStorage, name: string, format: EntryFormat<Entry>) {
    this.#storage = storage;
    this.#name = name;
    this.#format = format;
  }

  /** Loads the entries that an earlier run left. Throws `QUEUE_STORAGE`. */
  async load(): Promise<void> {
    await this.#try('read', async () => {
      this.#first = Number((await this.#storage.getItem(this.#name)) ?? 0);
      if (!Number.isSafeInteger(this.#first)) throw new Error(`${this.#name} holds no number`);
      // A crash may have left the text of the last entry that was removed.
      if (this.#first > 0) await this.#storage.removeItem(this.#nameOf(this.#first - 1));
      for (let n = this.#first; ; n++) {
        const text = await this.#storage.getItem(this.#nameOf(n));
        if (text === null) return;
        this.#entries.push(this.#format.parse(text, n));
      }
    });
  }

  get size(): number {
    return this.#entries.length + this.#pending;
  }

  get head(): Entry | undefined {
    return this.#entries[0];
  }

  get all(): readonly Entry[] {
    return this.#entries;
  }

  /** Resolves once the entry is stored. Throws `QUEUE_STORAGE`, and `QUEUE_OPEN` where another queue of the name uses the storage. */
  add(entry: Entry): Promise<void> {
    this.#pending++;
    return this.#serialize(async () => {
      try {
        const name = this.#nameOf(this.#first + this.#entries.length);
        const found = await this.#storage.getItem(name);
        const first = Number((await this.#storage.getItem(this.#name)) ?? 0);
        // Without locks of the platform, two queues could overwrite each other's entries.
        if (first !== this.#first || (found !== null && found !== this.#uncertain)) {
          throw new SavepointError('QUEUE_OPEN', `Another page or program uses the queue ${this.#name}`);
        }
        this.#uncertain = this.#format.stringify(entry);
        await this.#storage.setItem(name, this.#uncertain);
        this.#uncertain = null;
        this.#entries.push(entry);
      } finally {
        this.#pending--;
      }
    });
  }

  /** Replaces the first entry. Throws `QUEUE_STORAGE`. */
  changeHead(entry: Entry): Promise<void> {
    return this.#serialize(async () => {
      await this.#storage.setItem(this.#nameOf(this.#first), this.#format.stringify(entry));
      this.#entries[0] = entry;
    });
  }

  /** Keeps a text of the first entry beside the queue. Throws `QUEUE_STORAGE`. */
  setAside(text: string): Promise<void> {
    return this.#serialize(async () => this.#storage.setItem(`${this.#name}:damaged:${this.#first}`, text));
  }

  /** Removes the first entry. Throws `QUEUE_STORAGE`. */
  removeHead(): Promise<void> {
    return this.#serialize(async () => {
      const name = this.#nameOf(this.#first);
      await this.#storage.setItem(this.#name, String(this.#first + 1));
      this.#first++;
      this.#entries.shift();
      await this.#storage.removeItem(name);
    });
  }

  #serialize(store: () => Promise<void>): Promise<void> {
    const stored = this.#lastWrite.then(() => this.#try('write', store));
    this.#lastWrite = stored.catch(() => undefined);
    return stored;
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (cause instanceof SavepointError) throw cause;
      throw new SavepointError('QUEUE_STORAGE', `The storage of the queue ${this.#name} failed to ${what}: ${String(cause)}`, { cause });
    }
  }

  #nameOf(n: number): string {
    return `${this.#name}:${n}`;
  }
}
