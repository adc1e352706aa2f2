import type { ListedKind, SingleKind } from '../../app/app.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Answer } from '../answer.ts';
import { type Invalid, invalidBody, readJson } from '../body.ts';
import { ANY_SECRET_KEY, authenticate, managementKeys, present, targetOf } from '../credentials.ts';
import { type Context, type Exchange, headerText, param, queryOf, queryText } from '../exchange.ts';
import { invalidResource, managed, presentBody, type Routes, type Services, strictOf } from './services.ts';

/** One kind of definition that is listed by id. */
interface Listed {
  readonly kind: ListedKind;
  readonly path: string;
  readonly scope: string;
  /** Queries know neither PUT nor PATCH (management 6). */
  readonly postOnly: boolean;
}

const LISTED: readonly Listed[] = [
  { kind: 'collection', path: 'collections', scope: 'collections', postOnly: false },
  { kind: 'endpoint', path: 'endpoints', scope: 'endpoints', postOnly: false },
  { kind: 'workflow', path: 'workflows', scope: 'workflows', postOnly: false },
  { kind: 'library', path: 'libraries', scope: 'workflows', postOnly: false },
  { kind: 'query', path: 'queries', scope: 'queries', postOnly: true },
];

const SINGLES: readonly { readonly kind: SingleKind; readonly scope: string }[] = [
  { kind: 'game-values', scope: 'game_values' },
  { kind: 'rate-limit-rules', scope: 'rate_limits' },
];

/** Every route under `/v3/manage` that is served so far. */
export function managementRoutes(router: Routes, services: Services): void {
  for (const listed of LISTED) listedRoutes(router, services, listed);
  for (const single of SINGLES) singleRoutes(router, services, single.kind, single.scope);
  projectRoutes(router, services);
}

function listedRoutes(router: Routes, { app, managementBody }: Services, { kind, path, scope, postOnly }: Listed): void {
  const reads = managementKeys('r', scope);
  const writes = managementKeys('rw', scope);
  const invalid = invalidResource(kind);

  const upsertMany = async (ctx: Context): Promise<Answer> => {
    const caller = await authenticate(app, ctx, writes);
    const { exchange } = ctx.state;
    const body = await presentBody(exchange, managementBody, invalid);
    const options = { target: targetOf(exchange), replaceAll: replacesAll(exchange, kind, invalid), strict: strictOf(exchange) };
    const answer = await app.manage.upsertMany(caller, kind, body, options);
    // What asks for a job is answered when it is done, with a job that is (management 4.7).
    if (queryText(exchange, 'async') !== 'true') return managed(answer);
    return managed({ ...answer, body: { ...answer.body, jobId: String(answer.position) } });
  };
  router.post(`/:project/${path}`, upsertMany);
  if (!postOnly) router.put(`/:project/${path}`, upsertMany);

  if (!postOnly) {
    router.patch(`/:project/${path}`, async (ctx): Promise<Answer> => {
      const caller = await authenticate(app, ctx, writes);
      const body = await presentBody(ctx.state.exchange, managementBody, invalid);
      return managed(await app.manage.upsertOne(caller, kind, body, targetOf(ctx.state.exchange), strictOf(ctx.state.exchange)));
    });
  }

  router.delete(`/:project/${path}/:id`, async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, writes);
    const id = param(ctx, 'id');
    if (id.trim() === '') throw invalid(`Missing route parameter '${kind}Id'.`);
    return managed(await app.manage.remove(caller, kind, id, targetOf(ctx.state.exchange)));
  });

  router.get(`/:project/${path}`, async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, reads);
    return managed(await app.manage.list(caller, kind, listingOf(ctx.state.exchange)));
  });
}

/** Endpoints alone have it. Asked for elsewhere, or in another word, it is refused: left out, what should go would stay, and be called. */
function replacesAll(exchange: Exchange, kind: ListedKind, invalid: Invalid): boolean {
  const asked = queryOf(exchange)['replaceAll'] ?? 'false';
  if (asked === 'false') return false;
  if (asked !== 'true') throw invalid('`replaceAll` must be true or false.');
  if (kind !== 'endpoint') throw invalid('`replaceAll` is there for endpoints only; delete the others by their ids.');
  return true;
}

function singleRoutes(router: Routes, { app, managementBody }: Services, kind: SingleKind, scope: string): void {
  const reads = managementKeys('r', scope);
  const writes = managementKeys('rw', scope);

  const put = async (ctx: Context): Promise<Answer> => {
    const caller = await authenticate(app, ctx, writes);
    const body = await presentBody(ctx.state.exchange, managementBody, invalidResource(kind));
    return managed(await app.manage.putSingle(caller, kind, body, targetOf(ctx.state.exchange), strictOf(ctx.state.exchange)));
  };
  router.put(`/:project/${kind}`, put);
  router.post(`/:project/${kind}`, put);

  // The seed lists a body for DELETE; nothing reads it (management 7).
  router.delete(`/:project/${kind}`, async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, writes);
    return managed(await app.manage.removeSingle(caller, kind, targetOf(ctx.state.exchange)));
  });

  router.get(`/:project/${kind}`, async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, reads);
    return managed(await app.manage.list(caller, kind, listingOf(ctx.state.exchange)));
  });
}

