import { describe, expect, test } from 'vitest';
import { PackedDocument } from '../../../src/domain/document/packed.ts';
import { changeSettings, createProject } from '../../../src/domain/project/decide.ts';
import { evolveAuthority } from '../../../src/domain/project/evolve.ts';
import { changeQuotas, exceeded, growthOf, NO_QUOTAS, type QuotaChanges, quotasOf } from '../../../src/domain/project/quotas.ts';
import { settingsBody } from '../../../src/domain/project/settings.ts';
import type { AuthorityState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { EMPTY, recorded } from '../definition/given.ts';

const made = createProject(null, { projectId: 'demo', name: 'Demo' });
if (made instanceof Refusal) throw made;
const project = made.events.reduce<AuthorityState | null>((state, event) => evolveAuthority(state, recorded(event, 5)), null);
const OF_ALL = { ...NO_QUOTAS, documents: 10, bytes: 1_000 };

function changed(state: AuthorityState | null, changes: QuotaChanges): AuthorityState {
  const decision = changeQuotas(state, changes);
  if (decision instanceof Refusal) throw decision;
  const next = decision.events.reduce((folded, event) => evolveAuthority(folded, recorded(event, 6)), state);
  if (next === null) throw new Error('no project');
  return next;
}

describe('quotas of one project', () => {
  test('take precedence over those of all projects, also without a limit, until they are removed', () => {
    const own = changed(project, { documents: 0, eventsPerDay: 7 });
    expect(quotasOf(own.settings, OF_ALL)).toEqual({ ...OF_ALL, documents: 0, eventsPerDay: 7 });
    const back = changed(own, { documents: null });
    expect(quotasOf(back.settings, OF_ALL)).toEqual({ ...OF_ALL, eventsPerDay: 7 });
    expect(changeQuotas(back, { documents: null, eventsPerDay: 7 })).toEqual({ events: [] });
  });

  test('are not settings: managers neither see nor change them', () => {
    const own = changed(project, { documents: 5 });
    const decision = changeSettings(own, EMPTY, { quotas: { documents: 1_000 }, documents: 9, description: 'more' });
    expect(decision).toEqual({ events: [{ type: 'settings.changed', data: { changes: { description: 'more' } } }] });
    if (decision instanceof Refusal) throw decision;
    const next = decision.events.reduce<AuthorityState | null>((state, event) => evolveAuthority(state, recorded(event, 7)), own);
    expect(quotasOf(next?.settings ?? {}, OF_ALL).documents).toBe(5);
    expect(JSON.stringify(settingsBody('demo', own))).not.toContain('quotas');
  });

  test('an invalid stored one counts as not set, and the others apply', () => {
    const settings = { quotas: { documents: 10, bytes: '5', other: 1 } };
    expect(quotasOf(settings, OF_ALL)).toEqual({ ...OF_ALL, documents: 10 });
  });

  test('are whole numbers', () => {
    for (const value of [-1, 0.5, Number.NaN, 1e16])
      expect(changeQuotas(project, { bytes: value })).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(changeQuotas(null, { bytes: 1 })).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('what a write adds', () => {
  const holding = (text: string) => new PackedDocument(text, 1, 0, 0);
  const deleted = { document: null, version: 2, createdAt: 0, updatedAt: 0 };

  test('is a document where there was none, and the bytes of its text', () => {
    expect(growthOf(null, holding('{"é":1}'))).toEqual({ documents: 1, bytes: 8 });
    expect(growthOf(deleted, holding('{}'))).toEqual({ documents: 1, bytes: 2 });
    expect(growthOf(holding('{"a":1}'), holding('{}'))).toEqual({ documents: 0, bytes: -5 });
    expect(growthOf(holding('{"a":1}'), deleted)).toEqual({ documents: -1, bytes: -7 });
    expect(growthOf(null, deleted)).toEqual({ documents: 0, bytes: 0 });
  });

  test('exceeds a quota only if it adds to what the quota counts', () => {
    const full = { documents: 10, bytes: 2_000 };
    expect(exceeded(OF_ALL, { documents: 9, bytes: 990 }, { documents: 1, bytes: 10 })).toBeNull();
    expect(exceeded(OF_ALL, { documents: 10, bytes: 0 }, { documents: 1, bytes: 2 })).toBe('documents');
    expect(exceeded(OF_ALL, { documents: 1, bytes: 999 }, { documents: 0, bytes: 2 })).toBe('bytes');
    expect(exceeded(OF_ALL, full, { documents: 0, bytes: -1 })).toBeNull();
    expect(exceeded(OF_ALL, full, { documents: -1, bytes: 0 })).toBeNull();
    expect(exceeded(NO_QUOTAS, full, { documents: 1, bytes: 1 })).toBeNull();
  });
});
