import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Real processes, or hundreds of seeds. */
const LONG = /\/test\/(?:app\/simulation|faults|infra|node)\//;

/** Where durations of an earlier run are not at hand, as in CI, a long file that comes last would run alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(({ moduleId }) => LONG.test(moduleId)), ...sorted.filter(({ moduleId }) => !LONG.test(moduleId))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Of a hang, not of slowness: where others work on the same two CPUs, what takes a second alone has taken twenty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Files of tests share the modules of their process: loading them anew costs more than most files do. What a file changes of the
    // process, it puts back.
    isolate: false,
    // More than the two CPUs of the smallest machine: much of a test of the real program is waiting for it.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
  },
});
