import { andThen } from '../kernel/awaitable.ts';
import { notFound } from '../kernel/errors.ts';
import type { RoundRobin } from '../kernel/round-robin.ts';
import { locate } from './aliases.ts';
import { type Answer, respondInTurn } from './answer.ts';
import type { Buckets } from './buckets.ts';
import type { Context, Middleware } from './exchange.ts';
import { requireKnownParameters, requireTarget } from './parameters.ts';
import type { Families } from './routes/families.ts';

/** Finds the family of a request's path, and counts the request in the bucket of its address. Throws 404 or 429. */
export function limits(buckets: Buckets | null, wholeV1: boolean): Middleware {
  return (ctx, next) => {
    const { exchange } = ctx.state;
    const location = locate(exchange.path, wholeV1);
    if (!location) throw notFound('route');
    exchange.family = location.prefix.family;
    exchange.location = location.path;
    buckets?.take(exchange.req, location.prefix.group);
    return next();
  };
}

/** Runs the route's handler, which checks the credentials first. `turns`: of projects, in which answers are printed. */
export function routes(families: Families, turns: RoundRobin): Middleware {
  return (ctx) => {
    const { exchange } = ctx.state;
    if (exchange.family !== 'endpoints') requireKnownParameters(exchange);
    if (exchange.family !== 'canary' && exchange.family !== 'system') requireTarget(exchange);
    // Koa's context becomes the router's: the family sets `params`.
    const context = ctx as Context;
    const answer = (found: Answer) => respondInTurn(ctx, found, String(context.params?.['project'] ?? ''), turns);
    return andThen(families[exchange.family](context), answer);
  };
}
