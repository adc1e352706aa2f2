import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: the tests of test/faults, one after the other, each fault `FAULT_ROUNDS` times, and a table at the end. */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/faults/support/report.ts'],
    pool: 'forks',
    fileParallelism: false,
  },
});
