import { z } from 'zod';
import { BASES } from '../contract/families.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes/index.ts';
import { isReservedQuery } from '../domain/security/reserved-queries.ts';
import { refusal } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { type Exchange, headerText, queryOf, queryText } from './exchange.ts';

/** Refuses query parameters that no route serves. Endpoint calls may have any, because they are the endpoint's input. */

/** Parameters that ask for a past state. If one were ignored, the present state would look like that of the past. */
const PAST_STATE = /(?:^|&)(?:at|asof|as_of|atrevision|revision)=/gi;
/** Reads, the most literal first, which wins: `…/{collection}/list` is no document. */
const READS = routes
  .filter(({ method }) => method === 'GET')
  .map((route) => ({ called: patternOf([route]), isOfPast: 'at' in (route.query ?? {}), parameters: route.path.split('/:').length }))
  .sort((one, other) => one.parameters - other.parameters);

/** Parameters that ask for a dry run. If one were ignored, the change would be made. */
const DRY_RUN = /(?:^|&)(dry[-_]?run)(?=[=&]|$)/i;
/** Routes that serve `dryRun`, and those that change nothing anyway. */
const DRY_RUN_ROUTES = pathsOf(({ query = {} }) => 'dryRun' in query);
const READ_ONLY_ROUTES = pathsOf(({ family, writes = false }) => family === 'manage' && !writes);

/** `live` and `noCache` are older words for `fresh`. */
const SERVED_NAMES = [...new Set([...routes.flatMap(({ query = {} }) => Object.keys(query)), 'live', 'noCache'])];
const KNOWN: ReadonlySet<string> = new Set(SERVED_NAMES);

/** Query parameters that are numbers, by the route that serves them. */
const NUMBERS = routes.flatMap((route) => {
  const numbers = Object.entries(route.query ?? {}).flatMap(([name, schema]) => {
    const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
    return inner instanceof z.ZodNumber ? [{ name, schema: inner }] : [];
  });
  return numbers.length === 0 ? [] : [{ called: patternOf([route]), numbers }];
});

/**
 * Throws 400 UNKNOWN_PARAMETER for a parameter that would change the meaning of a request; with `strict=true` for every parameter that no
 * route serves, and for an invalid number. Others are ignored, because tools add their own. Names that begin with `_` always belong to
 * tools.
 */
export function requireKnownParameters(exchange: Exchange): void {
  const { search } = exchange;
  if (search === '') return;
  requireServedMoment(exchange);
  requireServedDryRun(exchange);
  if (!search.includes('strict=true')) return;
  for (const name of Object.keys(queryOf(exchange))) {
    if (KNOWN.has(name) || isReservedQuery(name) || name.startsWith('_')) continue;
    throw unknown(name, didYouMean(name, SERVED_NAMES) ?? 'No route serves it.');
  }
  requireNumbers(exchange);
}

function requireServedMoment(exchange: Exchange): void {
  const { search, method, location } = exchange;
  const asked = [...search.matchAll(PAST_STATE)].map(([name]) => name.replace(/[&=]/g, ''));
  const other = asked.find((name) => name !== 'at');
  if (other !== undefined) throw unknown(other, '`at` reads a document, a ledger, a list, values, definitions or settings as of a moment.');
  if (asked.length === 0) return;
  const called = `${method} ${location}`;
  if (READS.find((route) => route.called.test(called))?.isOfPast !== true) throw unknown('at', 'This route answers of now alone.');
  if (asked.length > 1 || queryText(exchange, 'at') === null)
    throw refusal('INVALID_AT', '`at` must name one moment: a revision of the log, or an ISO time with its zone');
}

/** Refuses invalid numbers, for which the default or the nearest allowed number would be used otherwise. */
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
  if (READ_ONLY_ROUTES.test(called) || (name === 'dryRun' && DRY_RUN_ROUTES.test(called))) return;
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
 * Throws 400 UNKNOWN_PARAMETER for a publish target other than live and next. A misspelt one must not count as live, which players see.
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
