import { APPROVING_KEYS } from '../../contract/credentials.ts';
import type { IsApprover } from '../../domain/definition/release/approval.ts';
import { roleIn } from '../../domain/people/people.ts';
import { permissionsOf } from '../../domain/people/roles.ts';
import { hasNeed } from '../access.ts';
import type { People } from '../people/people.ts';
import { personKey } from '../security/authenticate.ts';

/** Who may approve in a project, by the roles of now. */
export async function approversIn({ people }: { readonly people: Pick<People, 'current'> }, project: string): Promise<IsApprover> {
  const state = await people.current();
  return (id) => {
    const person = state.people.get(id);
    const role = person === undefined ? null : roleIn(person, project);
    return role !== null && hasNeed(personKey(id, '', permissionsOf(role)), APPROVING_KEYS.needs);
  };
}
