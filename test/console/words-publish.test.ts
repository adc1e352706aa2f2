import { describe, expect, it } from 'vitest';
import { lastChange, ofDefinition, ofValue } from '../../src/console/words/last-change.ts';
import {
  actionIn,
  changedSince,
  changeSaid,
  changesSaid,
  isSaidWhole,
  isStagedSince,
  isToldInLine,
  MAX_REASON,
  offeredHint,
  publishDeed,
  publishOf,
  reasonOf,
  rollbackAsked,
  rollbackSaid,
  saidOfStaged,
  standings,
} from '../../src/console/words/publish.ts';
import { whySaid } from '../../src/console/words/why.ts';

/** What is published, and why, in the words of the page. */

const ADA = { kind: 'person', person: 'per_ada', label: 'ada' };
const BOB = { kind: 'person', person: 'per_bob', label: 'bob' };
const values = (hash: string | null) => [{ kind: 'game-values', id: '*', hash }];
const staged = (message: string | undefined, actor = ADA, changes = values('h')) => ({
  action: 'publish',
  target: 'next',
  message,
  actor,
  changes,
});

describe('why what is staged was staged', () => {
  const now = [{ kind: 'game-values', id: '*' }];

  it('is what was said since the last promotion, each reason once, oldest first', () => {
    const publishes = [
      staged('Dearer axes'),
      staged(undefined),
      staged('Summer prices', BOB),
      staged('Dearer axes'),
      { ...staged('Live in May'), action: 'promote', target: 'live' },
      staged('Spring prices'),
    ];
    expect(saidOfStaged(now, publishes)).toEqual([
      { by: BOB, text: 'Summer prices' },
      { by: ADA, text: 'Dearer axes' },
    ]);
  });

  it('is not what was said of something else, of live, or of what was taken back since', () => {
    const publishes = [
      staged('Again'),
      staged('No', ADA, values(null)),
      staged('A first try'),
      staged('A new endpoint', ADA, [{ kind: 'endpoint', id: 'buy', hash: 'h' }]),
      { ...staged('At once'), target: 'live' },
    ];
    expect(saidOfStaged(now, publishes)).toEqual([{ by: ADA, text: 'Again' }]);
  });

  it('is one text, of which the newest part is kept where there is no room', () => {
    const said = ['a', 'b', 'c'].map((letter) => ({ by: ADA, text: letter.repeat(200) }));
    expect(reasonOf(said.slice(1)).reason).toBe(`${'b'.repeat(200)}; ${'c'.repeat(200)}`);
    expect(reasonOf(said)).toEqual(reasonOf(said.slice(1)));
    expect(reasonOf(said).reason.length).toBeLessThanOrEqual(MAX_REASON);
    expect(reasonOf([])).toEqual({ reason: '', ticket: '' });
  });

  it('has the tickets with it, each once, also of whoever named nothing else', () => {
    const publishes = [
      { ...staged('Dearer axes'), ticket: 'T-2' },
      { ...staged('Dearer bows'), ticket: 'T-2' },
      { ...staged(''), ticket: 'T-1' },
    ];
    expect(reasonOf(saidOfStaged(now, publishes))).toEqual({ reason: 'Dearer bows; Dearer axes', ticket: 'T-1, T-2' });
    expect(whySaid({ reason: '', ticket: 'T-1' })).toBe('T-1');
    expect(whySaid({ reason: 'Dearer axes', ticket: 'T-2' })).toBe('“Dearer axes” · T-2');
  });

  it('says whose words it is in', () => {
    const mine = { by: ADA, text: 'Dearer axes' };
    const his = { by: BOB, text: 'Summer prices' };
    expect(offeredHint([mine], 'staged', 'per_ada')).toMatch(/^As you said when it was staged/);
    expect(offeredHint([mine, his], 'staged', 'per_ada')).toMatch(/^As you and bob said/);
    expect(offeredHint([his], 'asked for', 'per_ada')).toMatch(/^As bob said when it was asked for/);
  });
});

describe('a change of a publish in a line', () => {
  const change = { kind: 'game-values', id: '*', hash: 'h', action: 'change' };
  const axe = { label: 'Shop › axe', before: 7, after: 9 };

  it('tells its fields where they are few, and else that it changed', () => {
    expect(changeSaid('live', { ...change, fields: [axe] })).toBe('Game values: Shop › axe 7 → 9');
    expect(
      changeSaid('live', {
        ...change,
        fields: [
          { label: 'Shop › bow', after: 3 },
          { label: 'Shop › rope', before: 2 },
        ],
      }),
    ).toBe('Game values: Shop › bow new: 3, Shop › rope removed');
    expect(changeSaid('live', { ...change, fields: [{ label: '', after: [{ id: 'shop' }] }] })).toBe('Game values: new (1 entry)');
    expect(changeSaid('live', { ...change, fields: [axe, axe, axe] })).toBe('Game values changed');
    expect(changeSaid('live', { ...change, fields: [axe], more: 4 })).toBe('Game values changed');
    expect(changeSaid('next', { ...change, action: 'delete', hash: null })).toBe('Game values taken back');
    expect(changeSaid('live', { kind: 'endpoint', id: 'buy', hash: 'h', action: 'add' })).toBe('Endpoint buy new');
  });

  it('leaves nothing to be opened but what it does not tell', () => {
    expect([isToldInLine(change), isToldInLine({ ...change, fields: [axe] }), isToldInLine({ ...change, fields: [axe], more: 1 })]).toEqual(
      [true, true, false],
    );
  });
});

