import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks what projects let their players do. */

const SHOWN = 5;

/** Whether a project has data: without an order Postgres looks for it through the documents of all projects. */
const FIRST = `SELECT true FROM savepoint.documents AS d WHERE d.project = projects.project AND d.space = 'live'
  ORDER BY d.collection, d.key LIMIT 1`;

const PROJECTS = `
SELECT project, name, coalesce(settings->>'requirePlayerAuth', '') = 'true' AS proves, coalesce(settings->>'guestSignIn', '') = 'true' AS guests,
  coalesce(settings->>'nextAccess', '') <> 'keys' AND coalesce((${FIRST}), false) AS staged
FROM savepoint.projects WHERE NOT deleted AND coalesce(settings->>'enabled', '') <> 'false' ORDER BY created_at, project`;

interface Row {
  readonly project: string;
  readonly name: string;
  readonly proves: boolean;
  readonly guests: boolean;
  /** It has data of players, and public keys may use `next`. */
  readonly staged: boolean;
}

const CURE = 'savepoint project settings ID --set guestSignIn=true requirePlayerAuth=true; docs/security.md says what the game then does.';

const STAGED = 'savepoint project settings ID --set nextAccess=keys; docs/publishing.md says what players reach otherwise.';

/** Finds what players of a project may do that they should not: claim to be another, or meet what is not released. */
export async function checkPlayers(config: Pick<Config, 'verifier'>, pool: pg.Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<Row>(PROJECTS);
  return [...checkProof(config, rows), checkStaged(rows)];
}

function checkStaged(rows: readonly Row[]): Finding {
  const reached = rows.filter(({ staged }) => staged);
  if (reached.length > 0) return warn('staged access', `players may use what is staged in ${listed(reached)}`, STAGED);
  return ok('staged access', 'no project with players lets them use what is staged');
}

/** Projects in which anybody may claim to be any player, and projects that demand proof without a verifier. */
function checkProof({ verifier }: Pick<Config, 'verifier'>, rows: readonly Row[]): readonly Finding[] {
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
