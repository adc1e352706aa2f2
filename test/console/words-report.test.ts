import { describe, expect, it } from 'vitest';
import { isDeed, isTrouble, type Reported, reportBuild, reportKind, reportMessage, reportRest } from '../../src/console/words/report.ts';

describe('what a game reported', () => {
  const crash = {
    type: 'error.reported',
    label: 'Crash',
    source: 'manual',
    payload: {
      message: 'The bag is null',
      stack: 'at Bag.open',
      context: { build: 412, level: 3 },
      packageIdent: 'studio.game',
      libraryVersion: '2.1',
      severity: 'error',
    },
  };

  it('is told by its kind, the words of the game and its build; the rest stands behind them', () => {
    expect([reportKind(crash), isTrouble(crash), reportMessage(crash)]).toEqual(['an error', true, 'The bag is null']);
    expect(reportBuild(crash)).toBe('studio.game · 412 · library 2.1');
    expect(reportRest(crash)).toEqual({ stack: 'at Bag.open', context: { build: 412, level: 3 } });
  });

  it('says no more than the game did', () => {
    const bare: Reported = { type: 'custom.level_done', label: 'custom.level_done', source: 'manual' };
    expect([reportKind(bare), isTrouble(bare), reportMessage(bare), reportBuild(bare), reportRest(bare)]).toEqual([
      ...['level_done', false, null, null, null],
    ]);
    expect([reportKind({ type: 'session.join' }), isDeed({ type: 'session.join' }), isDeed(bare)]).toEqual(['began to play', true, false]);
    expect(reportMessage({ ...bare, label: 'Level 3' })).toBe('Level 3');
  });
});
