import type { AuthorityState, DefinitionsState } from '../../domain/states.ts';
import type { Project } from '../project/project.ts';

/** The state that decides who may read what: keys, settings and definitions. Each change makes a new state. */
export interface Rules {
  readonly authority: AuthorityState | null;
  readonly definitions: DefinitionsState;
}

export function rulesOf({ authority, definitions }: Project): Rules {
  return { authority, definitions };
}

export function isCurrent({ authority, definitions }: Rules, project: Project): boolean {
  return authority === project.authority && definitions === project.definitions;
}
