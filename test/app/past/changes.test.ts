import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evolve } from '../../../src/app/project/evolve.ts';
import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../../src/domain/definition/model/evolve.ts';
import { entriesOf } from '../../../src/domain/definition/model/overlay.ts';
import { decidePutSingle, decideRemove, decideRemoveSingle, decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideDiscard } from '../../../src/domain/definition/release/discard.ts';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { decideRollback, RollbackSearch } from '../../../src/domain/definition/release/rollback.ts';
import { type DefinitionForm, type DefinitionName, shownDefinition } from '../../../src/domain/definition/release/steps.ts';
import type { ProjectEvent, PublishTarget, Space } from '../../../src/domain/events.ts';
import { isRecordListEvent } from '../../../src/domain/record/evolve.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import { DEFINITIONS, recordListSubject } from '../../../src/domain/subjects.ts';
import { accepted, type Refusal } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { type Act, COLLECTION, History, PLAYER } from './support.ts';

/** The changes of definitions and of lists of save records, against a fold of the whole log from its first event on. */

const NAMES: readonly DefinitionName[] = [
  { kind: 'collection', id: COLLECTION },
  { kind: 'workflow', id: 'pay' },
  { kind: 'game-values', id: '*' },
];

type Decide = (state: DefinitionsState, now: number, events: readonly ProjectEvent[]) => { readonly events: ReturnType<Act> } | Refusal;

const targets = fc.constantFrom<PublishTarget>('live', 'next');
const small = fc.nat(3);
/** Few values, so that what was comes back, and its text is shared. */
const decisions: fc.Arbitrary<Decide> = fc.oneof(
  fc.tuple(targets, small).map(
    ([target, price]): Decide =>
      (state, now) => {
        const rows = [
          { name: 'sword', price },
          { name: 'rope', price: 2 },
        ];
        return decidePutSingle(state, 'game-values', { items: [{ id: 'shop', type: 'table', name: 'Shop', rows }] }, target, now);
      },
  ),
  fc.tuple(targets, small).map(
    ([target, maxRecords]): Decide =>
      (state) => {
        const body = [{ id: COLLECTION, name: COLLECTION, maxRecords: maxRecords + 1 }];
        return decideUpsertMany(state, 'collection', body, { target, replaceAll: false });
      },
  ),
  fc.tuple(targets, small).map(
    ([target, value]): Decide =>
      (state) => {
        const body = [{ id: 'pay', name: 'pay', params: {}, steps: [{ id: 'a', type: 'transform', value }] }];
        return decideUpsertMany(state, 'workflow', body, { target, replaceAll: false });
      },
  ),
  fc.tuple(targets, fc.boolean()).map(
    ([target, isSingle]): Decide =>
      (state) => {
        return isSingle ? decideRemoveSingle(state, 'game-values', target) : decideRemove(state, 'workflow', 'pay', target);
      },
  ),
  fc.constant<Decide>((state) => decidePromote(state, { dryRun: false })),
  fc.constant<Decide>((state) => decideDiscard(state, {}, { dryRun: false })),
  fc.constant<Decide>((state, _, events) => {
    const search = new RollbackSearch(state);
    for (const event of events.toReversed()) if (search.take(event)) break;
    return decideRollback(state, search.result(), { dryRun: false });
  }),
);

/** What a target shows of a definition. */
function shownBy(state: DefinitionsState, target: PublishTarget, { kind, id }: DefinitionName): Json {
  return entriesOf(state, target, kind).find((entry) => entry.id === id)?.value ?? null;
}

/** Every publish that changed a definition in a target, newest first. */
function naive(events: readonly ProjectEvent[], target: PublishTarget, name: DefinitionName) {
  const found: { readonly revision: number; readonly before: Json; readonly after: Json }[] = [];
  let state = EMPTY_DEFINITIONS;
  for (const event of events) {
    const [before, next] = [state, evolveDefinitions(state, event)];
    state = next;
    const isPublish =
      event.type === 'definitions.published' || event.type === 'definitions.promoted' || event.type === 'definitions.rolledBack';
    if (!isPublish || !event.data.changes.some(({ kind, id }) => kind === name.kind && id === name.id)) continue;
    const changes =
      event.type === 'definitions.published' ? [event.data.target] : event.type === 'definitions.promoted' ? ['live', 'next'] : ['live'];
    if (!changes.includes(target)) continue;
    found.push({ revision: event.revision, before: shownBy(before, target, name), after: shownBy(next, target, name) });
  }
  return found.reverse();
}

