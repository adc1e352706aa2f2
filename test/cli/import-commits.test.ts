import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ImportCommits } from '../../src/cli/project/import-commits.ts';
import { refusal } from '../../src/kernel/errors.ts';

// A commit takes as long as a test says.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** The log of a project, and an import into it whose pauses are noted and not waited for. */
function importing({ caughtUp = true } = {}) {
  const pauses: number[] = [];
  const shown: number[] = [];
  let revision = 9;
  const project = {
    projectId: 'p1',
    importer: { head: () => revision, shown: (_: string, at: number) => void shown.push(at) },
    installation: { waitUntilProjected: async () => caughtUp },
  };
  const commits = new ImportCommits(project, async (ms) => void pauses.push(ms));
  const store = async (events: number, tookMs = 0) => {
    vi.advanceTimersByTime(tookMs);
    revision += events;
    return { written: events, events, revision };
  };
  return { commits, pauses, shown, store, playersWrite: (events: number) => (revision += events) };
}

describe('an import while players play', () => {
  test('pauses after a commit if players wrote in between, three times as long as the commit took, and 0.9 s at most', async () => {
    const { commits, pauses, store, playersWrite } = importing();
    await commits.write(() => store(200));
    playersWrite(3);
    await commits.write(() => store(200, 20));
    playersWrite(3);
    await commits.write(() => store(200, 5_000));
    expect(pauses).toEqual([60, 900]);
  });

  test('does not pause if nobody plays, nor after rows that existed already', async () => {
    const { commits, pauses, store, playersWrite } = importing();
    for (let commit = 0; commit < 3; commit += 1) await commits.write(() => store(200));
    playersWrite(3);
    await commits.write(() => store(0));
    expect(pauses).toEqual([]);
  });
});

describe('a commit that is refused', () => {
  test.each(['WRITE_CONFLICT', 'BUSY', 'STORAGE_UNAVAILABLE', 'OUTCOME_UNKNOWN'] as const)(
    '%s: is tried again, five times at most',
    async (code) => {
      const { commits, pauses, store } = importing();
      let refusals = 4;
      const commit = () => {
        refusals -= 1;
        if (refusals >= 0) throw refusal(code);
        return store(1);
      };
      expect(await commits.write(async () => commit())).toMatchObject({ written: 1 });
      expect(pauses).toEqual([500, 1000, 2000, 4000]);
      refusals = 5;
      await expect(commits.write(async () => commit())).rejects.toMatchObject({ code });
    },
  );

  test('BEHIND: waits for the read models, and fails if they make no progress', async () => {
    const following = importing();
    let refusals = 7;
    const commit = async () => {
      refusals -= 1;
      if (refusals >= 0) throw refusal('BEHIND');
      return following.store(1);
    };
    expect(await following.commits.write(commit)).toMatchObject({ written: 1 });
    expect(following.shown).toEqual(Array.from({ length: 7 }, () => 9));
    const { commits } = importing({ caughtUp: false });
    await expect(commits.write(() => Promise.reject(refusal('BEHIND')))).rejects.toMatchObject({ code: 'BEHIND' });
  });

  test('any other refusal ends the import', async () => {
    const { commits, pauses } = importing();
    await expect(commits.write(() => Promise.reject(refusal('VALIDATION_FAILED')))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(pauses).toEqual([]);
  });
});
