import type { TestReport } from '../../contract/answers.ts';
import { tests } from '../../contract/routes/tests.ts';
import { wireNames } from '../../domain/wire-names.ts';
import type { Json } from '../../kernel/json.ts';
import { readJson } from '../body.ts';
import { authenticate, targetOf } from '../credentials.ts';
import type { Handlers } from '../handlers.ts';
import { flagOf, invalidResource, managed, membersOf, type Services } from './services.ts';

const invalid = invalidResource('tests');

/** Saved tests, and dry runs of endpoints. They need several permissions at once, which the use cases check again. */
export function testHandlers({ app, managementBody, settings }: Services): Handlers<typeof tests> {
  // The player's id has two names. Answers of endpoints belong to their authors and stay as they are.
  const names = wireNames(settings.wireNames);
  const shown = (report: TestReport): TestReport => names.body(report);
  return {
    list: async (ctx) => managed(await app.tests.list(await authenticate(app, ctx, tests.list))),

    async replace(ctx) {
      const caller = await authenticate(app, ctx, tests.replace);
      const { exchange } = ctx.state;
      const body = await readJson(exchange, managementBody, invalid);
      return managed(await app.tests.replace(caller, body, flagOf(exchange, 'strict', body)));
    },

    async testEndpoint(ctx) {
      const caller = await authenticate(app, ctx, tests.testEndpoint);
      const { exchange } = ctx.state;
      const body = membersOf(await readJson(exchange, managementBody, invalid), undefined, invalid);
      const answer = await app.tests.testEndpoint(caller, body, targetOf(exchange), flagOf(exchange, 'strict'));
      return managed({ ...answer, result: shown(answer.result) });
    },

    async autoTest(ctx) {
      const caller = await authenticate(app, ctx, tests.autoTest);
      const { exchange } = ctx.state;
      return managed(await app.tests.autoTest(caller, slugIn(await readJson(exchange, managementBody, invalid)), targetOf(exchange)));
    },

    async suggestTests(ctx) {
      const caller = await authenticate(app, ctx, tests.suggestTests);
      const { exchange } = ctx.state;
      return managed(await app.tests.suggestTests(caller, slugIn(await readJson(exchange, managementBody, invalid)), targetOf(exchange)));
    },

    // The editor sends `{}`. A member would ask for some of the tests, and all are run.
    async runTests(ctx) {
      const caller = await authenticate(app, ctx, tests.runTests);
      membersOf(await readJson(ctx.state.exchange, managementBody, invalid), [], invalid);
      const answer = await app.tests.runTests(caller, targetOf(ctx.state.exchange));
      return managed({ ...answer, result: { ...answer.result, results: answer.result.results.map(shown) } });
    },
  };
}

/** The endpoint that is asked for; `null`: all of them. */
function slugIn(body: Json | undefined): string | null {
  const { slug = null } = membersOf(body, ['slug'], invalid);
  if (slug === null || (typeof slug === 'string' && slug.trim() !== '')) return slug;
  throw invalid('`slug` must be the slug of an endpoint; without it all endpoints are meant');
}
