import { LRUCache } from 'lru-cache';
import { refusal } from '../kernel/errors.ts';
import type { Received } from './client-address.ts';
import type { BucketGroup, BucketRule } from './settings.ts';

interface Bucket {
  tokens: number;
  /** Unix ms of the last refill. */
  at: number;
}

/** An address unheard of for long has a full bucket again, so forgetting the least recent ones loses little. */
const MOST_ADDRESSES = 50_000;

/** Request buckets per client address and group of routes (security 9.1). */
export class Buckets {
  private readonly rules: Readonly<Record<BucketGroup, BucketRule>>;
  private readonly addressOf: (req: Received) => string | null;
  private readonly now: () => number;
  private readonly buckets = new LRUCache<string, Bucket>({ max: MOST_ADDRESSES });

  /** `addressOf` names whom a request counts for, `null` for nobody; `now` answers unix ms. */
  constructor(rules: Readonly<Record<BucketGroup, BucketRule>>, addressOf: (req: Received) => string | null, now: () => number = Date.now) {
    this.rules = rules;
    this.addressOf = addressOf;
    this.now = now;
  }

  /** Counts one request. Throws 429 RATE_LIMITED with `Retry-After` when the bucket is empty. */
  take(req: Received, group: BucketGroup): void {
    const address = this.addressOf(req);
    if (address === null) return;
    const rule = this.rules[group];
    const now = this.now();
    const bucket = this.bucketOf(`${group} ${address}`, rule, now);
    bucket.tokens = Math.min(rule.burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * rule.perSecond);
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return;
    }
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / rule.perSecond));
    throw refusal('RATE_LIMITED', `Too many requests. Retry after ${seconds} seconds.`, { headers: { 'Retry-After': String(seconds) } });
  }

  private bucketOf(key: string, rule: BucketRule, now: number): Bucket {
    const known = this.buckets.get(key);
    if (known) return known;
    const fresh = { tokens: rule.burst, at: now };
    this.buckets.set(key, fresh);
    return fresh;
  }
}
