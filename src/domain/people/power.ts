import { EVERY_PROJECT, type PeopleState, type PersonState } from './people.ts';
import type { Role } from './roles.ts';

/** Who may let people in and change what they may do, and who is told of it. */

/** Whether a role manages people. */
export function managesPeople(role: Role | null): boolean {
  return role === 'owner';
}

/** Whether a role is told who has which role. */
export function seesPeople(role: Role | null): boolean {
  return managesPeople(role) || role === 'auditor';
}

/** Whether a person gives and takes roles in a project; an owner of every project does in each. */
export function managesIn({ people }: PeopleState, by: string, project: string): boolean {
  const roles = people.get(by)?.roles;
  return managesPeople(roles?.get(EVERY_PROJECT) ?? null) || managesPeople(roles?.get(project) ?? null);
}

/** Whether a person is told who has which role in a project. */
export function seesRolesIn({ people }: PeopleState, by: string, project: string): boolean {
  const roles = people.get(by)?.roles;
  return seesPeople(roles?.get(EVERY_PROJECT) ?? null) || seesPeople(roles?.get(project) ?? null);
}

/**
 * Whether a person may let another one in anew, sign them out or remove them. Whoever can make a link for somebody can be that person, so
 * all that person may do must be in the same hands.
 */
export function governs(state: PeopleState, by: string, { roles }: PersonState): boolean {
  if (managesIn(state, by, EVERY_PROJECT)) return true;
  return roles.size > 0 && [...roles.keys()].every((project) => managesIn(state, by, project));
}
