import { defineConfig } from 'vitest/config';

/** `npm run test:crash`: kills real nodes for minutes, so it is no part of `npm test`. `CRASH_ROUNDS` sets how often (20). */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: { include: ['test/crash/**/*.crash.ts'], pool: 'forks', fileParallelism: false, disableConsoleIntercept: true },
});
