import { LRUCache } from 'lru-cache';
import type { BucketGroup } from '../contract/families.ts';
import { refusal } from '../kernel/errors.ts';
import type { Received } from './client-address.ts';
import type { BucketRule } from './settings.ts';

/** Where the processes of an installation count together. */
export interface SharedBuckets {
  /** Takes tokens that have been given away already. Answers what each bucket holds then, which may be less than nothing. May reject. */
  take(taken: readonly TakenTokens[]): Promise<readonly number[]>;
}

export interface TakenTokens {
  readonly key: string;
  readonly rule: BucketRule;
  readonly tokens: number;
}

interface Bucket {
  readonly key: string;
  readonly rule: BucketRule;
  tokens: number;
  /** Unix ms of the last refill. */
  at: number;
  /** Tokens taken here of which the other processes have not been told. */
  untold: number;
}

/** The addresses heard of least recently are forgotten: their buckets have filled up again by then. */
const MAX_ADDRESSES = 50_000;
/** How often a process tells the others what it counted. No request waits for that. */
const SHARE_MS = 200;
/** Buckets that one message tells of. */
const MAX_REPORTED = 1_000;

/**
 * Request buckets by client address and group of routes. A process decides by its own counts. It tells `shared` several times a second, and
 * learns what is left over all processes. Tokens given away too much in between are owed, so nobody gets more for long. While `shared` cannot be
 * reached, each process counts alone.
 */
export class Buckets {
  readonly #rules: Readonly<Record<BucketGroup, BucketRule>>;
  readonly #addressOf: (req: Received) => string | null;
  readonly #shared: SharedBuckets | null;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  readonly #untold = new Set<Bucket>();
  #sharing = false;

  /** `addressOf` names the address that a request counts for; `null`: it is not counted. */
  constructor(
    rules: Readonly<Record<BucketGroup, BucketRule>>,
    addressOf: (req: Received) => string | null,
    shared: SharedBuckets | null = null,
  ) {
    this.#rules = rules;
    this.#addressOf = addressOf;
    this.#shared = shared;
  }

  /** Counts one request. Throws 429 RATE_LIMITED with `Retry-After` when the bucket is empty. */
  take(req: Received, group: BucketGroup): void {
    const address = this.#addressOf(req);
    if (address === null) return;
    const bucket = this.#bucketOf(`${group} ${address}`, this.#rules[group]);
    refill(bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      if (this.#shared !== null) this.#tellLater(bucket);
      return;
    }
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / bucket.rule.perSecond));
    throw refusal('RATE_LIMITED', `Too many requests. Retry after ${seconds} seconds.`, { retryAfter: seconds });
  }

  #bucketOf(key: string, rule: BucketRule): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const fresh = { key, rule, tokens: rule.burst, at: Date.now(), untold: 0 };
    this.#buckets.set(key, fresh);
    return fresh;
  }

  #tellLater(bucket: Bucket): void {
    if (this.#untold.size >= MAX_ADDRESSES) return;
    bucket.untold += 1;
    this.#untold.add(bucket);
    if (this.#sharing) return;
    this.#sharing = true;
    setTimeout(() => void this.#tell(), SHARE_MS).unref();
  }

  async #tell(): Promise<void> {
    const told = [...this.#untold].slice(0, MAX_REPORTED);
    const taken = told.map(({ key, rule, untold }) => ({ key, rule, tokens: untold }));
    for (const bucket of told) {
      bucket.untold = 0;
      this.#untold.delete(bucket);
    }
    // Tokens that could not be told of are not told again: they have been counted here.
    const left = await this.#shared?.take(taken).catch(() => []);
    told.forEach((bucket, index) => {
      refill(bucket);
      bucket.tokens = Math.min(bucket.tokens, (left?.[index] ?? bucket.rule.burst) - bucket.untold);
    });
    this.#sharing = this.#untold.size > 0;
    if (this.#sharing) setTimeout(() => void this.#tell(), told.length < MAX_REPORTED ? SHARE_MS : 0).unref();
  }
}

function refill(bucket: Bucket): void {
  const now = Date.now();
  const { burst, perSecond } = bucket.rule;
  bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond);
  bucket.at = now;
}
