import { type Result, SavepointError, success } from './errors.ts';

/**
 * Checks what a game passes in before anything is done with it. So a wrong argument is refused by its name, and causes no obscure failure
 * later.
 */

type Kind = 'string' | 'number' | 'boolean' | 'function' | 'object';

/** Names of options, whatever takes them, by the kind that they are of. */
const KINDS: Readonly<Record<Kind, string>> = {
  string:
    'url cdnUrl apiVersion projectId publicKey secretKey publishTarget clientType idempotencyKey key record field cursor order name host',
  number: 'timeoutMs retries revision ifVersion limit offset around keptHours',
  boolean: 'sessions encryption own',
  function: 'credentials log fetch onError onSettled',
  object: 'json storage signal',
};

/** An empty key would be none, and the write might happen twice. */
const SENDABLE = /^[\x20-\x7e]+$/;

/** Throws `INVALID_ARGUMENT` unless it is of this kind. Neither NaN nor the infinite ones are numbers here. */
export function requireKind(name: string, given: unknown, kind: Kind): void {
  const fits = kind === 'number' ? Number.isFinite(given) : typeof given === kind && given !== null;
  if (!fits)
    throw new SavepointError(
      'INVALID_ARGUMENT',
      `\`${name}\` is of the type ${kind}, and not ${given instanceof Object ? typeof given : String(given)}`,
    );
}

/** The same of each option that is given. */
export function requireOptions(options: unknown): void {
  if (options === undefined) return;
  requireKind('options', options, 'object');
  for (const [name, given] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (given === undefined || given === null) continue;
    const [kind] = Object.entries(KINDS).find(([, names]) => names.split(' ').includes(name)) ?? [];
    if (kind !== undefined) requireKind(name, given, kind as Kind);
    if (name === 'idempotencyKey' && !SENDABLE.test(String(given)))
      throw new SavepointError('INVALID_ARGUMENT', `"${given}" is no idempotency key: a text of ASCII, and not an empty one`);
    if (name === 'signal') requireKind('signal.aborted', (given as { readonly aborted?: unknown }).aborted, 'boolean');
  }
}

/** The same of a player: its id, or an object that holds it. A number is none: ids are longer than numbers are exact. */
export function requirePlayer(given: unknown): void {
  if (given === undefined || given === null || typeof given === 'string') return;
  requireKind('player', given, 'object');
  requireKind('player.id', (given as { readonly id?: unknown }).id, 'string');
}

/** The same of a client, which functions of this library are given. */
export function requireClient(given: unknown): void {
  requireKind('client', given, 'object');
  requireKind('client.connection', (given as { readonly connection?: unknown }).connection, 'object');
}

/** The outcome of a check, as a value. */
export function looked(look: () => void): Result<void> {
  try {
    return success(look());
  } catch (error) {
    if (error instanceof SavepointError) return { ok: false, error };
    throw error;
  }
}