describe('a publish that takes back what was staged', () => {
  it('removes nothing', () => {
    expect(publishDeed('publish', 'definitions.discard')).toBe('took back what was staged in');
    expect(actionIn('next', { action: 'delete', hash: null })).toBe('discard');
    expect(actionIn('live', { action: 'delete', hash: null })).toBe('delete');
  });
});

it('a roll back says what is undone: the newest publish by its reason, or where live comes to', () => {
  expect(rollbackSaid(13, { when: '16:10', undone: { revision: 39, message: 'cheaper axe' } })).toEqual({
    title: 'Undo “cheaper axe”?',
    sub: 'Live becomes what it was before.',
  });
  expect(rollbackSaid(13, { undone: { revision: 39 } }).title).toBe('Undo publish 39?');
  expect(rollbackSaid(13)).toMatchObject({
    title: 'Roll back to publish 13?',
    sub: expect.stringContaining('after publish 13.'),
  });
  expect([rollbackAsked(13, { revision: 39, message: 'cheaper axe' }), rollbackAsked(13, { revision: 39 }), rollbackAsked(13)]).toEqual([
    'Asked for: undo of “cheaper axe”',
    'Asked for: undo of publish 39',
    'Asked for: roll back to publish 13',
  ]);
});

describe('what changes for players, in a sentence', () => {
  const values = { kind: 'game-values', id: '*', action: 'change' };
  const axe = { label: 'Shop › axe', before: 7, after: 9 };

  it('names the first three and counts the rest, and says of anything but values whose it is', () => {
    expect(changesSaid([{ ...values, fields: [axe] }])).toBe('Shop › axe 7 → 9');
    expect(
      changesSaid([
        { kind: 'endpoint', id: 'buy', action: 'add' },
        { ...values, fields: [axe, axe, axe], more: 4 },
      ]),
    ).toBe('Endpoint buy is new, Shop › axe 7 → 9, Shop › axe 7 → 9 and 5 more');
    expect(
      changesSaid([{ kind: 'collection', id: 'saves', action: 'change', fields: [{ label: 'maxRecords', before: 5, after: 6 }] }]),
    ).toBe('Collection saves: maxRecords 5 → 6');
    expect(changesSaid([{ kind: 'query', id: 'richest', action: 'delete' }])).toBe('Query richest is removed');
  });

  it('stands alone where it tells all: of one short change, which a list would say again', () => {
    const price = { ...values, fields: [axe] };
    expect(isSaidWhole([price])).toBe(true);
    expect(isSaidWhole([{ kind: 'query', id: 'richest', action: 'delete', fields: [{ label: '', before: { id: 'richest' } }] }])).toBe(
      true,
    );
    expect(isSaidWhole([{ kind: 'endpoint', id: 'buy', action: 'add', fields: [{ label: '', after: { slug: 'buy' } }] }])).toBe(false);
    expect(isSaidWhole([price, price])).toBe(false);
    expect(isSaidWhole([{ ...values, fields: [axe, axe] }])).toBe(false);
    expect(isSaidWhole([{ ...price, more: 1 }])).toBe(false);
    expect(isSaidWhole([{ ...price, opens: ['Anybody may write it.'] }])).toBe(false);
    expect(isSaidWhole([{ ...values, fields: [{ label: 'Shop › text', before: 'a', after: 'b'.repeat(41) }] }])).toBe(false);
    expect(isSaidWhole([{ kind: 'tests', id: '*', action: 'change', fields: [axe] }])).toBe(false);
    expect(isSaidWhole([])).toBe(false);
  });

  it('leaves out the game’s own tests, which no player meets', () => {
    expect(changesSaid([{ kind: 'tests', id: '*', action: 'change', fields: [axe] }])).toBe('nothing for players');
  });
});

