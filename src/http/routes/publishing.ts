import { publishing } from '../../contract/routes/publishing.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { invalidBody, type MakeRefusal, readJson } from '../body.ts';
import { authenticate, targetOf } from '../credentials.ts';
import { type Exchange, param, queryParam, queryText } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { flagOf, managed, membersOf, type Services } from './services.ts';

const invalidSync: MakeRefusal = (message) => new Refusal(400, 'VALIDATION_FAILED', message);
const invalidPreflight: MakeRefusal = () => new Refusal(400, 'INVALID_JSON', 'Body must be valid JSON.', { body: { mode: 'preflight' } });

/** Pushes of whole projects, staging, promotion and rollback, and what tools ask about a project as a whole. */
export function publishingHandlers({ app, managementBody }: Services): Handlers<typeof publishing> {
  return {
    // The body decides which permissions a push needs.
    async sync(ctx) {
      const caller = await authenticate(app, ctx, publishing.sync);
      const { exchange } = ctx.state;
      const body = await readJson(exchange, managementBody, invalidSync);
      const how = { strict: flagOf(exchange, 'strict', body), replaceAll: flagOf(exchange, 'replaceAll') };
      return managed(await app.manage.sync(caller, body, targetOf(exchange), how));
    },

    async preflight(ctx) {
      const caller = await authenticate(app, ctx, publishing.preflight);
      const { exchange } = ctx.state;
      const body = await readJson(exchange, managementBody, invalidPreflight);
      const how = { strict: flagOf(exchange, 'strict', body), replaceAll: flagOf(exchange, 'replaceAll') };
      return managed(await app.manage.preflight(caller, body, targetOf(exchange), how));
    },

    async upgradeSource(ctx) {
      const caller = await authenticate(app, ctx, publishing.upgradeSource);
      return managed(await app.manage.upgradeSource(caller, await readJson(ctx.state.exchange, managementBody, invalidSync)));
    },

    async promote(ctx) {
      const caller = await authenticate(app, ctx, publishing.promote);
      const { exchange } = ctx.state;
      const body = membersOf(await readJson(exchange, managementBody, invalidBody), ['dryRun', 'force']);
      const [dryRun, force] = [flagOf(exchange, 'dryRun', body), flagOf(exchange, 'force', body)];
      return managed(await app.manage.promote(caller, { dryRun, force }));
    },

    async discard(ctx) {
      const caller = await authenticate(app, ctx, publishing.discard);
      const body = await readJson(ctx.state.exchange, managementBody, invalidBody);
      const dryRun = flagOf(ctx.state.exchange, 'dryRun', membersOf(body));
      return managed(await app.manage.discard(caller, body, { dryRun }));
    },

    async rollback(ctx) {
      const caller = await authenticate(app, ctx, publishing.rollback);
      const { exchange } = ctx.state;
      const body = membersOf(await readJson(exchange, managementBody, invalidBody), ['dryRun', 'to']);
      const how = { dryRun: flagOf(exchange, 'dryRun', body), to: goalOf(exchange, body) };
      return managed(await app.history.rollback(caller, how));
    },

    async diff(ctx) {
      return managed(await app.manage.diff(await authenticate(app, ctx, publishing.diff)));
    },

    async publishes(ctx) {
      const caller = await authenticate(app, ctx, publishing.publishes);
      return managed(await app.history.publishes(caller, { limit: queryParam(ctx, 'limit'), before: queryParam(ctx, 'before') }));
    },

    async manifest(ctx) {
      return managed(await app.manifest.read(await authenticate(app, ctx, publishing.manifest), targetOf(ctx.state.exchange)));
    },

    async job(ctx) {
      return managed(await app.manifest.job(await authenticate(app, ctx, publishing.job), param(ctx, 'job')));
    },
  };
}

/** The revision, as `publishes` lists it, of the publish that a rollback returns to: in the body or the query. */
function goalOf(exchange: Exchange, body: JsonObject): number | null {
  const value = queryText(exchange, 'to');
  const to = Object.hasOwn(body, 'to') ? body['to'] : value === null ? null : Number(value);
  if (to === null || (typeof to === 'number' && Number.isSafeInteger(to) && to >= -1)) return to;
  throw refusal('INVALID_BODY', '`to` must be the revision of a publish');
}
