import { defineConfig } from 'vitest/config';

/** `npm run test:eventstore`: the log's contract, and the auditor's script, against a real server, named by `EVENTSTORE_URL`. */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: ['test/contract/log/eventstore.real.ts', 'test/node/auditing.real.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    disableConsoleIntercept: true,
  },
});
