import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operatorAccess } from '../../../src/app/access.ts';
import { evolve } from '../../../src/app/project/evolve.ts';
import { DocumentWrites } from '../../../src/app/storage/document-writes.ts';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { fillDefaults } from '../../../src/domain/document/schema.ts';
import type { PublishTarget, Space } from '../../../src/domain/events.ts';
import { changeSettings } from '../../../src/domain/project/decide.ts';
import type { SubjectState } from '../../../src/domain/states.ts';
import {
  AUTHORITY,
  DEFINITIONS,
  documentSubject,
  recordListSubject,
  type Subject,
  stateOf,
  subjectsOf,
} from '../../../src/domain/subjects.ts';
import { accepted } from '../../../src/kernel/errors.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { codeOf, STREAM } from '../support.ts';
import { type Act, COLLECTION, History, PLAYER, publishing } from './support.ts';

const KEYS = [PLAYER, `${PLAYER}_aaaaaa`, `${PLAYER}_bbbbbb`];

/** What was, against a fold of the whole log from its first event on, by the rules that fold the present. */

function writing(target: PublishTarget, write: (writes: DocumentWrites, collection: Collection) => void): Act {
  return (ctx, now) => {
    const access = operatorAccess(target)(ctx);
    const collection = access.definitions.collection(COLLECTION);
    const writes = new DocumentWrites(ctx, access, now, 65_536);
    if (collection !== undefined) write(writes, collection);
    return writes.events;
  };
}

type Collection = NonNullable<ReturnType<ReturnType<typeof effectiveDefinitions>['collection']>>;
const how = { player: PLAYER, saveVersion: null, strictSaveVersion: false, checkSchema: false, source: 'direct', isCorrection: false };

const targets = fc.constantFrom<PublishTarget>('live', 'live', 'next');
const keys = fc.constantFrom(...KEYS);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(targets, keys, fc.integer({ min: -5, max: 50 })).map(([target, key, value]) => operation(target, key, value)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(targets, keys, fc.nat(99))
      .map(([target, key, gold]) =>
        writing(target, (writes, to) => writes.write(to, key, { kind: 'replace', document: { gold, n: key } }, how)),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(targets, keys).map(([target, key]) => writing(target, (writes, to) => writes.remove(to, key, 'direct'))),
  },
  { weight: 1, arbitrary: fc.tuple(targets, fc.nat(99)).map(([target, gold]) => publishing(target, gold)) },
  {
    weight: 1,
    arbitrary: fc.constant<Act>((ctx) => accepted(decidePromote(ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, { dryRun: false })).events),
  },
  { weight: 1, arbitrary: fc.boolean().map(setting) },
  // Several documents of one commit: nobody sees half of it.
  {
    weight: 1,
    arbitrary: targets.map((target) =>
      writing(target, (writes, to) => {
        for (const key of KEYS) writes.write(to, key, { kind: 'operations', ops: [{ op: 'inc', path: 'gold', value: 1 }] }, how);
      }),
    ),
  },
);

function operation(target: PublishTarget, key: string, value: number): Act {
  const ops = [
    { op: 'inc', path: 'gold', value, source: 'test' },
    { op: 'push', path: 'bag', value: `item${value}` },
  ];
  return writing(target, (writes, to) => writes.write(to, key, { kind: 'operations', ops }, how));
}

function setting(fill: boolean): Act {
  return (ctx) => accepted(changeSettings(ctx.read(AUTHORITY), ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, { fillDefaults: fill })).events;
}

const has = (state: SubjectState | null) => (state !== null && 'document' in state ? state : null);
const seen = (state: { document: JsonObject | null; version: number; updatedAt: number } | null) =>
  state === null ? null : { document: state.document, version: state.version, updatedAt: state.updatedAt };

test('every past read is what a fold of the whole log says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 40 }), async (commands) => {
      const history = await new History().run(commands);
      const { past, project } = history;
      const folded = new Map<Subject, SubjectState | null>();
      let commit: number[] = [];
      for (const event of await history.events()) {
        for (const subject of subjectsOf(event)) folded.set(subject, evolve(subject, folded.get(subject) ?? null, event));
        commit.push(event.revision);
        if (event.metadata.left !== undefined) continue;
        const definitions = stateOf('definitions', DEFINITIONS, folded.get(DEFINITIONS) ?? null) ?? EMPTY_DEFINITIONS;
        const { revision } = event;
        for (const space of ['live', `next${definitions.generation}`] satisfies Space[]) {
          const target = space === 'live' ? 'live' : 'next';
          for (const key of KEYS) {
            const own = folded.get(documentSubject(space, COLLECTION, key)) ?? folded.get(documentSubject('live', COLLECTION, key)) ?? null;
            const was = await history.wait(past.documentAt(project, { space, collection: COLLECTION, key }, revision));
            expect(seen(was)).toEqual(seen(has(own)));
            const then = await history.wait(past.definitionsAt(project, revision));
            const schemas = [then, definitions].map((state) => effectiveDefinitions(state, target).collection(COLLECTION)?.schema);
            const [first, second] = schemas.map((schema) => (schema && was?.document ? fillDefaults(schema, was.document) : null));
            expect(first).toEqual(second);
          }
          const list =
            folded.get(recordListSubject(space, COLLECTION, PLAYER)) ?? folded.get(recordListSubject('live', COLLECTION, PLAYER));
          const records = list !== undefined && list !== null && 'records' in list ? list.records : [];
          expect(await history.wait(past.recordsAt(project, space, COLLECTION, PLAYER, revision))).toEqual(records);
        }
        expect(await history.wait(past.definitionsAt(project, revision))).toEqual(definitions);
        expect(await history.wait(past.authorityAt(project, revision))).toEqual(folded.get(AUTHORITY));
        for (const inside of commit) {
          const { first, last, events } = (await history.wait(past.commitAt(project, inside))) ?? { first: -1, last: -1, events: [] };
          expect([first, last, events.map((each) => each.revision)]).toEqual([commit[0], revision, commit]);
        }
        commit = [];
      }
    }),
    { numRuns: 12 },
  );
});

