import { lineOf } from '../contract/values.ts';
import { missingReveal } from '../domain/access/refusals.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import type { EventStream } from './event-stream.ts';
import { type Exchange, headerText } from './exchange.ts';

/** Why a person asks for personal values, and for how long that counts. */

const LONGEST_REASON = 256;

/** The reason that the header gives, percent-encoded; `undefined`: personal values are not asked for. Throws 400 INVALID_REQUEST. */
export function reasonOf(exchange: Exchange): string | undefined {
  const sent = headerText(exchange, 'x-ns-reveal');
  if (sent === null) return undefined;
  const reason = reasonIn(decoded(sent));
  if (reason === undefined)
    throw refusal('INVALID_REQUEST', `x-ns-reveal is a reason: one line of 1 to ${LONGEST_REASON} characters, percent-encoded`);
  return reason;
}

const REASON = lineOf(LONGEST_REASON);

/** A text that can be a reason: auditors read it as one line. */
export function reasonIn(text: unknown): string | undefined {
  const read = REASON.safeParse(text);
  return read.success ? read.data : undefined;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Whether a person is shown personal values for a reason, which is recorded with the answer. */
export function isRevealed(exchange: Exchange): boolean {
  return exchange.person !== null && reasonOf(exchange) !== undefined;
}

/** Whether a person asks who is shown masks. */
export function isMasked(exchange: Exchange): boolean {
  return exchange.person !== null && reasonOf(exchange) === undefined;
}

/** Throws 403 FORBIDDEN where a person is shown personal values and may not, or may not any more. */
export async function requireReveal(exchange: Exchange, project: string): Promise<void> {
  if (!isRevealed(exchange)) return;
  const person = await exchange.person?.();
  const refused = missingReveal(person?.permissionsIn(project));
  if (refused !== null) throw refused;
}

/** How long a stream shows personal values for one reason, ms. Then whoever follows it gives the reason anew, which is recorded. */
const REVEALED_MS = 10 * 60_000;
/** How often it is looked whether the person still may, ms. */
const CHECK_MS = 1_000;

/** Ends a stream in time that shows personal values, and at once where the person may not see them any more. */
export function endRevealedInTime(exchange: Exchange, project: string, stream: EventStream): void {
  if (!isRevealed(exchange)) return;
  const end = () => stream.end();
  const timer = setTimeout(end, REVEALED_MS).unref();
  const checks = setInterval(() => {
    // A failure of the node says nothing about the person.
    requireReveal(exchange, project).catch((error: unknown) => {
      if (error instanceof Refusal && error.status < 500) end();
    });
  }, CHECK_MS).unref();
  stream.body.once('close', () => {
    clearTimeout(timer);
    clearInterval(checks);
  });
}
