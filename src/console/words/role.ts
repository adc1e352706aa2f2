/** Roles of people, as pages say them. */

export const ROLES = [
  { value: 'owner', name: 'Owner', means: 'everything, people, too' },
  { value: 'manager', name: 'Manager', means: 'changes and publishes the game, and documents' },
  { value: 'designer', name: 'Designer', means: 'endpoints, values and limits; calls endpoints' },
  { value: 'support', name: 'Support', means: 'helps players: reads, corrects, restores' },
  { value: 'auditor', name: 'Auditor', means: 'reads everything, changes nothing' },
  { value: 'viewer', name: 'Viewer', means: 'reads what the game is made of' },
] as const;

export type RoleName = (typeof ROLES)[number]['value'];

/** Stands for every project. */
export const EVERY_PROJECT = '*';

/** Where a role holds, as a sentence ends. */
export function placeOfRole(project: string, projects: readonly { readonly id: string; readonly title: string }[]): string {
  if (project === EVERY_PROJECT) return 'in every project';
  return `in ${projects.find(({ id }) => id === project)?.title ?? project}`;
}
