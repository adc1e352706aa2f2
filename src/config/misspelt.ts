import { nearest } from '../kernel/nearest.ts';
import { LIMITS, SERVER, VERIFIER } from './settings.ts';

/** Variables that commands read, and a node does not. */
const OF_COMMANDS: ReadonlySet<string> = new Set(
  ['URL', 'PROJECT', 'PUBLIC_KEY', 'SECRET_KEY', 'CREDENTIALS', 'DEBUG'].map((name) => `SAVEPOINT_${name}`),
);

/** The variables of all settings. */
export const VARIABLES: ReadonlySet<string> = new Set(
  [SERVER, VERIFIER, LIMITS].flatMap((table) => Object.values(table).map(({ variable }) => variable)),
);

/**
 * Says of each variable that is no setting, but is named like one, which one may be meant: its value has no effect. Names of one word are
 * left out, because `HOME` is near to `HOST`.
 */
export function misspeltSettings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env).flatMap((name) => {
    if (!name.includes('_') || VARIABLES.has(name) || OF_COMMANDS.has(name) || env[name] === '') return [];
    const meant = nearest(name, VARIABLES);
    return meant === undefined ? [] : [`${name} is no setting and has no effect; did you mean ${meant}?`];
  });
}
