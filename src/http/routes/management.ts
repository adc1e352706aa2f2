import type { ListingOf } from '../../app/app.ts';
import { ANY_SECRET_KEY } from '../../contract/credentials.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { type collections, gameValues, rateLimitRules } from '../../contract/routes/definitions.ts';
import { projectFacts } from '../../contract/routes/project.ts';
import type { ListedKind, SingleKind } from '../../domain/kinds.ts';
import { notFound } from '../../kernel/errors.ts';
import type { MakeRefusal } from '../body.ts';
import { authenticate, present, targetOf } from '../credentials.ts';
import { type Context, type Exchange, headerText, param, queryParam, queryText } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { flagOf, invalidResource, managed, presentBody, type Services } from './services.ts';

type Listed = typeof collections;

/** Handlers for a kind of which a project has many definitions. Queries have fewer routes. */
export function listedHandlers(
  { app, managementBody }: Services,
  kind: ListedKind,
  contract: Pick<Listed, 'list' | 'post' | 'remove'>,
): Handlers<Listed> {
  const invalid = invalidResource(kind);
  const upsertMany = async (ctx: ContextOf<Listed['put']>): Promise<AnswerOf<Listed['put']>> => {
    const caller = await authenticate(app, ctx, contract.post);
    const { exchange } = ctx.state;
    const body = await presentBody(exchange, managementBody, invalid);
    const options = { target: targetOf(exchange), replaceAll: replacesAll(exchange, kind, invalid), strict: flagOf(exchange, 'strict') };
    const answer = await app.manage.upsertMany(caller, kind, body, options);
    // The work is done before the answer, so a client that asks for a job gets a finished one.
    if (queryParam(ctx, 'async') !== 'true') return managed(answer);
    return managed({ ...answer, result: { ...answer.result, jobId: String(answer.position) } });
  };
  return {
    put: upsertMany,
    post: upsertMany,

    async patch(ctx) {
      const caller = await authenticate(app, ctx, contract.post);
      const body = await presentBody(ctx.state.exchange, managementBody, invalid);
      return managed(await app.manage.upsertOne(caller, kind, body, targetOf(ctx.state.exchange), flagOf(ctx.state.exchange, 'strict')));
    },

    async remove(ctx) {
      const caller = await authenticate(app, ctx, contract.remove);
      const id = param(ctx, 'id');
      if (id.trim() === '') throw invalid(`Missing route parameter '${kind}Id'.`);
      return managed(await app.manage.remove(caller, kind, id, targetOf(ctx.state.exchange)));
    },

    async list(ctx) {
      const caller = await authenticate(app, ctx, contract.list);
      return managed(await app.manage.list(caller, kind, listingOf(ctx.state.exchange)));
    },
  };
}

/** Whether a push replaces all definitions of its kind. Only a push of endpoints can; elsewhere it is refused. */
function replacesAll(exchange: Exchange, kind: ListedKind, invalid: MakeRefusal): boolean {
  const replaces = flagOf(exchange, 'replaceAll', undefined, invalid);
  if (replaces && kind !== 'endpoint') throw invalid('`replaceAll` is there for endpoints only; delete the others by their ids.');
  return replaces;
}

export function gameValuesHandlers(services: Services): Handlers<typeof gameValues> {
  return {
    ...singleHandlers(services, 'game-values', gameValues),
    async list(ctx) {
      const caller = await authenticate(services.app, ctx, gameValues.list);
      return managed(await services.app.manage.gameValues(caller, listingOf(ctx.state.exchange)));
    },
  };
}

export function rateLimitRulesHandlers(services: Services): Handlers<typeof rateLimitRules> {
  return {
    ...singleHandlers(services, 'rate-limit-rules', rateLimitRules),
    async list(ctx) {
      const caller = await authenticate(services.app, ctx, rateLimitRules.list);
      return managed(await services.app.manage.rateLimitRules(caller, listingOf(ctx.state.exchange)));
    },
  };
}

type Single = Pick<typeof gameValues, 'put' | 'post' | 'remove'>;

/** Handlers shared by the kinds of which a project has one document. */
function singleHandlers({ app, managementBody }: Services, kind: SingleKind, contract: Single): Handlers<Single> {
  const put = async (ctx: ContextOf<Single['put']>): Promise<AnswerOf<Single['put']>> => {
    const caller = await authenticate(app, ctx, contract.put);
    const body = await presentBody(ctx.state.exchange, managementBody, invalidResource(kind));
    return managed(await app.manage.putSingle(caller, kind, body, targetOf(ctx.state.exchange), flagOf(ctx.state.exchange, 'strict')));
  };
  return {
    put,
    post: put,

    // Tools send a body with DELETE. It is not read.
    async remove(ctx) {
      const caller = await authenticate(app, ctx, contract.remove);
      return managed(await app.manage.removeSingle(caller, kind, targetOf(ctx.state.exchange)));
    },
  };
}

export function projectFactHandlers({ app }: Services): Handlers<typeof projectFacts> {
  return {
    async validate(ctx) {
      const caller = await authenticate(app, ctx, projectFacts.validate);
      return managed(await app.manage.validate(caller, headerText(ctx.state.exchange, 'x-public-key')));
    },

    async flags(ctx) {
      const caller = await authenticate(app, ctx, projectFacts.flags);
      const [player, limit, before] = [queryParam(ctx, 'platformId'), queryParam(ctx, 'limit'), queryParam(ctx, 'before')];
      return managed(await app.flags(caller, targetOf(ctx.state.exchange), { player, limit, before }));
    },
  };
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

function listingOf(exchange: Exchange): ListingOf {
  const includeStaged = /^(?:true|1)$/i.test(queryText(exchange, 'includeStaged') ?? '');
  if (targetOf(exchange) === 'next') return { includeStaged, target: 'next' };
  const named = queryText(exchange, 'revisionTarget') ?? headerText(exchange, 'x-ns-publish-target');
  return { includeStaged, target: named?.trim().toLowerCase() === 'live' ? 'live' : null };
}
