import type { ListingOf } from '../../app/app.ts';
import { ANY_SECRET_KEY } from '../../contract/credentials.ts';
import { type collections, gameValues, rateLimitRules } from '../../contract/routes/definitions.ts';
import { projectFacts } from '../../contract/routes/project.ts';
import type { ListedKind, SingleKind } from '../../domain/kinds.ts';
import { notFound } from '../../kernel/errors.ts';
import { present } from '../credentials.ts';
import type { Context } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { type Answering, answering, type RequestOf } from '../request.ts';
import { managed, type Services } from './services.ts';

type Listed = typeof collections;

/** Answers for a kind of which a project has many definitions. Queries have fewer routes. */
export function listedAnswers({ app: { manage, past } }: Services, kind: ListedKind): Answering<Listed> {
  const upsertMany: Answering<Listed>['put'] = async ({ caller, body, target, query }) => {
    const answer = await manage.upsertMany(caller, kind, body, { target, replaceAll: query.replaceAll, strict: query.strict });
    // The work is done before the answer, so a client that asks for a job gets a finished one.
    if (!query.async) return managed(answer);
    return managed({ ...answer, result: { ...answer.result, jobId: String(answer.position) } });
  };
  return {
    put: upsertMany,
    post: upsertMany,
    patch: async ({ caller, body, target, query }) => managed(await manage.upsertOne(caller, kind, body, target, query.strict)),
    remove: async ({ caller, params, target }) => managed(await manage.remove(caller, kind, params.id, target)),
    list: async (request) => {
      const { caller, query } = request;
      if (query.at !== null) return managed(await past.list(caller, kind, listingOf(request), query.at));
      return managed(await manage.list(caller, kind, listingOf(request)));
    },
  };
}

export function gameValuesHandlers(services: Services): Handlers<typeof gameValues> {
  return answering(services, gameValues, {
    ...singleAnswers(services, 'game-values'),
    list: async (request) => {
      const { caller, query } = request;
      if (query.at !== null) return managed(await services.app.past.gameValues(caller, listingOf(request), query.at));
      return managed(await services.app.manage.gameValues(caller, listingOf(request)));
    },
  });
}

export function rateLimitRulesHandlers(services: Services): Handlers<typeof rateLimitRules> {
  return answering(services, rateLimitRules, {
    ...singleAnswers(services, 'rate-limit-rules'),
    list: async (request) => {
      const { caller, query } = request;
      if (query.at !== null) return managed(await services.app.past.rateLimitRules(caller, listingOf(request), query.at));
      return managed(await services.app.manage.rateLimitRules(caller, listingOf(request)));
    },
  });
}

type Single = Pick<typeof gameValues, 'put' | 'post' | 'remove'>;

/** Answers shared by the kinds of which a project has one document. */
function singleAnswers({ app: { manage } }: Services, kind: SingleKind): Answering<Single> {
  const put: Answering<Single>['put'] = async ({ caller, body, target, query }) =>
    managed(await manage.putSingle(caller, kind, body, target, query.strict));
  // Tools send a body with DELETE. It is not read.
  return { put, post: put, remove: async ({ caller, target }) => managed(await manage.removeSingle(caller, kind, target)) };
}

export function projectFactHandlers(services: Services): Handlers<typeof projectFacts> {
  const { app } = services;
  return answering(services, projectFacts, {
    validate: async ({ caller, headers }) => managed(await app.manage.validate(caller, headers['x-public-key'])),

    async flags({ caller, target, query: { platformId: player, limit, before } }) {
      return managed(await app.flags(caller, target, { player, limit, before }));
    },
  });
}

const PROJECT_PATH = /^\/v3\/manage\/([^/]+)\//;

/**
 * Refuses a path that no route matches. The credentials of a POST are not checked; other methods learn only with a valid key that the path
 * is unknown.
 */
export async function unknownManagementRoute(ctx: Context, { app }: Services): Promise<never> {
  const { exchange } = ctx.state;
  const project = PROJECT_PATH.exec(exchange.location)?.[1];
  if (project === undefined || exchange.method === 'POST' || exchange.method === 'OPTIONS') throw notFound('route');
  await app.authenticate(decodeURIComponent(project), present(exchange, { keys: ANY_SECRET_KEY }));
  throw notFound('route');
}

function listingOf({ target, query, headers }: RequestOf<Listed['list']>): ListingOf {
  const includeStaged = /^(?:true|1)$/i.test(query.includeStaged ?? '');
  if (target === 'next') return { includeStaged, target };
  const named = query.revisionTarget ?? headers['x-ns-publish-target'];
  return { includeStaged, target: named?.trim().toLowerCase() === 'live' ? 'live' : null };
}
