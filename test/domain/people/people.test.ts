import { describe, expect, it } from 'vitest';
import { ROLES } from '../../../src/contract/events/people.ts';
import type { PeopleFact } from '../../../src/domain/people/events.ts';
import {
  addPerson,
  changeRole,
  EVERY_PROJECT,
  evolvePeople,
  explained,
  NOBODY,
  type PeopleState,
  personNamed,
  removePerson,
  roleIn,
} from '../../../src/domain/people/people.ts';
import { permissionsOf } from '../../../src/domain/people/roles.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

const metadata = { commandId: '', cause: '', actor: { kind: 'operator' as const }, schemaVersion: 1, recordedAt: 5 };

function folded(state: PeopleState, decided: readonly PeopleFact[] | Refusal): PeopleState {
  if (decided instanceof Refusal) throw decided;
  return decided.reduce((now, fact) => evolvePeople(now, { ...fact, revision: 0, hash: '', metadata }), state);
}

const ada = { person: 'per_a', name: 'Ada', project: EVERY_PROJECT, role: 'owner' };
const owned = folded(NOBODY, addPerson(NOBODY, ada));

describe('people', () => {
  it('have one name each, in whatever letters it is written, which is theirs', () => {
    expect(personNamed(owned, 'ADA')).toMatchObject({ id: 'per_a', addedAt: 5, email: null });
    expect(addPerson(owned, { ...ada, person: 'per_b', name: 'ada' })).toMatchObject({ status: 409, code: 'PERSON_EXISTS' });
    for (const name of ['ＡＤＡ', '𝐀da'])
      expect(addPerson(owned, { ...ada, person: 'per_b', name })).toMatchObject({ code: 'PERSON_EXISTS' });
    const zoe = { ...ada, person: 'per_z', name: 'Zoe\u0308' };
    expect(addPerson(owned, zoe)).toMatchObject([{ data: { name: 'Zo\u00eb' } }, {}]);
    expect(personNamed(folded(owned, addPerson(owned, zoe)), 'ZOE\u0308')?.id).toBe('per_z');
    for (const name of ['per_0123456789abcdef', '', ' ada', 'a\nb', 'x'.repeat(65), '<b>'])
      expect(addPerson(owned, { ...ada, name })).toMatchObject({ status: 400 });
    expect(addPerson(owned, { ...ada, name: 'Bo', email: 'no' })).toMatchObject({ status: 400 });
    expect(addPerson(owned, { ...ada, name: 'Bo', role: 'king' })).toMatchObject({ status: 400 });
  });

  it('have a role in a project, which goes before that in all of them', () => {
    const bo = folded(owned, addPerson(owned, { person: 'per_b', name: 'Bo', project: 'p1', role: 'support' }));
    const both = folded(bo, changeRole(bo, 'per_b', EVERY_PROJECT, 'viewer'));
    const found = personNamed(both, 'bo');
    expect(found && [roleIn(found, 'p1'), roleIn(found, 'p2')]).toEqual(['support', 'viewer']);
    const none = personNamed(folded(bo, changeRole(bo, 'per_b', 'p1', 'none')), 'bo');
    expect(none && roleIn(none, 'p1')).toBeNull();
    expect(changeRole(bo, 'per_b', 'p1', 'support')).toEqual([]);
  });

  it('are told why something is done with them, in a line each, where something is done and something is said', () => {
    const given = changeRole(owned, 'per_a', 'p1', 'viewer') as readonly PeopleFact[];
    expect(explained('per_a', given, {})).toBe(given);
    expect(explained('per_a', given, { reason: '  ', ticket: '' })).toBe(given);
    expect(explained('per_a', given, { reason: ' helps out ', ticket: 'T-7' })).toEqual([
      ...given,
      { type: 'person.explained', data: { person: 'per_a', reason: 'helps out', ticket: 'T-7' } },
    ]);
    expect(explained('per_a', [], { reason: 'helps out' })).toEqual([]);
    for (const said of [{ reason: 'x'.repeat(501) }, { ticket: 'x'.repeat(129) }, { reason: 'a\nb' }])
      expect(explained('per_a', given, said)).toMatchObject({ status: 400 });
    expect(explained('per_a', removePerson(owned, 'per_a'), { reason: 'leaves' })).toMatchObject({ code: 'LAST_OWNER' });
  });

  it('never are without an owner', () => {
    for (const decided of [
      removePerson(owned, 'per_a'),
      changeRole(owned, 'per_a', EVERY_PROJECT, 'none'),
      changeRole(owned, 'per_a', EVERY_PROJECT, 'viewer'),
    ])
      expect(decided).toMatchObject({ status: 409, code: 'LAST_OWNER' });
    const two = folded(owned, addPerson(owned, { ...ada, person: 'per_b', name: 'Bo' }));
    const one = folded(two, removePerson(two, 'per_a'));
    expect([one.people.size, one.former.get('per_a')]).toEqual([1, 'Ada']);
  });
});

it('a role has no permission that the owner lacks, and auditors and viewers can change nothing', () => {
  const owner = permissionsOf('owner');
  for (const role of ROLES)
    for (const [scope, letters] of Object.entries(permissionsOf(role)))
      expect([...letters].every((letter) => owner[scope]?.includes(letter))).toBe(true);
  for (const role of ['auditor', 'viewer'] as const) expect(Object.values(permissionsOf(role)).join('')).not.toContain('w');
});
