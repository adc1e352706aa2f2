import { expect, test } from 'vitest';
import { callLimitFindings } from '../../../src/domain/definition/findings/rate-rules.ts';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import { Findings } from '../../../src/domain/finding.ts';
import { callLimit } from '../../../src/domain/limit/calls.ts';
import { fieldRules } from '../../../src/domain/limit/fields.ts';
import { collection } from '../document/fixtures.ts';

test.each([
  [{ perMinute: 10 }, [['perMinute', 10]]],
  [{ window: 'perHour', limit: 5 }, [['perHour', 5]]],
  [
    { windows: { perDay: 7 }, maxPerMinute: 2 },
    [
      ['perMinute', 2],
      ['perDay', 7],
    ],
  ],
])('%j limits calls in the forms of a rule, and by bare names', (raw, windows) => {
  expect(callLimit(raw)?.windows.map(({ window, limit }) => [window, limit])).toEqual(windows);
  expect(callLimit(raw)?.scope).toBe('per_player');
});

test.each([[undefined], [null], [{}], [5], [{ mode: 'none', perMinute: 1 }], [{ enabled: false, perMinute: 1 }], [{ perMinute: 0 }]])(
  '%j limits nothing',
  (raw) => {
    expect(callLimit(raw)).toBeNull();
  },
);

test('limits that have no effect, and unknown members, are findings', () => {
  const codes = (limits: Parameters<typeof callLimitFindings>[0]) => {
    const findings = new Findings({ collection: () => true } as unknown as ConstructorParameters<typeof Findings>[0]);
    callLimitFindings(limits, '/rateLimits', findings);
    return findings.all.map(({ code, pointer }) => `${code} ${pointer}`);
  };
  expect(codes({ perMinute: 10, scope: 'global' })).toEqual([]);
  expect(codes({ mode: 'none' })).toEqual([]);
  expect(codes({ perMinut: 10 })).toEqual(['INVALID_RATE_LIMITS /rateLimits/perMinut', 'RATE_LIMIT_MISSING /rateLimits']);
  expect(codes({ perMinute: -1, action: 'flag' })).toEqual([
    'INVALID_RATE_LIMIT /rateLimits/perMinute',
    'INVALID_RATE_LIMIT_ACTION /rateLimits/action',
  ]);
});

test('fields limit their own growth at any depth of named members, but not in lists, and not for texts', () => {
  const gold = { type: 'number', _maxPerMin: 5, _maxPerWeek: '50' };
  const schema = compileSchema({
    gold,
    stats: { type: 'object', properties: { xp: gold } },
    name: { type: 'string', _maxPerDay: 1 },
    list: { type: 'array', items: gold },
  });
  const [first, second, ...more] = fieldRules(collection({}, { schema }));
  expect([first?.field, second?.field, more.length]).toEqual(['gold', 'stats.xp', 0]);
  expect(first).toMatchObject({ scope: 'per_player', action: 'reject', collection: 'players', exact: true, name: 'players.gold' });
  expect(first?.windows).toEqual([
    { window: 'perMinute', limit: 5 },
    { window: 'perWeek', limit: 50 },
  ]);
});
