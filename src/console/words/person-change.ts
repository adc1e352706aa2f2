import { EVERY_PROJECT, placeOfRole } from './role.ts';

/** What changed among people, as sentences. */

export interface PersonChange {
  readonly revision: number;
  readonly at: string;
  readonly by: { readonly kind: string; readonly person?: string; readonly name?: string };
  readonly what: 'letIn' | 'role' | 'reset' | 'linked' | 'unlinked' | 'signedOut' | 'linkMade' | 'removed' | 'forgotten';
  readonly person: string;
  readonly name?: string;
  readonly project?: string;
  readonly role?: string;
  readonly issuer?: string;
  readonly sessions?: 'one' | 'all';
  readonly reason?: string;
  readonly ticket?: string;
}

/** Who did it. */
export function changerOf({ by }: Pick<PersonChange, 'by'>): string {
  return by.kind === 'person' ? (by.name ?? by.person ?? 'Somebody') : 'The operator';
}

/** What was done, as it follows who did it. */
export function changeOfPerson(change: PersonChange, projects: Parameters<typeof placeOfRole>[1]): string {
  const { what, by, person, name, project = EVERY_PROJECT, role = 'none', issuer = 'an issuer' } = change;
  const whom = by.person === person ? 'themselves' : (name ?? person);
  const where = placeOfRole(project, projects);
  switch (what) {
    case 'letIn':
      return `let ${whom} in as ${role} ${where}`;
    case 'role':
      return role === 'none' ? `took the role of ${whom} ${where}` : `made ${whom} ${role} ${where}`;
    case 'reset':
      return `let ${whom} in anew, by a link that forgot the password`;
    case 'linked':
      return by.person === person ? `linked an account of ${issuer}` : `linked an account of ${issuer} to ${whom}`;
    case 'unlinked':
      return `forgot the account of ${whom} at ${issuer}`;
    case 'signedOut':
      return change.sessions === 'one' ? `ended a session of ${whom}` : `signed ${whom} out everywhere`;
    case 'linkMade':
      return `made a link on the machine that signs ${whom} in`;
    case 'removed':
      return `removed ${whom}`;
    case 'forgotten':
      return `had the log forget who ${whom} was`;
  }
}
