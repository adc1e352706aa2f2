import { defineConfig } from 'vitest/config';

/** `npm run test:crash`: kills real nodes for minutes, so it is not a part of `npm test`. `CRASH_ROUNDS` sets the number of rounds (20). */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: { include: ['test/crash/**/*.crash.ts'], pool: 'forks', fileParallelism: false, disableConsoleIntercept: true },
});
