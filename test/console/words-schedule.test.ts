import { expect, it } from 'vitest';
import { ahead, notLive, timeSaid, typedTime, wentUnseen } from '../../src/console/words/schedule.ts';

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

it('a time ahead is typed as day and time, as a day by its name, or as how far ahead', () => {
  // A Tuesday, where the reader is.
  const noon = new Date(2026, 2, 10, 12).getTime();
  const typed = (text: string) => typedTime(text, noon);
  const local = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute).toISOString();
  expect(typed('2026-03-12 18:30')).toBe(local(12, 18, 30));
  expect([typed('tomorrow 9:00'), typed('Tomorrow at 09:00'), typed('today 18:30')]).toEqual([
    local(11, 9),
    local(11, 9),
    local(10, 18, 30),
  ]);
  expect([typed('friday 8:15'), typed('tuesday 13:00'), typed('tuesday 11:00')]).toEqual([local(13, 8, 15), local(10, 13), local(17, 11)]);
  expect([typed('in 2 hours'), typed('in 1 day')]).toEqual([local(10, 14), local(11, 12)]);
  const others = ['1200', '2 h', '', '2026-13-01 12:00', 'tomorrow', 'tomorrow 25:00', 'next week', 'in 2 h ago', '9:00'];
  expect(others.map(typed)).toEqual(others.map(() => null));
  expect(timeSaid(local(10, 14), noon)).toMatch(/^10 Mar 2026, 14:00 here, 2026-03-10 \d\d:00 UTC: in 2 hours$/);
  expect(timeSaid(local(10, 11), noon)).toContain('that is over');
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
