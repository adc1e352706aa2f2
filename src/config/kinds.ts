import { isIP } from 'node:net';
import { z } from 'zod';

/** Reads and describes one kind of value. */
export interface Kind<T> {
  readonly allowed: string;
  readonly parse: z.ZodType<T, string | undefined>;
  readonly secret?: Secrecy;
}

/** How much of a value messages must hide; `partly`: the password of an address. */
export type Secrecy = 'no' | 'partly' | 'whole';

export const KIB = 1024;
export const MIB = 1024 * KIB;
const UNITS: Readonly<Record<string, number>> = { '': 1, KiB: KIB, MiB: MIB, GiB: 1024 * MIB };

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number, unit = ''): Kind<number> {
  const number = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
  return { allowed: `a whole number${unit === '' ? '' : ` of ${unit}`} from ${min} to ${max}`, parse: number };
}

export function optionalWholeNumber(min: number, max: number): Kind<number | null> {
  const { allowed, parse } = wholeNumber(min, max);
  return { allowed, parse: parse.optional().transform((number) => number ?? null) };
}

/** A size in bytes, which may be written with a unit: `768 KiB`. */
export function bytes(min: number, max: number): Kind<number> {
  const parse = z
    .string()
    .regex(/^\d{1,15} ?(KiB|MiB|GiB)?$/)
    .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/[\d ]/g, '')] ?? Number.NaN))
    .pipe(z.number().min(min).max(max));
  return { allowed: `bytes, or a number with KiB, MiB or GiB, from ${sizeText(min)} to ${sizeText(max)}`, parse };
}

/** Bytes as a person writes them, such as `768 KiB`. */
export function sizeText(size: number): string {
  const unit = ['GiB', 'MiB', 'KiB'].find((name) => size % (UNITS[name] ?? 1) === 0);
  return unit === undefined ? String(size) : `${size / (UNITS[unit] ?? 1)} ${unit}`;
}

export function choice<const T extends string>(...options: readonly [T, ...T[]]): Kind<T> {
  return { allowed: `one of ${options.join(', ')}`, parse: z.enum(options) };
}

/** A text that fits a pattern, which `allowed` describes. */
export function matching(pattern: RegExp, allowed: string): Kind<string> {
  return { allowed, parse: z.string().regex(pattern) };
}

/** A server's address, or `null`. It may contain a password, so it is never shown whole. `clear`: another pattern that it must match. */
export function address(schemes: readonly string[], allowed: string, clear = /^/): Kind<string | null> {
  const fits = (text: string) => clear.test(text) && URL.canParse(text) && schemes.includes(new URL(text).protocol);
  return {
    allowed,
    secret: 'partly',
    parse: z
      .string()
      .refine(fits)
      .optional()
      .transform((text) => text ?? null),
  };
}

/** A text that fits a pattern, or `null` if it is not set. */
export function optional(pattern: RegExp, allowed: string): Kind<string | null> {
  const parse = z
    .string()
    .regex(pattern)
    .optional()
    .transform((text) => text ?? null);
  return { allowed, parse };
}

export function optionalText(most: number): Kind<string | null> {
  return optional(new RegExp(`^.{1,${most}}$`), `a text of at most ${most} characters`);
}

/** A secret, long enough that nobody can guess it from its signatures. */
export const secretText: Kind<string | null> = { ...optional(/^.{16,1000}$/, 'a text of 16 to 1000 characters'), secret: 'whole' };

/** A secret that somebody else has made. */
export const issuedSecret: Kind<string | null> = { ...optional(/^.{1,1000}$/, 'a text of at most 1000 characters'), secret: 'whole' };

const LOOPBACK = /^(?:127\.[\d.]+|\[::1\]|localhost|[a-z0-9.-]+\.localhost)$/;

/** The address of an issuer of tokens, or `null`: of TLS, or of this machine. */
export const issuer: Kind<string | null> = {
  allowed: 'https://host/path as the issuer writes it, without a ? or #; http:// of this machine alone',
  parse: z
    .string()
    .refine(isIssuer)
    .optional()
    .transform((text) => text ?? null),
};

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** Domains of e-mail addresses; `none` for an empty list. */
export const domains: Kind<readonly string[]> = {
  allowed: 'domains such as game.example, with commas between, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim().toLowerCase())))
    .pipe(z.array(z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/))),
};

/** Addresses and networks; `none` for an empty list. */
export const networks: Kind<readonly string[]> = {
  allowed: 'IP addresses and networks such as 10.0.0.0/8, with commas between, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine(isNetwork))),
};

/** An address to listen on. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

/** An address and a port to listen on, or `off`. */
export const listening: Kind<Listening | null> = {
  allowed: 'an address and a port, such as 127.0.0.1:8090 or [::1]:8090, or off',
  parse: z
    .string()
    .regex(/^(?:off|(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5})$/)
    .transform((text) => (text === 'off' ? null : { host: hostOf(text), port: Number(text.slice(text.lastIndexOf(':') + 1)) }))
    .pipe(z.object({ host: z.string(), port: z.number().max(65_535) }).nullable()),
};

function hostOf(text: string): string {
  return text.slice(0, text.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}

/** Origins as browsers name them: scheme, host and port, no path. */
export const origins: Kind<readonly string[]> = {
  allowed:
    'whole origins such as https://game.example or capacitor://localhost (no https://*.game.example), with commas between, * alone for every one, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine(isOrigin))),
};

/** What web views of apps name as their origin; to the parser of addresses these schemes have none. */
const APP_ORIGIN = /^(?:capacitor|ionic|tauri):\/\/[a-z0-9.-]+(?::\d+)?$/;

/** A pattern such as `https://*.games.example` is none: it would match no page. */
function isOrigin(text: string): boolean {
  if (text === '*' || APP_ORIGIN.test(text)) return true;
  return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}

/** Prefixes of addresses, normalised for comparison; `none` for an empty list. */
export const prefixes: Kind<readonly string[] | null> = {
  allowed: 'http(s) addresses that end in /, with commas between, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine(isPrefix)))
    .optional()
    .transform((list) => list ?? null),
};

/** A prefix needs a path, or `https://a.example` would also allow `https://a.example.org`. */
function isPrefix(text: string): boolean {
  if (!URL.canParse(text) || !text.endsWith('/')) return false;
  const { href, protocol, username, password } = new URL(text);
  return href === text && (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function isNetwork(text: string): boolean {
  const [host = '', length, ...rest] = text.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1;
  if (longest === -1 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= longest);
}

export const pattern: Kind<string> = {
  allowed: 'a regular expression of at most 200 characters',
  parse: z.string().max(200).refine(isPattern),
};

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
