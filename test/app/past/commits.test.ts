import { expect, test } from 'vitest';
import { lookUp } from '../../../src/app/history/commits.ts';
import { type Commit, commitAt, commitEnd } from '../../../src/app/past/commits.ts';
import type { Past } from '../../../src/app/past/past.ts';
import type { ViewReader } from '../../../src/app/ports/readers.ts';
import type { Project } from '../../../src/app/project/project.ts';

/** A log of commits of these lengths that counts the events that are looked at, and those that are decoded. */
function logOf(lengths: readonly number[]) {
  const left = lengths.flatMap((length) => Array.from({ length }, (_, place) => length - 1 - place));
  const events = left.map((after, revision) => ({ revision, metadata: after === 0 ? {} : { left: after } }));
  const counted = { events: 0, decoded: 0 };
  const decode = (event: (typeof events)[number]) => {
    counted.decoded += 1;
    return event;
  };
  const look = (from: number, limit: number) => {
    const page = events.slice(from, from + limit);
    counted.events += page.length;
    return page;
  };
  const history = async (from: number, limit: number) => look(from, limit).map(decode);
  const unread = async (from: number, limit: number) =>
    look(from, limit).map((event) => {
      const { revision, metadata } = event;
      return { revision, left: metadata.left ?? 0, recordedAt: 0, read: () => decode(event) };
    });
  const project = { id: 'p', history, unread } as unknown as Project;
  const past = {
    commitAt: (of: Project, revision: number, known?: number) => commitAt(of, revision, known),
    commitEnd: (of: Project, revision: number) => commitEnd(of, revision),
  } as Past;
  const commits = lengths.map((length, index) => {
    const first = lengths.slice(0, index).reduce((sum, each) => sum + each, 0);
    return { first, last: first + length - 1 };
  });
  return { project, past, commits, counted, revisions: events.length };
}

const ends = ({ first, last, events }: Commit) => ({ first, last, revisions: events.map(({ revision }) => revision) });
const whole = ({ first, last }: { readonly first: number; readonly last: number }) => ({
  ...{ first, last },
  revisions: Array.from({ length: last - first + 1 }, (_, place) => first + place),
});

test('every revision leads to its commit, whatever else of the commit is known', async () => {
  const { project, commits, revisions } = logOf([1, 3, 1, 1, 2, 70, 1, 5, 200, 4]);
  for (const commit of commits) {
    for (let revision = commit.first; revision <= commit.last; revision += 1) {
      for (const known of [revision, commit.first]) {
        const found = await commitAt(project, revision, known);
        expect(found && ends(found), `${revision}, ${known}`).toEqual(whole(commit));
      }
    }
  }
  expect(await commitAt(project, revisions)).toBeNull();
});

test('of events of other commits nothing is decoded', async () => {
  const { project, counted } = logOf([1, 3, 1, 1, 2, 1]);
  await commitAt(project, 5);
  expect(counted.decoded).toBe(1);
  await commitEnd(project, 5);
  expect(counted.decoded).toBe(1);
});

test.each([
  ['short', 3, 20 * (3 + 6)],
  ['long', 100, 20 * (100 + 8)],
])('a page of 20 commits that are %s reads little more than their events', async (_, length, most) => {
  const { project, past, commits, counted } = logOf(Array.from({ length: 60 }, () => length));
  // The player stands in the first and the last event of each: the document, and what was posted.
  const named = commits.flatMap(({ first, last }) => [first, last]).reverse();
  const revisions: ViewReader['revisions'] = async (_project, _subject, { before = Number.MAX_SAFE_INTEGER, limit }) =>
    named.filter((revision) => revision < before).slice(0, limit);
  const range = { from: 0, to: 60 * length - 1 };
  const { commits: found } = await lookUp({ views: { revisions } as ViewReader }, past, project, 'player/p', range, () => true, 20);
  expect(found.map(ends)).toEqual(commits.slice(-20).reverse().map(whole));
  expect(counted.events).toBeLessThanOrEqual(most);
});
