import { Command } from 'commander';
import type { Pool } from 'pg';
import { type EventView, listEvents, listFailures, listPlayers, type PlayerView } from '../../projections/models/telemetry/list.ts';
import { type CommonOptions, command, needProject, printResult, table, withInstallation } from './context.ts';
import { withLimit } from './limit-option.ts';

/** `savepoint analytics`: the reports of players, newest first, from the read models. */
export function analyticsCommand(): Command {
  return new Command('analytics')
    .description('look at what players reported: events, failed saves, sessions')
    .addCommand(list())
    .addCommand(failures())
    .addCommand(players());
}

interface ListOptions extends CommonOptions {
  readonly project?: string;
  readonly limit: number;
}

function listing(name: string, description: string, ...examples: readonly [string, ...string[]]): Command {
  const made = command(name, description, ...examples).option('--project <id>', 'of one project only');
  return withLimit(made, 'how many at most', { to: 10_000, preset: 50 });
}

function list(): Command {
  return listing('list', 'list the last events that players reported', 'savepoint analytics list --project p1 --type error')
    .option('--player <id>', 'of one player only')
    .option('--type <type>', 'a type such as error.reported, or a category such as error')
    .action(async (options: ListOptions & { readonly player?: string; readonly type?: string }) => {
      const filter = { ...filterOf(options), player: options.player ?? null, type: options.type ?? null };
      const events = await read(options, (pool) => listEvents(pool, filter));
      printResult(options, events, () => (events.length === 0 ? 'Nothing was reported.' : eventTable(events)));
    });
}

function failures(): Command {
  return listing('failures', 'list the saves that games did not find again', 'savepoint analytics failures --project p1').action(
    async (options: ListOptions) => {
      const failed = await read(options, (pool) => listFailures(pool, filterOf(options)));
      printResult(options, failed, () => (failed.length === 0 ? 'No failed saves were reported.' : failureTable(failed)));
    },
  );
}

function players(): Command {
  return listing(
    'players',
    'list the players whose heartbeats or events came last, with their play time',
    'savepoint analytics players --limit 10',
  ).action(async (options: ListOptions) => {
    const seen = await read(options, (pool) => listPlayers(pool, { ...filterOf(options), now: Date.now() }));
    printResult(options, seen, () =>
      seen.length === 0
        ? 'No heartbeat and no event of a player was ever received. Players who only play are not listed here.'
        : playerTable(seen),
    );
  });
}

function read<T>(options: ListOptions, list: (pool: Pool) => Promise<T>): Promise<T> {
  return withInstallation(options, async (installation) => {
    await needProject(installation, options.project);
    return list(installation.pool);
  });
}

function filterOf({ project, limit }: ListOptions): { readonly project: string | null; readonly limit: number } {
  return { project: project ?? null, limit };
}

function eventTable(events: readonly EventView[]): string {
  const rows = events.map(({ at, project, platformId, type, label }) => [at, project, platformId, type, label]);
  return table(['TIME', 'PROJECT', 'PLAYER', 'TYPE', 'LABEL'], rows.map(shown));
}

function failureTable(failed: readonly EventView[]): string {
  const rows = failed.map(({ at, project, collectionId, payload }) => {
    const { recordKey, reason, expectedSeq, observedSeq } = payload;
    return [at, project, collectionId ?? '', String(recordKey ?? ''), `${expectedSeq}/${observedSeq}`, String(reason ?? '')];
  });
  return table(['TIME', 'PROJECT', 'COLLECTION', 'KEY', 'EXPECTED/FOUND', 'REASON'], rows.map(shown));
}

function playerTable(seen: readonly PlayerView[]): string {
  const rows = seen.map((one) => {
    const numbers = [one.totalSeconds ?? 0, one.playSeconds, one.sessions].map(String);
    return [one.platformId, one.project, one.playerName ?? '', one.online ? 'yes' : 'no', one.lastSeen, ...numbers];
  });
  return table(['PLAYER', 'PROJECT', 'NAME', 'ONLINE', 'LAST SEEN', 'HEARTBEAT SECONDS', 'PLAY SECONDS', 'SESSIONS'], rows.map(shown));
}

const MAX_CELL = 100;

/** Players chose these texts, so control characters are escaped: a text must not control the operator's terminal. */
function shown(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.replace(/\p{C}/gu, '\ufffd').slice(0, MAX_CELL));
}
