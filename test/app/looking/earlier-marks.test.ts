import { expect, test } from 'vitest';
import type { AppContext } from '../../../src/app/context.ts';
import { EarlierMarks } from '../../../src/app/looking/earlier-marks.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';

test('what a later search found that was marked stays masked when an earlier search ends after it', async () => {
  const text = JSON.stringify({ id: 'saves', schema: { email: { type: 'string', _personal: true } } });
  const published = { type: 'definitions.published', revision: 11, data: { changes: [{ kind: 'collection', id: 'saves', hash: 'h' }] } };
  let changedAt = 10;
  const project = {
    id: 'demo',
    set: { residentChangedAt: () => changedAt },
    definitions: { ...EMPTY_DEFINITIONS, sources: new Map([['h', text]]) },
    unread: async () => [{ revision: 11, read: () => published }],
  } as unknown as Project;
  let endFirst = () => {};
  const first = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const context = {
    scheduler: { monotonic: () => 0, after: () => () => undefined },
    limits: { commandMs: 1_000 },
    roundRobin: { sharing: () => () => null },
    views: {
      async caughtUp(_: string, revision: number) {
        if (revision === 10) await first;
        return true;
      },
      revisions: async (_project: string, _subject: string, { before }: { readonly before: number }) => (before === 13 ? [11] : []),
    },
  } as unknown as AppContext;
  const marks = new EarlierMarks(context);
  const earlier = marks.of(project);
  // The mark came with the publish at 11, and was gone with that at 12.
  changedAt = 12;
  const collections = async (found: typeof earlier) => (await found).map(({ collection }) => collection);
  expect(await collections(marks.of(project))).toEqual(['saves']);
  endFirst();
  await earlier;
  expect(marks.known(project).map(({ collection }) => collection)).toEqual(['saves']);
  expect(await collections(marks.of(project))).toEqual(['saves']);
});
