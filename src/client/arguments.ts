import { type Result, SavepointError, success } from './errors.ts';
import type { ClientOptions } from './options.ts';

/**
 * Checks of the arguments that a game passes. A wrong argument is refused at once and by its name, so that it causes no obscure failure
 * later.
 */

type Kind = 'string' | 'number' | 'boolean' | 'function' | 'object';

/** Option names by kind. An option has the same kind wherever it occurs. */
const KINDS: Readonly<Record<Kind, string>> = {
  string:
    'url cdnUrl apiVersion projectId publicKey secretKey publishTarget clientType packageIdent idempotencyKey key record field cursor order name host',
  number: 'timeoutMs maxAnswerBytes retries revision ifVersion limit offset around keptHours',
  boolean: 'sessions encryption own',
  function: 'credentials log fetch analytics onError onSettled onCreateNewGame onJoinNewLobby onContinuePlaying onDismiss',
  object: 'json storage signal',
};

/** Keys that a header can carry. An empty key would count as no key, and the write might happen twice. */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Throws `INVALID_ARGUMENT` unless the value is of this kind. NaN and the infinities do not count as numbers. */
export function requireKind(name: string, given: unknown, kind: Kind): void {
  const fits = kind === 'number' ? Number.isFinite(given) : typeof given === kind && given !== null;
  if (!fits)
    throw new SavepointError(
      'INVALID_ARGUMENT',
      `\`${name}\` must be of the type ${kind}, and not ${given instanceof Object ? typeof given : String(given)}`,
    );
}

/** Checks each option that is given. */
export function requireOptions(options: unknown): void {
  if (options === undefined) return;
  requireKind('options', options, 'object');
  for (const [name, given] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (given === undefined || given === null) continue;
    const [kind] = Object.entries(KINDS).find(([, names]) => names.split(' ').includes(name)) ?? [];
    if (kind !== undefined) requireKind(name, given, kind as Kind);
    if (name === 'idempotencyKey' && !PRINTABLE_ASCII.test(String(given)))
      throw new SavepointError('INVALID_ARGUMENT', `"${given}" is not an idempotency key: it must be printable ASCII, and not empty`);
    if (name === 'signal') requireKind('signal.aborted', (given as { readonly aborted?: unknown }).aborted, 'boolean');
  }
}

/** The options of a client, each with its values if it has a few. */
const OF_CLIENTS: { readonly [Name in keyof Required<ClientOptions>]: readonly string[] | null } = {
  url: null,
  cdnUrl: null,
  apiVersion: ['v3'],
  projectId: null,
  publicKey: null,
  secretKey: null,
  player: null,
  credentials: null,
  publishTarget: ['live', 'next'],
  clientType: ['game', 'editor', 'dedicated'],
  revision: null,
  packageIdent: null,
  analytics: null,
  sessions: null,
  encryption: null,
  timeoutMs: null,
  maxAnswerBytes: null,
  retries: null,
  log: null,
  json: null,
  fetch: null,
};

/** Checks the options of a client. A misspelt one is refused, because it would have no effect. */
export function requireClientOptions(options: unknown): void {
  requireKind('options', options, 'object');
  requireOptions(options);
  const known = new Map<string, readonly string[] | null>(Object.entries(OF_CLIENTS));
  for (const [name, given] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    const choices = known.get(name);
    if (choices === undefined) {
      const meant = [...known.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
      throw new SavepointError('INVALID_ARGUMENT', `\`${name}\` is no option of a client${meant === undefined ? '' : `: \`${meant}\` is`}`);
    }
    if (choices !== null && given !== undefined && given !== null && !choices.includes(String(given)))
      throw new SavepointError('INVALID_ARGUMENT', `\`${name}\` must be one of ${choices.join(', ')}, and not ${String(given)}`);
  }
}

/** Checks a player: an id, or an object with one. Numbers are refused, because long ids are not exact as numbers. */
export function requirePlayer(given: unknown): void {
  if (given === undefined || given === null || typeof given === 'string') return;
  requireKind('player', given, 'object');
  requireKind('player.id', (given as { readonly id?: unknown }).id, 'string');
}

/** Checks a client that is passed to a function of this library. */
export function requireClient(given: unknown): void {
  requireKind('client', given, 'object');
  requireKind('client.connection', (given as { readonly connection?: unknown }).connection, 'object');
}

/** Runs a check and returns its outcome as a value. */
export function checkArguments(check: () => void): Result<void> {
  try {
    return success(check());
  } catch (error) {
    if (error instanceof SavepointError) return { ok: false, error };
    throw error;
  }
}
