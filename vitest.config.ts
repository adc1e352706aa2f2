import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These run real processes or a browser, or hundreds of seeds. */
const LONG = /\/test\/(?:app\/simulation|console|faults|infra|node|package)\//;

/** Without durations of an earlier run, as in CI, a long file that comes last would run alone. So long files come first. */
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
    // This limit is for hanging tests, not for slow ones: beside other work on the same two CPUs, a test of one second has taken twenty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A second run, as CI has of another Node, transforms no file again.
    experimental: { fsModuleCache: true },
    pool: 'forks',
    // Test files share the modules of their process, because loading them anew costs more than most files do. A file that changes something
    // of the process changes it back.
    isolate: false,
    // More than the two CPUs of the smallest machine, because a test of the real program mostly waits for it.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
  },
});
