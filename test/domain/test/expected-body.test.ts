import { describe, expect, it } from 'vitest';
import { testCase, verdictOf } from '../../../src/domain/test/model.ts';
import type { Json } from '../../../src/kernel/json.ts';

const verdict = (body: Json, answered: Json) =>
  verdictOf(testCase({ endpoint: 'e', expect: { body } }).expect, { ok: true, status: 200, message: '', body: answered });

describe('the expected body of a test', () => {
  it.each<[Json, Json]>([
    [{}, { ok: true }],
    [{ left: 3 }, { ok: true, left: 3 }],
    [{ hero: { gold: 3 } }, { hero: { gold: 3, name: 'Ada' } }],
    [{ bag: ['axe', { n: 1 }] }, { bag: ['axe', { n: 1 }] }],
    [{ left: 3 }, { left: 3.0 }],
    [null, null],
    [
      [1, 2],
      [1, 2],
    ],
  ])('%j passes for %j', (body, answered) => expect(verdict(body, answered)).toMatchObject({ passed: true, reason: '' }));

  it.each<[Json, Json, string]>([
    [{ left: 3 }, { left: 4 }, 'Expected body.left to be 3, got 4.'],
    [{ hero: { gold: 3 } }, { hero: { name: 'Ada' } }, 'Expected body.hero.gold to be 3; it is missing.'],
    [{ hero: { gold: 3 } }, { hero: null }, 'Expected body.hero to be {"gold":3}, got null.'],
    [{ bag: ['axe'] }, { bag: ['axe', 'bow'] }, 'Expected body.bag to be ["axe"], got ["axe","bow"] (1 items, not 2).'],
    [{ bag: ['axe', { n: 1 }] }, { bag: ['axe', { n: 1, m: 2 }] }, 'Expected body.bag[1] to be {"n":1}, got {"n":1,"m":2}.'],
    [{ left: 3 }, { left: '3' }, 'Expected body.left to be 3, got "3".'],
    [{ toString: 1 }, {}, 'Expected body.toString to be 1; it is missing.'],
    [{ left: null }, {}, 'Expected body.left to be null; it is missing.'],
  ])('%j fails for %j and says where', (body, answered, reason) =>
    expect(verdict(body, answered)).toMatchObject({ passed: false, reason }),
  );

  it('a wrong status or outcome is reported first, and the body of a rejection is compared, too', () => {
    const answered = { ok: false, error: { code: 'TOO_POOR', message: 'no' } };
    const came = { ok: false, status: 409, message: 'no', body: answered };
    expect(verdictOf({ body: { left: 3 } }, came).reason).toContain('Expected success');
    expect(verdictOf({ outcome: 'fail', body: { error: { code: 'TOO_POOR' } } }, came).passed).toBe(true);
    expect(verdictOf({ status: 409, body: { error: { code: 'OTHER' } } }, came).reason).toBe(
      'Expected body.error.code to be "OTHER", got "TOO_POOR".',
    );
  });
});
