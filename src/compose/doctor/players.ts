import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks whether projects demand proof of their players. */

const SHOWN = 5;

const PROJECTS = `
SELECT project, name, coalesce(settings->>'requirePlayerAuth', '') = 'true' AS proves, coalesce(settings->>'guestSignIn', '') = 'true' AS guests
FROM savepoint.projects WHERE NOT deleted AND coalesce(settings->>'enabled', '') <> 'false' ORDER BY created_at, project`;

interface Row {
  readonly project: string;
  readonly name: string;
  readonly proves: boolean;
  readonly guests: boolean;
}

const CURE = 'savepoint project settings ID --set guestSignIn=true requirePlayerAuth=true; docs/security.md says what the game then does.';

/** Finds projects in which anybody may claim to be any player, and projects that demand proof without a verifier. */
export async function checkProof({ verifier }: Pick<Config, 'verifier'>, pool: pg.Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<Row>(PROJECTS);
  const open = rows.filter(({ proves }) => !proves);
  const shut = rows.filter(({ proves, guests }) => proves && !guests && verifier.kind === 'none');
  const found = [
    ...(open.length === 0 ? [] : [warn('player proof', `whoever names a player is taken for it in ${listed(open)}`, CURE)]),
    ...(shut.length === 0 ? [] : [warn('player proof', `proof is asked for and nothing can prove anybody in ${listed(shut)}`, SHUT)]),
  ];
  return found.length > 0 ? found : [ok('player proof', `players are proven in every project (${rows.length})`)];
}

const SHUT =
  'Set VERIFIER to http, jwt or hmac (docs/security.md) and restart the nodes, or savepoint project settings ID --set guestSignIn=true.';

function listed(rows: readonly Row[]): string {
  const shown = rows.slice(0, SHOWN).map(({ project, name }) => `${project} (${name})`);
  return rows.length > SHOWN ? `${shown.join(', ')} and ${rows.length - SHOWN} more` : shown.join(', ');
}
