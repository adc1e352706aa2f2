import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Files of tests share the modules of their process: loading them anew costs more than most files do. What a file changes of the
    // process, it puts back.
    isolate: false,
    // More than the two CPUs of the smallest machine: much of a test of the real program is waiting for it.
    maxWorkers: 3,
  },
});
