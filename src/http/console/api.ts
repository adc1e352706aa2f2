import type { IssuerSignIn, SessionRow, SignIn } from '../../app/app.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Answer } from '../answer.ts';
import type { BodyBounds } from '../body.ts';
import { type Exchange, headerText } from '../exchange.ts';

/** What the routes under `/api` of the console have in common. */

export interface ApiParts {
  readonly signIn: SignIn;
  readonly body: BodyBounds;
  readonly version: string;
  /** Where people may sign in besides; `null`: nowhere. */
  readonly issuer: IssuerSignIn | null;
  /** Whether passwords sign in. */
  readonly passwords: boolean;
  /** Counts a request of a session. Throws 429 RATE_LIMITED for more than people and pages send. */
  countSession(id: string): void;
}

/** Whether a person asks. A page that nobody has touched for a while says so: what it asks by itself does not prolong the session. */
export function isAttended(exchange: Exchange): boolean {
  return headerText(exchange, 'x-console-unattended') === null;
}

/** From where somebody signs in. */
export function signInFrom(exchange: Exchange, address: string | null): { readonly agent: string; readonly address: string | null } {
  return { agent: headerText(exchange, 'user-agent') ?? '', address };
}

export function shown(body: object, headers: NonNullable<Answer['headers']> = {}): Answer {
  return { text: JSON.stringify(body), headers: { 'Cache-Control': 'no-store', ...headers } };
}

/** Sessions as they are listed. `current`: the one that asks. */
export function shownSessions(sessions: readonly SessionRow[], current: string | null): readonly JsonObject[] {
  const time = (ms: number) => new Date(ms).toISOString();
  return sessions.map(({ id, kind, createdAt, usedAt, until, agent, address }) => ({
    id,
    kind,
    createdAt: time(createdAt),
    usedAt: time(usedAt),
    until: time(until),
    agent,
    address,
    current: id === current,
  }));
}
