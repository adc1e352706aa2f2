import { describe, expect, it } from 'vitest';
import {
  approvalsKept,
  askApproval,
  baseHash,
  declineApproval,
  differenceHash,
  type Gate,
  giveApproval,
  isApproved,
  releasedBy,
  throughGate,
  withdrawApproval,
} from '../../../src/domain/definition/release/approval.ts';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { evolveRelease } from '../../../src/domain/definition/release/release.ts';
import type { Actor, DefinitionChange, DomainEvent } from '../../../src/domain/events.ts';
import { permissionsOf, type Role } from '../../../src/domain/people/roles.ts';
import type { AccessKey, ReleaseState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { keyNamed } from '../../support/keys.ts';
import { EMPTY, push, recorded, refused, sha } from './given.ts';

const MARA: Actor = { kind: 'person', person: 'mara' };
const OLEG: Actor = { kind: 'person', person: 'oleg' };
const CI: Actor = { kind: 'secret', keyId: 'ci' };

function person(name: string, role: Role = 'manager'): AccessKey {
  return keyNamed(name, 'person', permissionsOf(role));
}
const aKey: AccessKey = { ...person('ci'), kind: 'secret', permissions: null };

type Given = readonly [by: Actor, event: DomainEvent];

/** The release after these events. */
function given(...events: readonly Given[]): ReleaseState | null {
  return events.reduce<ReleaseState | null>((state, [actor, event], index) => {
    const { metadata, ...rest } = recorded(event, 1000 + index, index);
    return evolveRelease(state, { ...rest, metadata: { ...metadata, actor } });
  }, null);
}

const change = (id: string, hash: string | null = sha(id)): DefinitionChange => ({ kind: 'endpoint', id, hash });
const stagedItem = (by: Actor, id: string, hash?: string | null): Given => [
  by,
  { type: 'definitions.published', data: { target: 'next', changes: [change(id, hash)], hash: sha('next') } },
];
const pushedLive = (by: Actor, kind: DefinitionChange['kind'] = 'endpoint'): Given => [
  by,
  { type: 'definitions.published', data: { target: 'live', changes: [{ kind, id: 'x', hash: sha('x') }], hash: sha('live') } },
];

const live = push(EMPTY, 'endpoint', [{ id: 'buy', notes: 'old' }]);
const next = push(live, 'endpoint', [{ id: 'buy', notes: 'new' }], 'next');
const promotion = decidePromote(next, { dryRun: false }).events;
const releasing = releasedBy(promotion, next);
const REQUIRED = { approvals: 'required' } as const;

const asked = (by: Actor, id = 'a1'): Given => [by, askApproval(null, REQUIRED, id, releasing) as DomainEvent];
const named = { difference: differenceHash(releasing?.changes ?? []), base: baseHash(next) };
const gaveIt: DomainEvent = { type: 'approval.given', data: { approval: 'a1', ...named } };
const gate = (key: AccessKey, more: Partial<Gate> = {}): Gate => ({ key, breakGlass: false, reason: null, id: 'past', ...more });

describe('asking for a second person', () => {
  it('names the difference and live, which it is a difference to', () => {
    const event = askApproval(null, REQUIRED, 'a1', releasing);
    expect(event).toMatchObject({ type: 'approval.requested', data: { approval: 'a1', action: 'promote', base: baseHash(live) } });
    const other = decidePromote(push(live, 'endpoint', [{ id: 'buy', notes: 'other' }], 'next'), { dryRun: false }).events;
    const otherEvent = askApproval(null, REQUIRED, 'a1', releasedBy(other, live));
    expect(event).not.toEqual(otherEvent);
  });

  it('is refused where the project asks for nobody, where nothing would change, and where it is asked for already', () => {
    expect(refused(askApproval(null, { approvals: 'off' }, 'a1', releasing)).code).toBe('APPROVALS_OFF');
    expect(refused(askApproval(null, REQUIRED, 'a1', null)).code).toBe('NOTHING_TO_APPROVE');
    expect(refused(askApproval(given(asked(MARA)), REQUIRED, 'a2', releasing)).code).toBe('APPROVAL_PHASE');
  });
});

describe('who approves', () => {
  it('another person than who staged it', () => {
    const state = given(stagedItem(MARA, 'buy'), asked(MARA));
    expect(giveApproval(state, 'a1', person('oleg'))).toMatchObject({ type: 'approval.given' });
    expect(refused(giveApproval(state, 'a1', person('mara'))).code).toBe('APPROVER_IS_AUTHOR');
  });

  it('nobody who staged any part of it, also where another staged it again since', () => {
    const state = given(stagedItem(OLEG, 'buy'), stagedItem(MARA, 'buy', sha('again')), stagedItem(MARA, 'sell'), asked(MARA));
    expect(refused(giveApproval(state, 'a1', person('oleg'))).code).toBe('APPROVER_IS_AUTHOR');
  });

  it('whoever staged what was discarded, or went live since, is no author any more', () => {
    const discarded = given(stagedItem(OLEG, 'buy'), stagedItem(OLEG, 'buy', null), stagedItem(MARA, 'sell'), asked(MARA));
    expect(giveApproval(discarded, 'a1', person('oleg'))).not.toBeInstanceOf(Refusal);
    const released = promotion.map((event): Given => [OLEG, event]);
    expect(
      giveApproval(given(stagedItem(OLEG, 'buy'), ...released, stagedItem(MARA, 'sell'), asked(MARA)), 'a1', person('oleg')),
    ).not.toBeInstanceOf(Refusal);
  });

  it('no key does', () => {
    const state = given(stagedItem(MARA, 'buy'), asked(MARA));
    expect(refused(giveApproval(state, 'a1', aKey)).code).toBe('APPROVER_IS_KEY');
    expect(refused(declineApproval(state, 'a1', aKey)).code).toBe('APPROVER_IS_KEY');
  });

  it('who asked, where a person staged it; where a key did, who asked stands for it', () => {
    expect(giveApproval(given(stagedItem(MARA, 'buy'), asked(OLEG)), 'a1', person('oleg'))).not.toBeInstanceOf(Refusal);
    const byKey = given(stagedItem(CI, 'buy'), asked(OLEG));
    expect(refused(giveApproval(byKey, 'a1', person('oleg'))).code).toBe('APPROVER_IS_AUTHOR');
    expect(giveApproval(byKey, 'a1', person('mara'))).not.toBeInstanceOf(Refusal);
  });
});

describe('an approval is void as soon as anything changes', () => {
  const before = [stagedItem(MARA, 'buy'), asked(MARA), [OLEG, gaveIt]] as const;

  it.each([
    ['staged', [stagedItem(MARA, 'sell')]],
    ['discarded', [stagedItem(MARA, 'buy', null)]],
    ['live', [pushedLive(CI)]],
    // Back to what was approved is a change, too.
    ['staged', [stagedItem(MARA, 'buy', sha('other')), stagedItem(MARA, 'buy')]],
  ] as const)('%s', (why, events) => {
    const state = given(...before, ...events);
    expect(state?.approvals.promote).toMatchObject({ phase: 'void', ended: { why } });
    expect(refused(giveApproval(state, 'a1', person('oleg'))).message).toContain('void');
    expect(refused(throughGate(promotion, next, state, gate(person('oleg')))).message).toContain('void');
  });

  it('saved tests are no part of the game, so they void nothing', () => {
    const state = given(...before, pushedLive(CI, 'tests'));
    const tested = {
      ...next,
      live: {
        ...next.live,
        tests: new Map([['*', { kind: 'tests', id: '*', hash: sha('t'), text: '[]', createdAt: 1, updatedAt: 1 } as const]]),
      },
    };
    expect(throughGate(promotion, tested, state, gate(aKey))).toBe(promotion);
  });

  it('and it is over when it was used, declined or withdrawn', () => {
    expect(given(...before, ...promotion.map((event): Given => [MARA, event]))?.approvals.promote).toMatchObject({
      phase: 'used',
      ended: { why: 'used' },
    });
    const decline = declineApproval(given(...before), 'a1', person('oleg')) as DomainEvent;
    const declined = given(...before, [OLEG, decline]);
    expect(declined?.approvals.promote?.phase).toBe('declined');
    expect(refused(throughGate(promotion, next, declined, gate(aKey))).code).toBe('APPROVAL_NEEDED');
    const withdrawn = given(...before, [MARA, withdrawApproval(given(...before), 'a1') as DomainEvent]);
    expect(refused(withdrawApproval(withdrawn, 'a1')).code).toBe('APPROVAL_PHASE');
    expect(refused(giveApproval(withdrawn, 'other', person('oleg'))).code).toBe('NOT_FOUND');
  });
});

describe('the gate', () => {
  const approved = given(stagedItem(MARA, 'buy'), asked(MARA), [OLEG, gaveIt]);

  it('lets through exactly what was approved, also for a key', () => {
    expect(throughGate(promotion, next, approved, gate(aKey))).toBe(promotion);
    expect(isApproved(approved, promotion, next)).toBe(true);
    const other = decidePromote(push(live, 'endpoint', [{ id: 'buy', notes: 'other' }], 'next'), { dryRun: false }).events;
    expect(refused(throughGate(other, next, approved, gate(aKey))).code).toBe('APPROVAL_NEEDED');
    expect(refused(throughGate(promotion, push(next, 'endpoint', [{ id: 'other' }]), approved, gate(aKey))).code).toBe('APPROVAL_NEEDED');
    const rollback: DomainEvent = {
      type: 'definitions.rolledBack',
      data: { changes: [change('buy')], hash: sha('b'), generation: 1, to: 3 },
    };
    expect(refused(throughGate([rollback], next, approved, gate(aKey))).message).toContain('{"action": "rollback", "to": 3}');
  });

  it('refuses a push to live whatever was approved, and lets pushes to next, saved tests and what changes nothing through', () => {
    const [, toLive] = pushedLive(MARA);
    expect(refused(throughGate([toLive], next, approved, gate(aKey))).message).toContain('next');
    for (const [, event] of [stagedItem(MARA, 'buy'), pushedLive(MARA, 'tests')])
      expect(throughGate([event], next, null, gate(aKey))).toEqual([event]);
    expect(throughGate([], next, null, gate(aKey))).toEqual([]);
  });

  it('an owner goes past it with a reason, and leaves an event beside what went live', () => {
    const owner = person('ada', 'owner');
    const past = throughGate(promotion, next, null, gate(owner, { breakGlass: true, reason: 'The shop gives gold away' }));
    expect(past).toMatchObject([
      { type: 'approval.bypassed', data: { action: 'promote', reason: 'The shop gives gold away' } },
      ...promotion,
    ]);
    const state = given(...(past as readonly DomainEvent[]).map((event): Given => [{ kind: 'person', person: 'ada' }, event]));
    expect(state?.bypass).toMatchObject({ phase: 'bypassed', asked: { by: { person: 'ada' } }, ended: { why: 'used' } });
    expect(refused(throughGate(promotion, next, null, gate(owner, { breakGlass: true }))).code).toBe('INVALID_REQUEST');
    for (const key of [person('mara'), aKey])
      expect(refused(throughGate(promotion, next, null, gate(key, { breakGlass: true, reason: 'r' }))).code).toBe('FORBIDDEN');
  });

  it('what waited when an owner went past it is void, and an approval that is there is used', () => {
    const owner = gate(person('ada', 'owner'), { breakGlass: true, reason: 'r' });
    const past = throughGate(promotion, next, given(asked(MARA)), owner) as readonly DomainEvent[];
    const state = given(asked(MARA), ...past.map((event): Given => [MARA, event]));
    expect(state?.approvals.promote).toMatchObject({ id: 'a1', phase: 'void', ended: { why: 'live' } });
    expect(throughGate(promotion, next, approved, owner)).toBe(promotion);
  });

  it('only an owner, as a person, switches it off', () => {
    const off = { approvals: 'off' } as const;
    expect(approvalsKept(REQUIRED, off, person('mara'))?.code).toBe('FORBIDDEN');
    expect(approvalsKept(REQUIRED, off, aKey)?.code).toBe('FORBIDDEN');
    expect(approvalsKept(REQUIRED, off, person('ada', 'owner'))).toBeNull();
    expect(approvalsKept(off, REQUIRED, aKey)).toBeNull();
  });
});
