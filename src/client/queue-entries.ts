import { SavepointError } from './errors.ts';
import type { QueueStorage } from './storage.ts';

/**
 * The entries of a queue in a storage that knows names and texts alone: entry `n` under `{name}:{n}`, and the number of the first
 * under `{name}`. An entry is there as soon as its text is; it is gone as soon as the first is a later one.
 */
export class QueueEntries<Entry> {
  readonly #storage: QueueStorage;
  readonly #name: string;
  readonly #entries: Entry[] = [];
  #first = 0;
  /** Entries are stored one after the other: a hole would hide what lies behind it. */
  #storing: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** What may have been stored although the storage said that it failed. */
  #failed: string | null = null;

  constructor(storage: QueueStorage, name: string) {
    this.#storage = storage;
    this.#name = name;
  }

  /** Reads what an earlier run has left. Throws `QUEUE_STORAGE`. */
  async load(): Promise<void> {
    await this.#try('read', async () => {
      this.#first = Number((await this.#storage.getItem(this.#name)) ?? 0);
      // A crash may have left the entry before it.
      if (this.#first > 0) await this.#storage.removeItem(this.#at(this.#first - 1));
      for (let n = this.#first; ; n++) {
        const text = await this.#storage.getItem(this.#at(n));
        if (text === null) return;
        this.#entries.push(JSON.parse(text) as Entry);
      }
    });
  }

  get size(): number {
    return this.#entries.length + this.#waiting;
  }

  get head(): Entry | undefined {
    return this.#entries[0];
  }

  get all(): readonly Entry[] {
    return this.#entries;
  }

  /** Stored when it resolves. Throws `QUEUE_STORAGE`. */
  add(entry: Entry): Promise<void> {
    this.#waiting++;
    return this.#inTurn(async () => {
      try {
        const at = this.#at(this.#first + this.#entries.length);
        const found = await this.#storage.getItem(at);
        const first = Number((await this.#storage.getItem(this.#name)) ?? 0);
        // Where the platform has no locks, two queues would overwrite each other's entries.
        if (first !== this.#first || (found !== null && found !== this.#failed)) throw new Error('another queue of this name uses it');
        this.#failed = JSON.stringify(entry);
        await this.#storage.setItem(at, this.#failed);
        this.#failed = null;
        this.#entries.push(entry);
      } finally {
        this.#waiting--;
      }
    });
  }

  /** Replaces the first entry. Throws `QUEUE_STORAGE`. */
  changeHead(entry: Entry): Promise<void> {
    return this.#inTurn(async () => {
      await this.#storage.setItem(this.#at(this.#first), JSON.stringify(entry));
      this.#entries[0] = entry;
    });
  }

  /** Removes the first entry. Throws `QUEUE_STORAGE`. */
  removeHead(): Promise<void> {
    return this.#inTurn(async () => {
      const done = this.#at(this.#first);
      await this.#storage.setItem(this.#name, String(this.#first + 1));
      this.#first++;
      this.#entries.shift();
      await this.#storage.removeItem(done);
    });
  }

  #inTurn(store: () => Promise<void>): Promise<void> {
    const stored = this.#storing.then(() => this.#try('write', store));
    this.#storing = stored.catch(() => undefined);
    return stored;
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      throw new SavepointError('QUEUE_STORAGE', `The storage of the queue ${this.#name} failed to ${what}: ${String(cause)}`, { cause });
    }
  }

  #at(n: number): string {
    return `${this.#name}:${n}`;
  }
}