describe('what the history offers', () => {
  const at = '2026-03-01T12:00:00.000Z';
  const live = (revision: number, more: object = {}) => ({
    ...{ revision, at, action: 'promote', target: 'live', changes: [{ kind: 'game-values' }] },
    ...more,
  });
  const offered = (publishes: Parameters<typeof standings>[0], until?: number) =>
    standings(publishes, until).map(({ publish, undone, again, undo }) => [
      publish.revision,
      undo?.to ?? null,
      ...(undone === null ? [] : [`undone by ${undone}`]),
      ...(again === null ? [] : [`again since ${again}`]),
    ]);

  it('undoes the newest publish that changed live, and no other', () => {
    const staged = { revision: 6, at, action: 'publish', target: 'next', changes: [{ kind: 'game-values' }] };
    const tests = live(3, { changes: [{ kind: 'tests' }] });
    expect(offered([staged, live(5), tests, live(2), live(1)])).toEqual([
      [6, null],
      [5, 2],
      [3, null],
      [2, null],
      [1, null],
    ]);
    expect(offered([live(1)])).toEqual([[1, null]]);
  });

  it('undoes a roll back as it does any other, and says what was undone and what is live again', () => {
    const back = live(4, { action: 'rollback', restored: 2 });
    expect(offered([back, live(3, { undoneBy: 4 }), live(2), live(1)])).toEqual([
      [4, 3],
      [3, null, 'undone by 4'],
      [2, null, 'again since 4'],
      [1, null],
    ]);
    // After a roll back live shows what it led to.
    expect(offered([live(5), back])[0]).toEqual([5, 2]);
  });

  it('tells a roll back as the undo of one publish where it led to what stood before that, else by where it led', () => {
    const undid = (publishes: Parameters<typeof standings>[0]) => standings(publishes).map((standing) => standing.undid);
    const back = live(4, { action: 'rollback', restored: 2 });
    expect(undid([back, live(3), live(2), live(1)])).toEqual([3, null, null, null]);
    const again = live(5, { action: 'rollback', restored: 3 });
    expect(undid([again, back, live(3), live(2)])).toEqual([4, 3, null, null]);
    const far = live(4, { action: 'rollback', restored: 1 });
    expect(undid([far, live(3), live(2), live(1)])).toEqual([null, null, null, null]);
    // What it led to is not read yet.
    expect(undid([back, live(3)])).toEqual([null, null]);
  });

  it('says of a moment what was undone by then', () => {
    expect(offered([live(3, { undoneBy: 9 }), live(2, { undoneBy: 3 }), live(1)], 5).map(([, , undone]) => undone)).toEqual([
      undefined,
      'undone by 3',
      undefined,
    ]);
  });
});

it('an approval leads to its publish while live is that and the person has published nothing since; a dialog knows whose live is by now', () => {
  const live = (hash: string, actor: typeof ADA, approval?: string) => ({
    ...{ target: 'live', changes: values('h'), actor, hash },
    ...(approval === undefined ? {} : { approval: { id: approval } }),
  });
  const [agreed, later] = [live('b', BOB, 'ap_1'), live('c', BOB)];
  expect(publishOf([agreed, live('a', ADA)], 'ap_1', 'per_ada')).toBe(agreed);
  expect(publishOf([{ ...later, target: 'next' }, agreed], 'ap_1', 'per_ada')).toBe(agreed);
  expect(publishOf([{ ...live('c', ADA), target: 'next' }, agreed], 'ap_1', 'per_ada')).toBeNull();
  expect([publishOf([later, agreed], 'ap_1', 'per_ada'), publishOf([], 'ap_1', 'per_ada')]).toEqual([null, null]);
  const stagedLater = { ...later, target: 'next' };
  expect([
    isStagedSince([stagedLater, agreed], 'ap_1'),
    isStagedSince([later, agreed, stagedLater], 'ap_1'),
    isStagedSince([stagedLater], 'ap_1'),
  ]).toEqual([true, false, false]);
  expect([changedSince([later, agreed], 'b'), changedSince([agreed, later], 'b'), changedSince([later], 'b')]).toEqual(['bob', null, null]);
});

it('the last publish that changed a value or a definition is told with what it changed there; one of very many changes may be it', () => {
  const field = (label: string, before: number, after: number) => ({ label, before, after });
  const change = (fields: readonly object[], more = 0) => [{ kind: 'game-values', id: '*', hash: 'h', action: 'change', fields, more }];
  const publish = (target: string, changes: readonly object[]) =>
    ({ target, changes }) as unknown as Parameters<typeof lastChange>[0][number];
  const axe = publish('live', change([field('Shop › axe', 7, 9), field('Shop › bow', 1, 2), field('Shopping › axe', 1, 2)]));
  const staged = publish('next', change([field('Shop › axe', 9, 11)]));
  const said = (publishes: readonly ReturnType<typeof publish>[], target: string, name = 'Shop') =>
    lastChange(publishes, target, ofValue(name))?.said;
  expect([said([staged, axe], 'next'), said([staged, axe], 'live')]).toEqual(['axe 9 → 11', 'axe 7 → 9, and 1 more']);
  expect([said([axe], 'live', 'Shopping'), said([axe], 'live', 'Axes')]).toEqual(['axe 1 → 2', undefined]);
  expect(said([publish('live', change([field('Axes › x', 1, 2)], 900)), axe], 'live')).toMatch(/^Perhaps/);
  const endpoint = publish('live', [{ kind: 'endpoint', id: 'buy', hash: 'h', action: 'add' }]);
  expect(lastChange([axe, endpoint], 'live', ofDefinition('endpoint', 'buy'))).toMatchObject({ said: 'New', publish: endpoint });
});
