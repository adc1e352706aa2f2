import type { PlayerProof } from '../app/app.ts';
import { ExactNumber, type Json, type JsonObject, nonEmptyString } from '../kernel/json.ts';
import { type Exchange, firstHeader, firstQuery, headerText, queryText } from './exchange.ts';
import { CLAIM_HEADERS, CLAIM_MEMBERS, CLAIM_QUERIES, SESSION_HEADERS, SESSION_MEMBERS, TOKEN_HEADERS } from './names.ts';

/** The proof of a request's player. It is extracted only when needed, because most projects demand none. */
export class RequestProof implements PlayerProof {
  readonly #exchange: Exchange;
  #body: JsonObject | null = null;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Takes the body of a route whose body may name the player. The body of a document route is the document, and names nobody. */
  readBody(body: JsonObject): void {
    this.#body = body;
  }

  /** All claimed ids, because all of them must be proven. */
  get claims(): readonly string[] {
    const sent: string[] = [];
    const add = (claim: string | null) => {
      if (claim !== null && claim !== '') sent.push(claim);
    };
    for (const name of CLAIM_HEADERS) add(headerText(this.#exchange, name));
    if (this.#exchange.search !== '') for (const name of CLAIM_QUERIES) add(queryText(this.#exchange, name));
    if (this.#body !== null) for (const name of CLAIM_MEMBERS) add(claimText(this.#body[name]));
    return sent;
  }

  /** The token that proves the player. `token` in a body may be an endpoint's input, so it counts only without any other proof. */
  get token(): string | null {
    const sent = firstHeader(this.#exchange, TOKEN_HEADERS) ?? queryText(this.#exchange, 'token');
    if (sent !== null || this.sessionToken !== null) return sent;
    return nonEmptyString(this.#body?.['token']);
  }

  get sessionToken(): string | null {
    const exchange = this.#exchange;
    const sent = firstHeader(exchange, SESSION_HEADERS) ?? bearerOf(exchange) ?? firstQuery(exchange, SESSION_MEMBERS);
    if (sent !== null || this.#body === null) return sent;
    return nonEmptyString(this.#body['authSessionToken']) ?? nonEmptyString(this.#body['sessionToken']);
  }

  get onBehalfOfToken(): string | null {
    return headerText(this.#exchange, 'x-on-behalf-of-token');
  }

  get proxySignature(): string | null {
    return headerText(this.#exchange, 'x-proxy-signature');
  }

  get address(): string | null {
    return this.#exchange.addressOf(this.#exchange.req);
  }
}

const BEARER = /^Bearer +(\S+) *$/i;

function bearerOf(exchange: Exchange): string | null {
  const sent = headerText(exchange, 'authorization');
  return sent === null ? null : (BEARER.exec(sent)?.[1] ?? null);
}

/** A player id sent as text or as a number, which counts by its exact digits. */
export function claimText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : null;
}
