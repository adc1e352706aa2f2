import type { IssuerSignIn } from '../../app/app.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Exchange } from '../exchange.ts';
import type { ConsolePlace } from './place.ts';

/**
 * The console's part of signing in at an issuer: the cookie of the browser that is there, and the address it comes back to. The page sends
 * what the issuer answered from there, so every request here is one of the page, and the cookie need never come with a request from
 * elsewhere.
 */

/** Where the issuer sends browsers back to. It is a page of the console. */
const BACK = '/sign-in/back';
const PREFIX = '/api/sign-in/issuer';

export class IssuerRoutes {
  readonly #issuer: IssuerSignIn | null;

  constructor(issuer: IssuerSignIn | null) {
    this.#issuer = issuer;
  }

  /** What people call the issuer; `null`: there is none. */
  get name(): string | null {
    return this.#issuer?.name ?? null;
  }

  /** The issuer. Throws 404 NOT_FOUND where there is none. */
  get signIn(): IssuerSignIn {
    if (this.#issuer === null) throw refusal('NOT_FOUND', 'People sign in at no issuer here (CONSOLE_OIDC_ISSUER)');
    return this.#issuer;
  }

  isBegin({ method, path }: Exchange): boolean {
    return method === 'POST' && path === PREFIX;
  }

  isAnswer({ method, path }: Exchange): boolean {
    return method === 'POST' && path === `${PREFIX}/answer`;
  }

  backTo({ origin }: ConsolePlace): string {
    return origin + BACK;
  }

  /** The secret that a browser keeps while somebody is at the issuer; `null`: none. */
  secretOf(exchange: Exchange, place: ConsolePlace): string | null {
    return cookieOf(exchange, nameOf(place));
  }

  keeping(secret: string, place: ConsolePlace): string {
    return `${nameOf(place)}=${secret}; ${place.cookieAttributes}; Max-Age=600`;
  }

  forgetting(place: ConsolePlace): string {
    return `${nameOf(place)}=; ${place.cookieAttributes}; Max-Age=0`;
  }
}

function nameOf({ cookie }: ConsolePlace): string {
  return `${cookie}-issuer`;
}

/** The value of a cookie; `null`: none was sent. */
export function cookieOf({ headers }: Exchange, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || null;
}
