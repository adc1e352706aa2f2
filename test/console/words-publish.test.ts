import { describe, expect, it } from 'vitest';
import {
  actionIn,
  changeSaid,
  isToldInLine,
  MAX_REASON,
  offeredHint,
  publishDeed,
  reasonOf,
  rollbackSaid,
  saidOfStaged,
} from '../../src/console/words/publish.ts';

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
    expect(reasonOf(said.slice(1))).toBe(`${'b'.repeat(200)}; ${'c'.repeat(200)}`);
    expect(reasonOf(said)).toBe(reasonOf(said.slice(1)));
    expect(reasonOf(said).length).toBeLessThanOrEqual(MAX_REASON);
    expect(reasonOf([])).toBe('');
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
    ).toBe('Game values: Shop › bow new, 3, Shop › rope removed');
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

it('a roll back says what is undone: the newest publish by its reason, or all since an earlier one', () => {
  expect(rollbackSaid(13, { revision: 39, message: 'cheaper axe' })).toEqual({
    title: 'Undo publish 39: “cheaper axe”?',
    sub: 'Live becomes again what it was after publish 13. What players have stays as it is.',
  });
  expect(rollbackSaid(13, { revision: 39 }).title).toBe('Undo publish 39?');
  expect(rollbackSaid(13).title).toBe('Make live what it was after publish 13?');
});
