import { expect, it } from 'vitest';
import { ahead, notLive, wentUnseen } from '../../src/console/words/schedule.ts';

const by = (label: string) => ({ by: { kind: 'person', label }, at: '2026-01-20T12:00:00.000Z' });
const NOW = Date.UTC(2026, 0, 20, 12);
const in_ = (ms: number) => ahead(new Date(NOW + ms).toISOString(), NOW);

it('how far ahead a time is', () => {
  expect([in_(30_000), in_(60_000), in_(2 * 3_600_000), in_(49 * 3_600_000)]).toEqual([
    'within a minute or two',
    'in 1 minute',
    'in 2 hours',
    'in 2 days',
  ]);
});

it('what did not go live says why and who, and what waits, is live or was taken back says nothing', () => {
  const scheduled = by('mara');
  expect(notLive({ phase: 'missed', scheduled, ended: { ...by('operator'), why: 'missed', reason: 'Nobody approved this' } })).toBe(
    'What mara scheduled did not go live: Nobody approved this.',
  );
  expect(notLive({ phase: 'void', scheduled, ended: { ...by('oleg'), why: 'staged' } })).toContain('oleg staged something afterwards');
  expect(notLive({ phase: 'used', scheduled, ended: { ...by('mara'), why: 'used' } })).toBeNull();
  expect(notLive({ phase: 'waiting', scheduled, ended: null })).toBeNull();
});

it('what went live without a look at personal fields says so for a day', () => {
  const used = { phase: 'used' as const, scheduled: by('mara'), ended: { ...by('mara'), why: 'used', unseen: ['saves'] } };
  expect(wentUnseen(used, NOW)).toContain('Whether documents of saves fit personal fields was not looked at');
  expect([wentUnseen(used, NOW + 25 * 3_600_000), wentUnseen({ ...used, ended: { ...by('mara'), why: 'used' } }, NOW)]).toEqual([
    null,
    null,
  ]);
});