function projectRoutes(router: Routes, { app, managementBody }: Services): void {
  router.get('/:project/validate', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, ANY_SECRET_KEY);
    return managed(await app.manage.validate(caller, headerText(ctx.state.exchange, 'x-public-key')));
  });

  router.post('/:project/promote', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, WRITES_STAGED);
    const { exchange } = ctx.state;
    const body = membersOf(await readJson(exchange, managementBody, invalidBody), ['dryRun', 'force']);
    const [dryRun, force] = [flagOf(exchange, body, 'dryRun'), flagOf(exchange, body, 'force')];
    return managed(await app.manage.promote(caller, { dryRun, force }));
  });

  router.post('/:project/discard', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, WRITES_STAGED);
    const body = await readJson(ctx.state.exchange, managementBody, invalidBody);
    const dryRun = flagOf(ctx.state.exchange, membersOf(body), 'dryRun');
    return managed(await app.manage.discard(caller, body, { dryRun }));
  });

  router.post('/:project/rollback', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, WRITES_STAGED);
    const { exchange } = ctx.state;
    const body = membersOf(await readJson(exchange, managementBody, invalidBody), ['dryRun', 'to']);
    return managed(await app.history.rollback(caller, { dryRun: flagOf(exchange, body, 'dryRun'), to: goalOf(exchange, body) }));
  });

  router.get('/:project/publishes', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, READS_STAGED);
    const { exchange } = ctx.state;
    return managed(await app.history.publishes(caller, { limit: queryText(exchange, 'limit'), before: queryText(exchange, 'before') }));
  });

  router.get('/:project/flags', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, READS_FLAGS);
    const { exchange } = ctx.state;
    const [player, limit, before] = [queryText(exchange, 'platformId'), queryText(exchange, 'limit'), queryText(exchange, 'before')];
    return managed(await app.flags(caller, targetOf(exchange), { player, limit, before }));
  });

  router.get('/:project/diff', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, READS_STAGED);
    return managed(await app.manage.diff(caller));
  });
}

const READS_FLAGS = managementKeys('r', 'rate_limits');
const READS_STAGED = managementKeys('r', ...STAGED_SCOPES);
const WRITES_STAGED = managementKeys('rw', ...STAGED_SCOPES);

const PROJECT_PATH = /^\/v3\/manage\/([^/]+)\//;

/**
 * What no route matched. A POST is refused without a look at its credentials; anything else shows only to valid keys that a path is
 * unknown (management 1.7, decision 13).
 */
export async function unknownManagementRoute(ctx: Context, { app }: Services): Promise<never> {
  const { exchange } = ctx.state;
  const project = PROJECT_PATH.exec(exchange.location)?.[1];
  if (project === undefined || exchange.method === 'POST' || exchange.method === 'OPTIONS') throw refusal('NOT_FOUND');
  await app.authenticate(decodeURIComponent(project), present(exchange, ANY_SECRET_KEY));
  throw refusal('NOT_FOUND');
}

/**
 * The body of a promotion, rollback or discard; none is an empty one. A member that is not known is refused: `dry_run`, taken for
 * nothing, would do what was only to be looked at.
 */
function membersOf(body: Json | undefined, known?: readonly string[]): JsonObject {
  if (body === undefined) return {};
  if (!isObject(body)) throw refusal('INVALID_BODY');
  const unknown = Object.keys(body).find((name) => known?.includes(name) === false);
  if (unknown === undefined) return body;
  throw refusal('INVALID_BODY', `The body has no member \`${unknown}\`, only ${known?.join(', ')}`);
}

/** In the body or the query. What is neither true nor false is refused for the same reason, `?dryRun` without a value, too. */
function flagOf(exchange: Exchange, body: JsonObject, name: string): boolean {
  const sent = Object.hasOwn(body, name) ? body[name] : false;
  const asked = queryOf(exchange)[name] ?? 'false';
  if (typeof sent !== 'boolean' || (asked !== 'true' && asked !== 'false'))
    throw refusal('INVALID_BODY', `\`${name}\` must be true or false`);
  return sent || asked === 'true';
}

/** To which publish a rollback goes, as `publishes` names them: in the body or the query. */
function goalOf(exchange: Exchange, body: JsonObject): number | null {
  const asked = queryText(exchange, 'to');
  const to = Object.hasOwn(body, 'to') ? body['to'] : asked === null ? null : Number(asked);
  if (to === null || (typeof to === 'number' && Number.isSafeInteger(to) && to >= -1)) return to;
  throw refusal('INVALID_BODY', '`to` must be the revision of a publish');
}

function listingOf(exchange: Exchange): { readonly includeStaged: boolean; readonly target: PublishTarget | null } {
  const includeStaged = /^(?:true|1)$/i.test(queryText(exchange, 'includeStaged') ?? '');
  if (targetOf(exchange) === 'next') return { includeStaged, target: 'next' };
  const named = queryText(exchange, 'revisionTarget') ?? headerText(exchange, 'x-ns-publish-target');
  return { includeStaged, target: named?.trim().toLowerCase() === 'live' ? 'live' : null };
}
