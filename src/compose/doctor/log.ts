import type pg from 'pg';
import { readForeign } from '../../../projections/foreign-events.ts';
import { foreignTotals } from '../../../projections/models/telemetry/totals.ts';
import { readBuildings } from '../../../projections/readers/building.ts';
import { type Config, redactUrl } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import type { Log } from '../../log/port.ts';
import { projectStream } from '../../log/streams.ts';
import { compareHistories, OTHER_LOG_CURE } from '../histories.ts';
import { cureOf, isTooOld, OLDEST_EVENTSTORE, probeEventStore } from '../log.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks the log, whether the read models belong to it, and their lag. */

const EVENTSTORE_APPEND = 1024 * 1024;
const POSTGRES_APPEND = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
const SLOW_MS = 20;

/** The first finding says whether the log answers at all. */
export async function checkEngine({ eventStoreUrl }: Config): Promise<readonly [Finding, ...Finding[]]> {
  if (eventStoreUrl === null) return [ok('log', 'in the database')];
  const address = `EventStoreDB ${redactUrl(eventStoreUrl)}`;
  const answer = await probeEventStore(eventStoreUrl, TIMEOUT_MS);
  if (answer.ok) return [ok('log', `${address} answers`), version(answer.version), latency(answer.latencyMs)];
  const cure = `${cureOf(answer.reason)}. EVENTSTORE_URL names a user who may read $all, and the leader or esdb+discover://.`;
  return [fail('log', `${address}: ${answer.reason}`, cure)];
}

function version(found: string): Finding {
  if (isTooOld(found)) return fail('log version', found, `Use EventStoreDB ${OLDEST_EVENTSTORE} or later, or KurrentDB.`);
  if (found !== 'unknown') return ok('log version', found);
  return warn('log version', 'it does not tell', `Make sure that it is EventStoreDB ${OLDEST_EVENTSTORE} or later.`);
}

function latency(ms: number): Finding {
  const found = `${ms} ms for a question and its answer`;
  if (ms <= SLOW_MS) return ok('log latency', found);
  return warn('log latency', found, 'Every group of commits waits for one such round trip: keep node and log close together.');
}

export function checkAppendLimit({ eventStoreUrl, limits }: Config): Finding {
  const most = eventStoreUrl === null ? POSTGRES_APPEND : EVENTSTORE_APPEND;
  const found = `GROUP_BYTES ${limits.groupBytes} of ${most} bytes`;
  // The limit of a group does not include the envelopes of its events, which need room, too.
  if (limits.groupBytes <= most * 0.8) return ok('append limit', found);
  return fail('append limit', found, `Lower GROUP_BYTES to at most ${Math.floor(most * 0.8)}: the log refuses larger appends.`);
}

export async function checkHistories(pool: pg.Pool, log: Log): Promise<readonly Finding[]> {
  try {
    const { compared, missing, different } = await compareHistories(pool, log);
    const wrong = [...missing, ...different];
    if (compared > 0 && missing.length === compared) {
      return [fail('histories', `read models of ${counted(compared, 'project')}, of which the log knows none`, OTHER_LOG_CURE)];
    }
    if (wrong.length > 0) {
      const cure = 'The log or the database was restored to an older state: run savepoint rebuild.';
      return [fail('histories', `log and read models disagree on ${wrong.join(', ')}`, cure)];
    }
    return [
      ok('histories', `log and read models agree (${counted(compared, 'project')} looked at)`),
      await lag(pool, log),
      await paused(pool),
      await building(pool),
      await foreign(pool, log),
    ];
  } catch (error) {
    return [fail('histories', errorMessage(error), 'Put right what fails above first.')];
  }
}

async function foreign(pool: pg.Pool, log: Log): Promise<Finding> {
  const found = [...(await readForeign(pool)), ...(await foreignInTotals(pool, log))];
  if (found.length === 0) return ok('foreign events', 'none');
  const told = found.map(({ stream, events, first, type }) => `${events} in ${stream}, the first a ${type} at revision ${first}`);
  const cure =
    'Another program writes to our streams; what it writes is passed over. Stop it, and take its right to append to them; savepoint log copy makes a log without them.';
  return warn('foreign events', told.join('; '), cure);
}

/** Nobody follows totals, so their streams are looked at here: of the 20 projects with the most telemetry. */
async function foreignInTotals(pool: pg.Pool, log: Log) {
  const { rows } = await pool.query<{ project: string }>(
    'SELECT project FROM savepoint.telemetry_checkpoints ORDER BY revision DESC, project LIMIT 20',
  );
  const met = await Promise.all(rows.map(({ project }) => foreignTotals(log, project)));
  return met.flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ stream: first.stream, events: 1 + more.length, first: first.revision, type: first.type }],
  );
}

const MUCH = 5_000;

async function lag(pool: pg.Pool, log: Log): Promise<Finding> {
  const { rows } = await pool.query<{ project: string; revision: string }>(
    `SELECT c.project, min(c.revision) AS revision FROM savepoint.checkpoints c
     JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version
     WHERE c.paused_at IS NULL GROUP BY c.project ORDER BY min(c.revision) DESC LIMIT 20`,
  );
  const heads = await Promise.all(rows.map(({ project }) => log.head(projectStream(project))));
  const behind = rows.map(({ revision }, index) => (heads[index]?.revision ?? -1) - Number(revision));
  const most = Math.max(0, ...behind);
  if (most < MUCH) return ok('projections', `${most} revisions behind at most`);
  return warn('projections', `${most} revisions behind`, 'Check that a node with the role projector runs, and what it logs.');
}

async function paused(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<{ projection: string; project: string; error: string | null }>(
    'SELECT projection, project, error FROM savepoint.checkpoints WHERE paused_at IS NOT NULL LIMIT 5',
  );
  if (rows.length === 0) return ok('paused views', 'none');
  const found = rows.map(({ projection, project, error }) => `${projection} of ${project} (${error ?? 'no reason kept'})`).join('; ');
  const names = [...new Set(rows.map(({ projection }) => projection))].join(' ');
  const cure = `Cure the cause: they are tried again by themselves, every 5 minutes at least. Where rows are wrong: savepoint rebuild ${names}.`;
  return warn('paused views', found, cure);
}

async function building(pool: pg.Pool): Promise<Finding> {
  const buildings = await readBuildings(pool, null);
  if (buildings.length === 0) return ok('leaderboards and lists', 'all complete');
  const found = buildings
    .map(({ project, kind, ids, fraction }) => `${kind} ${ids.join(', ')} of ${project} (${Math.floor(fraction * 100)} %)`)
    .join('; ');
  const cure = 'They answer 503 BUILDING until then. Where it does not go on: does a projector run, and what does it log?';
  return warn('leaderboards and lists', `being filled: ${found}`, cure);
}
