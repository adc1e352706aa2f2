import type { ManageAnswer } from '../../app/app.ts';
import { wireNames } from '../../domain/wire-names.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Answer } from '../answer.ts';
import { readJson } from '../body.ts';
import { authenticate, EVERYTHING_READ, EVERYTHING_WRITTEN, RUN_KEYS, targetOf } from '../credentials.ts';
import { invalidResource, managed, type Routes, type Services, strictOf } from './services.ts';

const invalid = invalidResource('tests');

/** Saved tests, and dry runs of endpoints (management 9). They need several permissions at once, which the use cases ask for again. */
export function testRoutes(router: Routes, services: Services): void {
  const { app, managementBody } = services;
  const spelled = spelledBy(services);

  router.get(
    '/:project/tests',
    async (ctx): Promise<Answer> => managed(await app.tests.list(await authenticate(app, ctx, EVERYTHING_READ))),
  );

  router.put('/:project/tests', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, EVERYTHING_WRITTEN);
    const { exchange } = ctx.state;
    const body = await readJson(exchange, managementBody, invalid);
    return managed(await app.tests.replace(caller, body, strictOf(exchange, body)));
  });

  const runs = ['testEndpoint', 'autoTest', 'suggestTests'] as const;
  const paths = { testEndpoint: 'test-endpoint', autoTest: 'auto-test', suggestTests: 'suggest-tests' } as const;
  for (const run of runs) {
    const keys = run === 'suggestTests' ? EVERYTHING_WRITTEN : RUN_KEYS;
    router.post(`/:project/${paths[run]}`, async (ctx): Promise<Answer> => {
      const caller = await authenticate(app, ctx, keys);
      const { exchange } = ctx.state;
      return spelled(await app.tests[run](caller, await readJson(exchange, managementBody, invalid), targetOf(exchange)));
    });
  }

  // The editor sends `{}`, which says nothing.
  router.post('/:project/run-tests', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, RUN_KEYS);
    await readJson(ctx.state.exchange, managementBody, invalid);
    return spelled(await app.tests.runTests(caller, targetOf(ctx.state.exchange)));
  });
}

/** The player's id has two names; what endpoints answered is their authors'. */
function spelledBy({ settings: { wireNames: mode } }: Services): (answer: ManageAnswer) => Answer {
  const names = wireNames(mode);
  const shown = (result: Json) => (isObject(result) ? names.body(result) : result);
  return (answer) => {
    if (mode === 'neutral') return managed(answer);
    const results = member(answer.body, 'results');
    const body = isArray(results) ? { ...answer.body, results: results.map(shown) } : answer.body;
    return managed({ ...answer, body: names.body(body) });
  };
}