test('the changes of a definition are what a fold of the whole log says, page by page, in live and in next', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(decisions, { minLength: 8, maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (decided, limit) => {
      const history = await new History().run([]);
      for (const decide of decided) {
        const events = await history.events();
        await history.act((ctx, now) => accepted(decide(ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, now, events)).events);
      }
      const { past, project } = history;
      const events = await history.events();
      const shown = async (name: DefinitionName, { live, staged }: DefinitionForm, revision: number) => {
        const textOf = (hash: string | null) =>
          hash === null ? null : history.wait(past.definitionText(project, hash, revision, revision));
        return shownDefinition(name, await textOf(live), await textOf(staged));
      };
      for (const name of NAMES)
        for (const target of ['live', 'next'] as const) {
          const found: unknown[] = [];
          for (let from = project.set.head; ; ) {
            const steps = await history.wait(past.definitionSteps(project, name, target, from, limit));
            for (const { event, before, after } of steps) {
              const { revision } = event;
              found.push({ revision, before: await shown(name, before, revision), after: await shown(name, after, revision) });
              from = revision - 1;
            }
            if (steps.length < limit) break;
          }
          expect([name, target, found]).toEqual([name, target, naive(events, target, name)]);
        }
    }),
    { numRuns: 25 },
  );
});

const recordActs = fc.array(fc.tuple(fc.constantFrom('live', 'live', 'next0'), fc.nat(3), fc.nat(9)), { minLength: 5, maxLength: 40 });

/** Creates, renames or deletes a slot, as the list allows. */
function recordAct(space: Space, which: number, draw: number, index: number): Act {
  return (ctx) => {
    const [own, live] = [ctx.read(recordListSubject(space, COLLECTION, PLAYER)), ctx.read(recordListSubject('live', COLLECTION, PLAYER))];
    const records = (own ?? live)?.records ?? [];
    const about = {
      space,
      collection: COLLECTION,
      player: PLAYER,
      definition: 'h',
      ...(own === null && space !== 'live' ? { fork: records } : {}),
    };
    const slot = records[which];
    if (slot === undefined) return [{ type: 'record.created', data: { ...about, recordId: `r${index}`, recordName: `n${draw}` } }];
    const { recordId } = slot;
    if (draw < 3) return [{ type: 'record.deleted', data: { ...about, recordId } }];
    return [{ type: 'record.renamed', data: { ...about, recordId, recordName: `n${draw}` } }];
  };
}

function naiveRecords(events: readonly ProjectEvent[], space: Space): readonly unknown[] {
  const subject = recordListSubject(space, COLLECTION, PLAYER);
  const own: { readonly revision: number; readonly before: string | null; readonly after: string | null }[] = [];
  let state: ReturnType<typeof evolve> = null;
  const nameOf = (id: string) =>
    (state !== null && 'records' in state ? state.records : []).find(({ recordId }) => recordId === id)?.recordName ?? null;
  for (const event of events) {
    if (!isRecordListEvent(event) || event.data.space !== space) continue;
    const { recordId, fork } = event.data;
    const before = fork === undefined ? nameOf(recordId) : (fork.find((each) => each.recordId === recordId)?.recordName ?? null);
    state = evolve(subject, state, event);
    own.unshift({ revision: event.revision, before, after: nameOf(recordId) });
  }
  if (space === 'live') return own;
  const first = own.at(-1)?.revision ?? Number.POSITIVE_INFINITY;
  return [
    ...own,
    ...naiveRecords(
      events.filter(({ revision }) => revision < first),
      'live',
    ),
  ];
}

test('the changes of a list of save records are what a fold of the whole log says, page by page, with live behind the fork', async () => {
  await fc.assert(
    fc.asyncProperty(recordActs, fc.integer({ min: 1, max: 4 }), async (acts, limit) => {
      const history = await new History().run(acts.map(([space, which, draw], index) => recordAct(space as Space, which, draw, index)));
      const { past, project } = history;
      for (const space of ['live', 'next0'] satisfies Space[]) {
        const found: unknown[] = [];
        for (let from = project.set.head; ; ) {
          const place = { space, collection: COLLECTION, player: PLAYER };
          const { steps, redacted } = await history.wait(past.recordListSteps(project, place, from, limit));
          expect(redacted).toBe(null);
          for (const { event, before, after } of steps) {
            found.push({ revision: event.revision, before, after });
            from = event.revision - 1;
          }
          if (steps.length < limit) break;
        }
        expect([space, found]).toEqual([space, naiveRecords(await history.events(), space)]);
      }
    }),
    { numRuns: 20 },
  );
});
