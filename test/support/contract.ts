import { z } from 'zod';
import { codesByStatus, Failure } from '../../src/contract/errors.ts';
import { BASES, type Family } from '../../src/contract/families.ts';
import type { Route } from '../../src/contract/route.ts';
import { routesOf } from '../../src/contract/routes/index.ts';
import { acceptMember } from '../../src/domain/wire-names.ts';
import { locate } from '../../src/http/aliases.ts';

/** Compares a server's answers with its contract, so that every test that sends a request over the wire also tests the contract. */

export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The route of a request. `null` if there is none, or for the canary route, which takes everything. */
function routeOf(method: string, target: string, wholeV1 = false): Route | null {
  const found = locate(target.split('?')[0] ?? '', wholeV1);
  if (found === null) return null;
  const { family } = found.prefix;
  const expected = method === 'HEAD' ? 'GET' : method;
  return (tables.get(family) ?? []).find(({ route, pattern }) => route.method === expected && pattern.test(found.path))?.route ?? null;
}

interface Row {
  readonly route: Route;
  readonly pattern: RegExp;
}

/** In the order in which the server looks them up: literals before parameters. */
const tables: ReadonlyMap<Family, readonly Row[]> = new Map(
  (Object.keys(BASES) as Family[]).map((family) => {
    const rows = routesOf(family).map((route) => ({ route, pattern: patternOf(BASES[family] + route.path) }));
    const parameters = ({ route }: Row) => route.path.split(':').length;
    return [family, rows.sort((a, b) => parameters(a) - parameters(b))];
  }),
);

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`, 'i');
}

/** What in an answer does not fit the contract; `null`: it fits. */
export function brokenContract(method: string, target: string, came: Came, wholeV1 = false): string | null {
  const route = routeOf(method, target, wholeV1);
  if (route === null || method === 'HEAD' || method === 'OPTIONS') return null;
  const problem = problemOf(route, came);
  return problem === null ? null : `${method} ${target} (${route.id}) answered ${came.status}: ${problem}\n${came.text.slice(0, 600)}`;
}

function problemOf(route: Route, { status, headers, text }: Came): string | null {
  const type = String(headers['content-type'] ?? '');
  if (status === 200 && route.texts?.[type] !== undefined) return null;
  // A proxy in between gave this answer.
  if (headers['x-correlation-id'] === undefined) return null;
  const body = parsed(text);
  if (body === undefined) return 'it is no JSON';
  const answer = route.answers[status];
  // The author of an endpoint may answer with any status and body.
  if (route.authored === true) return null;
  const said = outcomeOf(body);
  if (answer === undefined || (status === 200 && said.ok === false && said.code !== undefined && !fits(answer, body)))
    return refused(route, status, body);
  return fits(answer, body) ? null : faultOf(answer, body);
}

function refused(route: Route, status: number, body: unknown): string | null {
  if (!fits(Failure, body)) return faultOf(Failure, body);
  const { code, status: meant } = outcomeOf(neutral(body));
  const codes = codesByStatus(route).get(meant ?? status) ?? [];
  return codes.some((known) => known === code) ? null : `the contract has no ${meant ?? status} ${code} here`;
}

function fits(schema: z.ZodType, body: unknown): boolean {
  return schema.safeParse(body).success || schema.safeParse(neutral(body)).success;
}

function faultOf(schema: z.ZodType, body: unknown): string {
  const { error } = schema.safeParse(neutral(body));
  return error === undefined ? '' : z.prettifyError(error);
}

function outcomeOf(body: unknown): { readonly ok?: unknown; readonly code?: string; readonly status?: number } {
  const { ok, error, status } = Object(body);
  return { ok, code: Object(error).code, ...(typeof status === 'number' ? { status } : {}) };
}

const CODES = new Map([
  ['SBOX_AUTH_FAILED', 'PLATFORM_AUTH_FAILED'],
  ['AUTH_SESSION_STEAMID_MISMATCH', 'AUTH_SESSION_PLATFORMID_MISMATCH'],
  ['INVALID_STEAMID', 'INVALID_PLATFORMID'],
  ['MISSING_STEAM_ID', 'MISSING_PLATFORM_ID'],
]);

/** The same under the neutral names, which are the only ones in the contract. */
function neutral(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(neutral);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [acceptMember(name), name === 'code' ? (CODES.get(String(item)) ?? item) : neutral(item)]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