const inc = operation('live', PLAYER, 1);
const at = { space: 'live', collection: COLLECTION, key: PLAYER } as const;

test('the revision of a time is the last one that was stored by then, whatever another program wrote between', async () => {
  const history = await new History().run(Array.from({ length: 20 }, () => inc));
  await history.table.log.inner.append(STREAM, history.project.set.head, [{ id: 'foreign', type: 'note', data: '{}', metadata: '{}' }]);
  await history.wait(history.project.refresh());
  await history.act(inc);
  const events = await history.events();
  const times = events.map(({ type, metadata }) => (type === 'log.foreign' ? null : metadata.recordedAt));
  const known = times.map((time, revision) => time ?? times.slice(0, revision).findLast((each) => each !== null) ?? 0);
  for (const time of new Set(known.flatMap((each) => [each - 1, each, each + 1]))) {
    const expected = known.findLastIndex((each) => each <= time);
    expect([time, await history.wait(history.past.revisionAt(history.project, time))]).toEqual([time, expected]);
  }
  expect(await history.wait(history.past.commitAt(history.project, events.length))).toBe(null);
});

test('a past document costs at most 129 of its events, however long its past is', async () => {
  const history = await new History().run(Array.from({ length: 700 }, () => inc));
  const { past, project } = history;
  for (const revision of [5, 300, 640, 900, 1200, project.set.head]) {
    history.reads = 0;
    expect(await history.wait(past.documentAt(project, at, revision))).toMatchObject({ document: { gold: expect.any(Number) } });
    expect(history.reads).toBeLessThanOrEqual(129 + 8);
  }
});

test('a page of changes is short where each is large, and the next one goes on there', async () => {
  const replacing = (target: PublishTarget, gold: number) =>
    writing(target, (writes, to) => writes.write(to, PLAYER, { kind: 'replace', document: { gold, text: 'x'.repeat(60_000) } }, how));
  const history = await new History().run([
    ...Array.from({ length: 45 }, (_, gold) => replacing('live', gold)),
    ...Array.from({ length: 45 }, (_, gold) => replacing('next', gold)),
  ]);
  const { past, project } = history;
  const pages = async (space: Space, limit: number) => {
    const found: (readonly (readonly [revision: number, before: unknown, after: unknown])[])[] = [];
    for (let from = project.set.head; ; ) {
      const { steps, isCut } = await history.wait(past.documentSteps(project, { space, collection: COLLECTION, key: PLAYER }, from, limit));
      found.push(steps.map(({ event, before, after }) => [event.revision, before?.['gold'], after?.['gold']]));
      if (steps.length < limit && isCut !== true) return found;
      from = (steps.at(-1)?.event.revision ?? 0) - 1;
    }
  };
  for (const [space, count] of [
    ['live', 45],
    ['next0', 90],
  ] as const) {
    const short = await pages(space, 100);
    expect(short.length).toBeGreaterThan(1);
    expect(short.flat()).toEqual((await pages(space, 1)).flat());
    expect(short.flat()).toHaveLength(count);
  }
});

test('what needs redacted data is refused, and what does not is answered', async () => {
  const history = await new History().run([
    writing('live', (writes, to) => writes.write(to, PLAYER, { kind: 'replace', document: { gold: 1, text: 'x'.repeat(500) } }, how)),
    inc,
    inc,
    writing('live', (writes, to) => writes.write(to, PLAYER, { kind: 'replace', document: { gold: 9 } }, how)),
  ]);
  const [whole = -1, first = -1, second = -1, last = -1] = (await history.events())
    .filter(({ type }) => type === 'document.written')
    .map(({ revision }) => revision);
  history.redacted.add(first);
  const { past, project } = history;
  const read = (revision: number) => codeOf(history.wait(past.documentAt(project, at, revision)));
  expect([await read(whole), await read(first), await read(second), await read(last)]).toEqual([
    'stored',
    'REDACTED',
    'REDACTED',
    'stored',
  ]);
  // A rebuilt index does not name it any more.
  const named = history.views.revisions;
  history.views.revisions = async (...all) => (await named(...all)).filter((revision) => revision !== first);
  expect([await read(second), await read(last)]).toEqual(['REDACTED', 'stored']);
});
