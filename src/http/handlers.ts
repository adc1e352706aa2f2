import Router from '@koa/router';
import type { App } from '../app/app.ts';
import { BASES, eachFamily, type Family } from '../contract/families.ts';
import type { AnswerOf, ParamOf, QueryOf, Route } from '../contract/route.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import type { Answer } from './answer.ts';
import type { Context, State, WithParams, WithQuery } from './exchange.ts';
import { gated } from './person-gate.ts';

/** Handlers by route of the contract. Each handler is typed by its route, and a group of routes needs a handler for each of them. */

/** The context of a handler. It can read the parameters of its own route only. */
export type ContextOf<R extends Route> = Context & WithParams<ParamOf<R>> & WithQuery<QueryOf<R>>;

export type Handler<R extends Route> = (ctx: ContextOf<R>) => Awaitable<AnswerOf<R>>;

/** Routes by name, as a file of the contract exports them. */
export type Group = Readonly<Record<string, Route>>;

export type Handlers<G extends Group> = { readonly [Name in keyof G]: Handler<G[Name]> };

/** Routers by family. */
export type Routers = Readonly<Record<Family, Router<State>>>;

/**
 * One router per family, so a request is matched against few patterns. Literals match in any letter case; a trailing slash never matches.
 */
export function familyRouters(): Routers {
  return eachFamily((family) => new Router<State>({ prefix: BASES[family], strict: true, sensitive: false }));
}

/** Registers the handlers of a group under every family that serves its routes. */
export type Mount = <G extends Group>(group: G, handlers: Handlers<G>) => void;

/** The only way to serve a route: what people ask passes the gate, whatever the route. */
export function mountOn(routers: Routers, app: Pick<App, 'looks' | 'authenticate'>): Mount {
  return (group, handlers) => {
    for (const [name, route] of Object.entries(group)) {
      // The handler's type says more of context and answer than the router knows.
      const handle = gated(app, route, handlers[name] as unknown as (ctx: Context) => Awaitable<Answer>);
      for (const family of [route.family, ...(route.also ?? [])]) {
        routers[family].register(route.path, [route.method], [handle]);
      }
    }
  };
}
