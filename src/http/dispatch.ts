import type Router from '@koa/router';
import type { Awaitable } from '../kernel/awaitable.ts';
import { notFound } from '../kernel/errors.ts';
import type { Answer } from './answer.ts';
import type { Context, State } from './exchange.ts';

/** Runs the route of a request's path and method, and returns the handler's answer. */
export type Serve = (ctx: Context) => Awaitable<Answer>;

interface Route {
  readonly pattern: string;
  readonly regexp: RegExp;
  readonly names: readonly string[];
  readonly handle: Layer['stack'][number];
}

const NO_NEXT = (): Promise<void> => Promise.resolve();

export async function answerNotFound(): Promise<never> {
  throw notFound('route');
}

/**
 * A family's router as one function. The router holds the table, but its middleware composes a chain for every request, which took a sixth
 * of the request's time when measured. So this function searches the table itself: by method and length, then by pattern, literal segments
 * before parameters. Every route has one handler, which returns its answer.
 */
export function serve(router: Router<State>, unmatched: Serve): Serve {
  const table = tableOf(router.stack);
  return (ctx) => {
    const { exchange } = ctx.state;
    const routes = table.get(exchange.method)?.get(slashesIn(exchange.location));
    if (!routes) return unmatched(ctx);
    for (const route of routes) {
      const found = route.regexp.exec(exchange.location);
      if (!found) continue;
      exchange.route = route.pattern;
      ctx.params = paramsOf(route.names, found);
      return route.handle(ctx, NO_NEXT);
    }
    return unmatched(ctx);
  };
}

type Layer = Router<State>['stack'][number];

/** Routes by method, then by number of slashes: a pattern has as many as every path that it matches. */
function tableOf(layers: readonly Layer[]): ReadonlyMap<string, ReadonlyMap<number, readonly Route[]>> {
  const table = new Map<string, Map<number, Route[]>>();
  for (const layer of [...layers].sort((a, b) => a.paramNames.length - b.paramNames.length)) {
    const route = routeOf(layer);
    const slashes = slashesIn(String(layer.path));
    for (const method of layer.methods) {
      const byLength = table.get(method) ?? new Map<number, Route[]>();
      table.set(method, byLength.set(slashes, [...(byLength.get(slashes) ?? []), route]));
    }
  }
  return table;
}

function routeOf(layer: Layer): Route {
  const [handle] = layer.stack;
  if (!handle) throw new Error(`Route ${layer.path} has no handler`);
  const path = String(layer.path);
  if (/[*{]/.test(path)) throw new Error(`Route ${path} has a part that a path may lack, or of any length`);
  const names = layer.paramNames.map((key) => key.name);
  return { pattern: `${layer.methods.at(-1)} ${path}`, regexp: layer.regexp, names, handle };
}

function slashesIn(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count += 1;
  return count;
}

/** Decodes the parameters. The escapes are well-formed, because `locate` made them. */
function paramsOf(names: readonly string[], found: RegExpExecArray): Record<string, string> {
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index += 1) {
    const text = found[index + 1] ?? '';
    params[names[index] ?? ''] = text.includes('%') ? decodeURIComponent(text) : text;
  }
  return params;
}
