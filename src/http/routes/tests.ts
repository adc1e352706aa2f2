import type { TestReport } from '../../contract/answers.ts';
import { tests } from '../../contract/routes/tests.ts';
import { wireNames } from '../../domain/wire-names.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Saved tests, and dry runs of endpoints. They need several permissions at once, which the use cases check again. */
export function testHandlers(services: Services): Handlers<typeof tests> {
  const { app, settings } = services;
  // The player's id has two names. Answers of endpoints belong to their authors and stay as they are.
  const names = wireNames(settings.wireNames);
  const shown = (report: TestReport): TestReport => names.body(report);
  return answering(services, tests, {
    list: async ({ caller }) => managed(await app.tests.list(caller)),
    replace: async ({ caller, body, query }) => managed(await app.tests.replace(caller, body, query.strict)),

    async testEndpoint({ caller, body, target, query }) {
      const answer = await app.tests.testEndpoint(caller, body, target, query.strict);
      return managed({ ...answer, result: shown(answer.result) });
    },

    autoTest: async ({ caller, body, target }) => managed(await app.tests.autoTest(caller, body.slug ?? null, target)),
    suggestTests: async ({ caller, body, target }) => managed(await app.tests.suggestTests(caller, body.slug ?? null, target)),

    // The editor sends `{}`. A member would ask for some of the tests, and all are run.
    async runTests({ caller, target }) {
      const answer = await app.tests.runTests(caller, target);
      return managed({ ...answer, result: { ...answer.result, results: answer.result.results.map(shown) } });
    },
  });
}
