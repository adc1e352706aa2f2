import { LRUCache } from 'lru-cache';
import type { BucketGroup } from '../contract/families.ts';
import { refusal } from '../kernel/errors.ts';
import type { Received } from './client-address.ts';
import type { BucketRule } from './settings.ts';

/** Token buckets that the processes of an installation share. */
export interface SharedBuckets {
  /** Takes tokens that were already given out. Resolves to what each bucket holds then, which may be negative. May reject. */
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
  /** Tokens taken here and not reported to the other processes yet. */
  unreported: number;
}

/** The addresses used least recently are forgotten: their buckets have filled up again by then. */
const MAX_ADDRESSES = 50_000;
/** Interval of a process's reports to the others, ms. No request waits for a report. */
const REPORT_MS = 200;
/** Most buckets in one report. */
const MAX_REPORTED = 1_000;

/**
 * Request buckets by client address and group of routes. A process decides by its own counts. It reports them to `shared` several times a
 * second, and learns how many tokens are left over all processes. Tokens given out beyond that become a debt, so nobody exceeds the rate
 * for long. While `shared` is unreachable, each process counts alone.
 */
export class Buckets {
  readonly #rules: Readonly<Record<BucketGroup, BucketRule>>;
  readonly #addressOf: (req: Received) => string | null;
  readonly #shared: SharedBuckets | null;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  readonly #unreported = new Set<Bucket>();
  #isScheduled = false;

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
    if (address !== null) this.takeOf(`${group} ${address}`, this.#rules[group]);
  }

  /** The same of a bucket with a name and a rule of its own. */
  takeOf(name: string, rule: BucketRule): void {
    const bucket = this.#bucketOf(name, rule);
    refill(bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      if (this.#shared !== null) this.#reportLater(bucket);
      return;
    }
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / bucket.rule.perSecond));
    throw refusal('RATE_LIMITED', `Too many requests. Retry after ${seconds} seconds.`, { retryAfter: seconds });
  }

  #bucketOf(key: string, rule: BucketRule): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const fresh = { key, rule, tokens: rule.burst, at: Date.now(), unreported: 0 };
    this.#buckets.set(key, fresh);
    return fresh;
  }

  #reportLater(bucket: Bucket): void {
    if (this.#unreported.size >= MAX_ADDRESSES) return;
    bucket.unreported += 1;
    this.#unreported.add(bucket);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#report(), REPORT_MS).unref();
  }

  async #report(): Promise<void> {
    const reported = [...this.#unreported].slice(0, MAX_REPORTED);
    const taken = reported.map(({ key, rule, unreported }) => ({ key, rule, tokens: unreported }));
    for (const bucket of reported) {
      bucket.unreported = 0;
      this.#unreported.delete(bucket);
    }
    // Tokens whose report failed are not reported again: this process has counted them.
    const left = await this.#shared?.take(taken).catch(() => []);
    reported.forEach((bucket, index) => {
      refill(bucket);
      bucket.tokens = Math.min(bucket.tokens, (left?.[index] ?? bucket.rule.burst) - bucket.unreported);
    });
    this.#isScheduled = this.#unreported.size > 0;
    if (this.#isScheduled) setTimeout(() => void this.#report(), reported.length < MAX_REPORTED ? REPORT_MS : 0).unref();
  }
}

function refill(bucket: Bucket): void {
  const now = Date.now();
  const { burst, perSecond } = bucket.rule;
  bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond);
  bucket.at = now;
}
