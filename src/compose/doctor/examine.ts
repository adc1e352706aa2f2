import type pg from 'pg';
import type { Logger } from 'pino';
import { databaseUrlOf, findDatabase, hasBrokenLockFile } from '../../../infra/postgres/database.ts';
import { type Config, redactUrl } from '../../config/config.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { realScheduler } from '../../kernel/scheduler.ts';
import { describeVerifier, serviceProblem, verifierProblem } from '../../outbound/verifier/create-verifier.ts';
import { requireConsistentConfig } from '../bootstrap.ts';
import { openLog } from '../log.ts';
import { createPool } from '../pool.ts';
import { remedyOf } from '../remedies.ts';
import { checkDatabase } from './database.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkIssuer } from './issuer.ts';
import { checkAppendLimit, checkEngine, checkHistories } from './log.ts';
import { checkLooks } from './looks.ts';
import { checkDataFolder, checkNode, checkOpenFiles, checkPort, FULL_DISK_CURE } from './machine.ts';
import { checkPeople } from './people.ts';
import { checkPlayers } from './players.ts';
import { checkQueue } from './queue.ts';

/**
 * Checks everything that a node with this configuration depends on. It starts nothing and changes nothing. `misspelt`: what is wrong with
 * variables that look like settings and are none, a sentence each.
 */
export async function examine(config: Config, misspelt: readonly string[], logger: Logger): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    checkNode(),
    ...checkOpenFiles(),
    checkSettings(config, misspelt),
    await checkVerifier(config),
    ...(await checkIssuer(config)),
    ...checkDataFolder(config),
    await checkPort(config),
  ];
  const isFull = findings.some(({ what, state }) => what === 'disk' && state === 'fail');
  const [engine, queue, address] = await Promise.all([checkEngine(config), checkQueue(config), addressOf(config, isFull)]);
  const database = address.url === null ? [] : await examineDatabase(config, address.url, engine[0].state === 'ok', logger);
  // If the database does not answer, its one line says so.
  const isAway = database.some(({ what, state }) => what === 'database' && state === 'fail');
  findings.push(...(isAway ? [] : [address.finding]), ...engine, checkAppendLimit(config), ...queue, ...database);
  return findings;
}

function checkSettings(config: Config, misspelt: readonly string[]): Finding {
  try {
    requireConsistentConfig(config);
    if (misspelt.length > 0) return warn('settings', misspelt.join('; '), 'Correct the names: docs/settings.md has all of them.');
    return ok('settings', `roles ${config.roles.join(',')}; workers ${config.workers}`);
  } catch (error) {
    return fail('settings', errorMessage(error), 'Correct the settings that are named.');
  }
}

/** Checks the settings of the verifier, and that its service answers. */
async function checkVerifier({ verifier }: Config): Promise<Finding> {
  const unset = verifierProblem(verifier);
  if (unset !== null) return fail('players', unset, 'Set what is named, or VERIFIER=none.');
  const fault = await serviceProblem(verifier, realScheduler);
  if (fault === null) return ok('players', describeVerifier(verifier));
  const cure = 'Check the address, and that this machine may reach it; until then players who need it are refused (docs/security.md).';
  return warn('players', `${describeVerifier(verifier)}: ${fault}`, cure);
}

interface Address {
  readonly finding: Finding;
  /** `null`: there is no database to connect to. */
  readonly url: string | null;
}

/** `isFull`: the disk of the data folder is. */
async function addressOf({ databaseUrl, dataDir }: Config, isFull: boolean): Promise<Address> {
  if (databaseUrl !== null) return { url: databaseUrl, finding: ok('database', redactUrl(databaseUrl)) };
  try {
    const running = await findDatabase({ dataDir });
    if (running !== null) return { url: running.url, finding: ok('database', `embedded, running as process ${running.pid}`) };
    if (hasBrokenLockFile(dataDir)) {
      const found = 'embedded, not running; its lock file postmaster.pid is damaged, as a power cut leaves it';
      return {
        url: null,
        finding: warn('database', found, 'Start a node: it removes the file and recovers what the log of Postgres holds.'),
      };
    }
    if (isFull)
      return { url: null, finding: fail('database', 'embedded, not running: on a full disk no node can start it', FULL_DISK_CURE) };
    const before = databaseUrlOf(dataDir) === null ? 'not made yet' : 'not running';
    return { url: null, finding: ok('database', `embedded, ${before}: a node starts it, and then doctor can look into it`) };
  } catch (error) {
    return { url: null, finding: fail('database', errorMessage(error), 'Put right what is named.') };
  }
}

async function examineDatabase(config: Config, url: string, withLog: boolean, logger: Logger): Promise<readonly Finding[]> {
  const pool = createPool(url, logger, 2);
  try {
    const findings = await checkDatabase(config, pool);
    if (!withLog || !(await isMigrated(pool))) return findings;
    return [...findings, ...(await checkPlayers(config, pool)), ...(await examineHistories(config, url, pool))];
  } catch (error) {
    const cure = remedyOf(error) ?? 'Check DATABASE_URL, that the server runs, and that it lets this machine and account in.';
    return [fail('database', `${redactUrl(url)} cannot be used: ${errorMessage(error)}`, cure)];
  } finally {
    await pool.end();
  }
}

async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('savepoint.projection_versions') IS NOT NULL AS there");
  return rows[0]?.there === true;
}

async function examineHistories(config: Config, url: string, pool: pg.Pool): Promise<readonly Finding[]> {
  const log = await openLog(config, url, { readers: 2 });
  try {
    return [...(await checkHistories(pool, log)), await checkPeople(log), await checkLooks(config, pool, log)];
  } catch (error) {
    return [warn('histories', errorMessage(error), 'Put right what fails above first.')];
  } finally {
    await log.close();
  }
}
