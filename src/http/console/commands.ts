import type { SignedIn } from '../../app/app.ts';
import { ONE_LINE } from '../../contract/values.ts';
import { refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Answer } from '../answer.ts';
import { invalidBody, readJson } from '../body.ts';
import { type Exchange, headerText } from '../exchange.ts';
import { type ApiParts, shown, signInFrom } from './api.ts';
import type { Attempts } from './attempts.ts';
import type { ConsolePlace } from './place.ts';

/**
 * Signing in on the command line: it shows a code, a person who is signed in confirms it on the page, and the command line asks for its
 * token. The token is sent in a header that no page of a browser sends, so it needs no proof of where a request came from.
 */

/** The header with the token of a command line. Players prove themselves by `authorization`, so it is another one. */
const TOKEN_HEADER = 'x-person-token';
const PREFIX = '/api/command-line';
const CODE_PATH = /^\/api\/command-line\/([A-Z]{4}-[A-Z]{4})$/;
/** How often a command line may ask, s. */
const EVERY_S = 2;

export class CommandRoutes {
  readonly #parts: ApiParts;
  readonly #attempts: Attempts;

  constructor(parts: ApiParts, attempts: Attempts) {
    this.#parts = parts;
    this.#attempts = attempts;
  }

  /** The token of a command line; `null`: none was sent. */
  tokenOf(exchange: Exchange): string | null {
    return headerText(exchange, TOKEN_HEADER);
  }

  /** Who has a token. `isUse`: a new request, and no open stream. Throws 401 UNAUTHORIZED. */
  signedIn(token: string, isUse: boolean): Promise<SignedIn> {
    return this.#parts.signIn.commandSignedIn(token, isUse);
  }

  /** Whether a request is of a command line that is not signed in yet. */
  isBeginning({ method, path }: Exchange): boolean {
    return method === 'POST' && (path === PREFIX || path === `${PREFIX}/token`);
  }

  /** Answers a command line that asks to be signed in, and then whether it is. */
  async begin(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { signIn, body } = this.#parts;
    const { secret, machine } = objectOf(await readJson(exchange, body, invalidBody));
    if (exchange.path === PREFIX) {
      // A person decides by what the page shows of it.
      if (typeof machine === 'string' && !ONE_LINE.test(machine))
        throw refusal('INVALID_BODY', '`machine` is one line of text, without control characters');
      this.#attempts.noteRequest(address);
      const from = { ...signInFrom(exchange, address), ...(typeof machine === 'string' ? { agent: machine } : {}) };
      const { request, secret: made } = await signIn.request(from);
      return shown({
        ok: true,
        code: request.code,
        secret: made,
        page: `${place.origin}/confirm`,
        until: timeOf(request.until),
        everyS: EVERY_S,
      });
    }
    if (typeof secret !== 'string') throw refusal('INVALID_BODY', 'A command line asks for its token by `{"secret": …}`');
    const token = await signIn.byRequest(secret);
    if (token === null) return shown({ ok: true, waiting: true });
    const { person, session } = await signIn.commandSignedIn(token, true);
    return shown({ ok: true, token, name: person.name, until: timeOf(session.until) });
  }

  /** What a person does on the page with a code; `null`: the request is another one. */
  async answer({ method, path }: Exchange, signedIn: SignedIn): Promise<Answer | null> {
    const [, code] = CODE_PATH.exec(path) ?? [];
    if (code === undefined) return null;
    const { signIn } = this.#parts;
    const request = await this.#attempts.ofPerson(signedIn.person.id, () => signIn.requested(code));
    if (method === 'GET') return shown({ ok: true, machine: request.agent, address: request.address, until: timeOf(request.until) });
    if (method !== 'POST' && method !== 'DELETE') return null;
    await (method === 'POST' ? signIn.confirm(code, signedIn) : signIn.refuse(code));
    return shown({ ok: true } satisfies JsonObject);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
