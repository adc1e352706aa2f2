import { foldedName } from '../../domain/people/people.ts';
import { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { countedNetwork } from '../client-address.ts';

/** Wrong links, passwords and codes of one address, name or person within a minute that block it. */
const MAX_WRONG = 10;
/** Stands for this machine's own address. */
const HERE = 'this machine';

/** Holds back whoever guesses. */
export class Attempts {
  readonly #wrong = new BruteForceGuard(MAX_WRONG, () => performance.now());

  /** An attempt from an address. Throws 429 RATE_LIMITED. */
  ofAddress<T>(address: string | null, attempt: () => Promise<T>): Promise<T> {
    return this.#counted(networkOf(address), 'address', attempt);
  }

  /** An answer of the issuer. It counts apart: a link signs in however often that fails. */
  ofIssuer<T>(address: string | null, attempt: () => Promise<T>): Promise<T> {
    return this.#counted(networkOf(address), 'issuer', attempt);
  }

  /** An attempt with a name, from whatever address. */
  ofName<T>(name: string, attempt: () => Promise<T>): Promise<T> {
    return this.#counted(foldedName(name), 'name', attempt);
  }

  ofPerson<T>(person: string, attempt: () => Promise<T>): Promise<T> {
    return this.#counted(person, 'person', attempt);
  }

  /** Counts a command line that asks to be signed in: each waits for minutes, and few may. Throws 429 RATE_LIMITED. */
  noteRequest(address: string | null): void {
    const from = networkOf(address);
    const waitMs = this.#wrong.admit(from, 'request');
    if (waitMs > 0) throw tooMany(waitMs);
    this.#wrong.settle(from, 'request', true);
  }

  /** An attempt counts as wrong until it has succeeded, so many at once are no more than one after another. */
  async #counted<T>(from: string, what: 'address' | 'issuer' | 'name' | 'person', attempt: () => Promise<T>): Promise<T> {
    const waitMs = this.#wrong.admit(from, what);
    if (waitMs > 0) throw tooMany(waitMs);
    let hasFailed = true;
    try {
      const answer = await attempt();
      hasFailed = false;
      return answer;
    } finally {
      this.#wrong.settle(from, what, hasFailed);
    }
  }
}

function networkOf(address: string | null): string {
  return address === null ? HERE : countedNetwork(address);
}

function tooMany(waitMs: number): Refusal {
  return refusal('RATE_LIMITED', 'Too many attempts to sign in; wait a moment', { retryAfter: Math.ceil(waitMs / 1000) });
}
