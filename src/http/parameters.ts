import { refusal } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { type Exchange, queryOf } from './exchange.ts';
import { isReservedQuery } from './names.ts';

/** Query parameters that no route serves. All parameters of endpoint calls are allowed: they are the endpoint's input. */

/** Parameters that ask for another time than now. If they were ignored, the answer would be of now and look like one of then. */
const OF_ANOTHER_TIME = /(?:^|&)(?:at|asof|as_of|atrevision|revision)=/i;

const SERVED = [
  ...[
    'limit',
    'offset',
    'around',
    'after',
    'before',
    'cursor',
    'field',
    'from',
    'to',
    'fresh',
    'live',
    'noCache',
    'format',
    'refresh',
    'cache',
  ],
  ...['replaceAll', 'async', 'strict', 'dryRun', 'force', 'follow', 'errors', 'slug', 'publicKey', 'saveVersion', 'topic', 'lastEventId'],
];
const KNOWN: ReadonlySet<string> = new Set(SERVED);

/**
 * Throws 400 UNKNOWN_PARAMETER for a parameter that would change what is asked for. With `strict=true` it throws for every parameter that no
 * route serves. Others are ignored: tools add their own, and names that begin with `_` are always theirs.
 */
export function requireServed(exchange: Exchange): void {
  const { search } = exchange;
  if (search === '') return;
  const match = OF_ANOTHER_TIME.exec(search);
  if (match !== null)
    throw unknown(match[0].replace(/[&=]/g, ''), 'Answers are of now: nothing here is served as of another time or revision.');
  if (!search.includes('strict=true')) return;
  for (const name of Object.keys(queryOf(exchange))) {
    if (KNOWN.has(name) || isReservedQuery(name) || name.startsWith('_')) continue;
    throw unknown(name, didYouMean(name, SERVED) ?? 'No route serves it.');
  }
}

function unknown(name: string, why: string): Error {
  return refusal('UNKNOWN_PARAMETER', `The parameter '${name}' is not served. ${why}`);
}
