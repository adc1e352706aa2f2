import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { refusal } from '../kernel/errors.ts';
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
  private readonly now: () => number;
  private readonly buckets = new LRUCache<string, Bucket>({ max: MOST_ADDRESSES });

  /** `now` answers unix ms. */
  constructor(rules: Readonly<Record<BucketGroup, BucketRule>>, now: () => number = Date.now) {
    this.rules = rules;
    this.now = now;
  }

  /** Counts one request. Throws 429 RATE_LIMITED with `Retry-After` when the bucket is empty. */
  take(req: IncomingMessage, group: BucketGroup): void {
    const address = clientAddress(req);
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

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const LONGEST_ADDRESS = 64;

/**
 * Whom a request counts for. `null`: a peer on this machine that forwards for nobody, which is not counted (decision 16). A peer on
 * this machine is a proxy, so the last hop it names is believed; anybody else could write what he likes.
 */
export function clientAddress(req: IncomingMessage): string | null {
  const peer = req.socket.remoteAddress ?? '';
  if (!LOOPBACK.test(peer)) return peer;
  const forwarded = req.headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',');
  const last = hops[hops.length - 1]?.trim() ?? '';
  return last === '' ? null : last.slice(0, LONGEST_ADDRESS);
}
