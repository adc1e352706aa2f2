import { createHash } from 'node:crypto';
import type { IdempotentRequest } from '../app/app.ts';
import type { Route } from '../contract/route.ts';
import type { PublishTarget } from '../domain/events.ts';
import { readKey, requestHash } from '../domain/idempotency/answers.ts';
import { isReservedQuery } from '../domain/security/reserved-queries.ts';
import { accepted, refusal } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { type BodyListener, type Exchange, queryOf } from './exchange.ts';

/** Larger bodies are compared by their bytes: sorting their members would block all other requests. */
const MAX_SORTED_BYTES = 262_144;

/** A request with an `Idempotency-Key`. */
export class KeyedRequest implements IdempotentRequest, BodyListener {
  readonly key: string;
  readonly #exchange: Exchange;
  readonly #target: PublishTarget;
  #sent: Json = null;
  /** The last body and its hash, cached because a command may be decided several times. */
  #hashed: { readonly body: Json; readonly hash: string } | null = null;

  constructor(exchange: Exchange, target: PublishTarget, key: string) {
    this.#exchange = exchange;
    this.#target = target;
    this.key = key;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  /** Takes the body as soon as it has been read. */
  read(body: Json, bytes: Buffer): void {
    this.#sent = bytes.length <= MAX_SORTED_BYTES ? body : createHash('sha256').update(bytes).digest('hex');
  }

  request(body: Json = this.#sent): string {
    if (this.#hashed === null || this.#hashed.body !== body) this.#hashed = { body, hash: this.#hashWith(body) };
    return this.#hashed.hash;
  }

  /** The hash excludes the proof of the caller, which may differ when the request is sent again. */
  #hashWith(body: Json): string {
    const { method, location } = this.#exchange;
    const query = Object.entries(queryOf(this.#exchange)).filter(([name]) => !isReservedQuery(name));
    const parameters = query.map(([name, value]): Json => [name, ...[value ?? ''].flat()]);
    return requestHash([method, location, this.#target, parameters, body]);
  }
}

/**
 * The request with its idempotency key; `null` without a key. What is no key, an empty text included, is refused by the use case once
 * access is granted, and here where no use case looks at it: a read or a dry run, which does the same with a key as without. Throws 400
 * INVALID_REQUEST for any key where the route refuses them.
 */
export function keyedRequestOf(
  exchange: Exchange,
  targetOf: (exchange: Exchange) => PublishTarget,
  { idempotent = false, refusesKey = false }: Partial<Pick<Route, 'idempotent' | 'refusesKey'>>,
): KeyedRequest | null {
  const sent = exchange.headers['idempotency-key'];
  if (sent === undefined) return null;
  const keyed = new KeyedRequest(exchange, targetOf(exchange), Array.isArray(sent) ? sent.join(', ') : sent);
  if (!idempotent) accepted(readKey(keyed.key));
  if (refusesKey) throw refusal('INVALID_REQUEST', TAKES_NO_KEY);
  exchange.keyed = keyed;
  return keyed;
}

const TAKES_NO_KEY = 'This request takes no Idempotency-Key: each one counts, also the same one sent again. Leave the header out';
