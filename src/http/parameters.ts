import { z } from 'zod';
import { BASES } from '../contract/families.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes/index.ts';
import { refusal } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { type Exchange, headerText, queryOf, queryText } from './exchange.ts';
import { isReservedQuery } from './names.ts';

/** Query parameters that no route serves. All parameters of endpoint calls are allowed: they are the endpoint's input. */

/** Parameters that ask for another time than now. If one were ignored, the answer would be of now and look like one of that time. */
const OF_ANOTHER_TIME = /(?:^|&)(?:at|asof|as_of|atrevision|revision)=/i;

/** Parameters that ask for a dry run. If one were ignored, the change would be made. */
const DRY_RUN = /(?:^|&)(dry[-_]?run)(?=[=&]|$)/i;
/** Routes that serve `dryRun`, and those that change nothing anyway. */
const SERVE_DRY_RUN = pathsOf(({ query = {} }) => 'dryRun' in query);
const CHANGE_NOTHING = pathsOf(({ family, writes = false }) => family === 'manage' && !writes);

/** `live` and `noCache` are older words for `fresh`. */
const SERVED = [...new Set([...routes.flatMap(({ query = {} }) => Object.keys(query)), 'live', 'noCache'])];
const KNOWN: ReadonlySet<string> = new Set(SERVED);

/** Query parameters that are numbers, by the route that serves them. */
const NUMBERS = routes.flatMap((route) => {
  const numbers = Object.entries(route.query ?? {}).flatMap(([name, schema]) => {
    const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
    return inner instanceof z.ZodNumber ? [{ name, schema: inner }] : [];
  });
  return numbers.length === 0 ? [] : [{ called: patternOf([route]), numbers }];
});

/**
 * Throws 400 UNKNOWN_PARAMETER for a parameter that would change what is asked for. With `strict=true` it throws for every parameter that no
 * route serves, and for a number that cannot be read or is out of its range. Others are ignored: tools add their own, and names that begin with `_` are always theirs.
 */
export function requireServed(exchange: Exchange): void {
  const { search } = exchange;
  if (search === '') return;
  const match = OF_ANOTHER_TIME.exec(search);
  if (match !== null)
    throw unknown(match[0].replace(/[&=]/g, ''), 'Answers are of now: nothing here is served as of another time or revision.');
  requireServedDryRun(exchange);
  if (!search.includes('strict=true')) return;
  for (const name of Object.keys(queryOf(exchange))) {
    if (KNOWN.has(name) || isReservedQuery(name) || name.startsWith('_')) continue;
    throw unknown(name, didYouMean(name, SERVED) ?? 'No route serves it.');
  }
  requireNumbers(exchange);
}

/** Otherwise the default would be taken for a number that cannot be read, and the nearest for one out of range. */
function requireNumbers(exchange: Exchange): void {
  const called = `${exchange.method} ${exchange.location}`;
  for (const { name, schema } of NUMBERS.find((route) => route.called.test(called))?.numbers ?? []) {
    const text = queryText(exchange, name);
    if (text === null || (/^-?\d{1,15}$/.test(text) && schema.safeParse(Number(text)).success)) continue;
    const { minValue, maxValue } = schema;
    const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maxValue}`;
    throw refusal('UNKNOWN_PARAMETER', `\`${name}\` must be a whole number from ${minValue}${most}`);
  }
}

function requireServedDryRun({ search, method, location }: Exchange): void {
  const name = DRY_RUN.exec(search)?.[1];
  if (name === undefined || method === 'GET' || method === 'HEAD') return;
  const called = `${method} ${location}`;
  if (CHANGE_NOTHING.test(called) || (name === 'dryRun' && SERVE_DRY_RUN.test(called))) return;
  throw unknown(name, 'promote, rollback and discard take `dryRun=true`; for a push there is `sync/preflight`.');
}

/** Methods and paths of some routes of the contract, as one pattern. */
function pathsOf(isMeant: (route: Route) => boolean): RegExp {
  return patternOf(routes.filter(isMeant));
}

function patternOf(meant: readonly Route[]): RegExp {
  const paths = meant.flatMap(({ method, family, also = [], path }) =>
    [family, ...also].map((served) => `${method} ${BASES[served]}${path.replaceAll(/:[^/]+/g, '[^/]+')}`),
  );
  return new RegExp(`^(?:${paths.join('|')})$`, 'i');
}

const TARGETS: ReadonlySet<string> = new Set(['live', 'next']);

/**
 * Throws 400 UNKNOWN_PARAMETER for a publish target that is neither live nor next: taken for live, a misspelt one would change what players see.
 */
export function requireTarget(exchange: Exchange): void {
  const { search, headers } = exchange;
  if (headers['x-ns-publish-target'] !== undefined) checkTarget('x-ns-publish-target', headerText(exchange, 'x-ns-publish-target'));
  if (search.includes('revisionTarget')) checkTarget('revisionTarget', queryText(exchange, 'revisionTarget'));
}

function checkTarget(name: string, sent: string | null): void {
  const target = sent?.trim().toLowerCase() ?? '';
  if (target === '' || TARGETS.has(target)) return;
  throw refusal('UNKNOWN_PARAMETER', `\`${name}\` must be live or next; nothing was done for '${target.slice(0, 40)}'`);
}

function unknown(name: string, why: string): Error {
  return refusal('UNKNOWN_PARAMETER', `The parameter '${name}' is not served. ${why}`);
}
