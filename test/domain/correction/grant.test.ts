import { describe, expect, test } from 'vitest';
import {
  evolveGrant,
  evolveGrantPlayer,
  isDue,
  phaseAfter,
  resumeGrant,
  stopGrant,
  undoGrant,
} from '../../../src/domain/correction/grant.ts';
import { type DomainEvent, projectEvent } from '../../../src/domain/events.ts';
import type { GrantPhase, GrantPlayerState, GrantState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

const actor = { kind: 'secret', keyId: 'k1' } as const;
const begun: DomainEvent = {
  type: 'grant.begun',
  data: { grant: 'g', collection: 'players', ops: [{ op: 'inc', path: 'gold', value: 5 }], reason: 'sorry', players: 2 },
};
const moved = (phase: GrantPhase, more: object = {}): DomainEvent => ({ type: 'grant.moved', data: { grant: 'g', phase, ...more } });
const served = (is: GrantPlayerState['is']): DomainEvent => ({ type: 'grant.served', data: { grant: 'g', player: 'ann', is } });

function told(event: DomainEvent) {
  return projectEvent(event, 1, 'id', { commandId: 'c', cause: 'x', actor, schemaVersion: 1, recordedAt: 7 }, '');
}

/** A grant after these events. */
function given(...events: readonly DomainEvent[]): GrantState {
  const state = events.map(told).reduce<GrantState | null>(evolveGrant, null);
  if (state === null) throw new Error('no grant');
  return state;
}

/** What is decided: the phase that follows, or the code of the refusal. */
function outcome(decided: DomainEvent | Refusal): string {
  if (decided instanceof Refusal) return decided.code;
  return 'phase' in decided.data ? decided.data.phase : decided.type;
}

const why = { reason: 'wrong', ticket: 'T-1' };

describe('a grant', () => {
  test('keeps who began it and what it gives, and nobody is served before its list is whole', () => {
    const state = given(begun);
    expect(state).toMatchObject({ phase: 'listing', players: 2, actor, begunAt: 7, reason: 'sorry' });
    expect(isDue(state.phase, null)).toBe(false);
  });

  test('is undone for the reason and by the policy of whoever undid it', () => {
    const state = given(begun, moved('giving'), moved('taking', { policy: 'give', ...why }));
    expect(state.undo).toEqual({ policy: 'give', ...why });
    expect(given(begun, moved('stopped', why)).undo).toBeUndefined();
  });

  test('serves a player once in each direction, whatever happens to the grant', () => {
    const after = (...events: readonly DomainEvent[]) => events.map(told).reduce<GrantPlayerState | null>(evolveGrantPlayer, null);
    const due = (phase: GrantPhase, ...events: readonly DomainEvent[]) => isDue(phase, after(...events));
    expect([due('giving'), due('giving', served('given')), due('giving', served('refused'))]).toEqual([true, false, false]);
    expect([due('taking'), due('taking', served('given')), due('taking', served('refused'))]).toEqual([false, true, false]);
    for (const last of ['taken', 'kept'] as const) {
      expect([due('giving', served('given'), served(last)), due('taking', served('given'), served(last))]).toEqual([false, false]);
    }
    for (const phase of ['listing', 'given', 'stopped', 'taken'] as const)
      expect([due(phase), due(phase, served('given'))]).toEqual([false, false]);
  });

  test.each<[GrantPhase, string, string, string, GrantPhase | null]>([
    ['listing', 'GRANT_PHASE', 'GRANT_PHASE', 'NOTHING_TO_UNDO', null],
    ['giving', 'stopped', 'GRANT_PHASE', 'taking', 'given'],
    ['given', 'GRANT_PHASE', 'GRANT_PHASE', 'taking', null],
    ['stopped', 'GRANT_PHASE', 'giving', 'taking', null],
    ['taking', 'stopped', 'GRANT_PHASE', 'ALREADY_UNDONE', 'taken'],
    ['taken', 'GRANT_PHASE', 'GRANT_PHASE', 'ALREADY_UNDONE', null],
  ])('in the phase %s: stopped %s, resumed %s, undone %s, at its end %s', (phase, stopped, resumed, undone, end) => {
    const state = phase === 'listing' ? given(begun) : given(begun, moved(phase));
    expect(outcome(stopGrant('g', state, why))).toBe(stopped);
    expect(outcome(resumeGrant('g', state, why))).toBe(resumed);
    expect(outcome(undoGrant('g', state, 'reverse', why))).toBe(undone);
    expect(phaseAfter(state.phase)).toBe(end);
  });

  test('that was stopped while it was taken back is undone once more, and given to nobody again', () => {
    const state = given(begun, moved('giving'), moved('taking', { policy: 'reverse', ...why }), moved('stopped', why));
    expect(outcome(resumeGrant('g', state, why))).toBe('GRANT_PHASE');
    expect(outcome(undoGrant('g', state, 'give', why))).toBe('taking');
  });
});
