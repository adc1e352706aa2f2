import { type Result, SavepointError, success } from './errors.ts';
import type { ClientOptions } from './options.ts';

/**
 * Checks of the arguments that a game passes. A wrong argument is refused at once and by its name, so that it causes no obscure failure
 * later.
 */

type Kind = 'string' | 'number' | 'boolean' | 'function' | 'object';

/** The options of a client: the kind of each, or its values if it has a few; `any`: it has a check of its own. */
const OF_CLIENTS: { readonly [Name in keyof Required<ClientOptions>]: Kind | 'any' | readonly string[] } = {
  url: 'string',
  cdnUrl: 'string',
  apiVersion: ['v3'],
  projectId: 'string',
  publicKey: 'string',
  secretKey: 'string',
  player: 'any',
  credentials: 'function',
  publishTarget: ['live', 'next'],
  clientType: ['game', 'editor', 'dedicated'],
  revision: 'number',
  packageIdent: 'string',
  analytics: 'function',
  sessions: 'boolean',
  encryption: 'boolean',
  timeoutMs: 'number',
  maxAnswerBytes: 'number',
  retries: 'number',
  log: 'function',
  json: 'object',
  fetch: 'function',
};

/** Names of all other options, by kind. An option has the same kind wherever it occurs. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'idempotencyKey key record field cursor order name host',
  number: 'ifVersion limit offset around keptHours',
  boolean: 'own',
  function: 'onError onSettled onCreateNewGame onJoinNewLobby onContinuePlaying onDismiss',
  object: 'storage signal',
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
    requireKindOf(name, given);
    // A server takes any other number for none, and the game would never be outdated.
    if (name === 'revision' && !/^\d+$/.test(String(given)))
      throw new SavepointError('INVALID_ARGUMENT', `"${given}" is not a revision: it must be a whole number`);
    if (name === 'idempotencyKey' && !PRINTABLE_ASCII.test(String(given)))
      throw new SavepointError('INVALID_ARGUMENT', `"${given}" is not an idempotency key: it must be printable ASCII, and not empty`);
    if (name === 'signal') requireKind('signal.aborted', (given as { readonly aborted?: unknown }).aborted, 'boolean');
  }
}

function requireKindOf(name: string, given: unknown): void {
  const [listed] = Object.entries(KINDS).find(([, names]) => names.split(' ').includes(name)) ?? [];
  const kind = listed ?? new Map(Object.entries(OF_CLIENTS)).get(name) ?? 'any';
  if (kind === 'any') return;
  if (typeof kind === 'string') requireKind(name, given, kind as Kind);
  else if (!kind.includes(String(given)))
    throw new SavepointError('INVALID_ARGUMENT', `\`${name}\` must be one of ${kind.join(', ')}, and not ${String(given)}`);
}

/** Checks the options of a client. A misspelt one is refused, because it would have no effect. */
export function requireClientOptions(options: unknown): void {
  requireKind('options', options, 'object');
  const known = Object.keys(OF_CLIENTS);
  for (const name of Object.keys(Object(options))) {
    if (known.includes(name)) continue;
    const meant = known.find((each) => each.toLowerCase() === name.toLowerCase());
    throw new SavepointError('INVALID_ARGUMENT', `\`${name}\` is no option of a client${meant === undefined ? '' : `: \`${meant}\` is`}`);
  }
  requireOptions(options);
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
