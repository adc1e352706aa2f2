import type { Command } from 'commander';
import type pg from 'pg';
import type { Log } from '../../log/port.ts';
import { type CommonOptions, command, printResult, table, withInstallation } from '../context.ts';
import { scan } from './scan.ts';

/** `savepoint log stats` */
export function statsCommand(): Command {
  return command('stats', 'count streams, events and bytes', 'savepoint log stats').action(async (options: CommonOptions) => {
    const result = await withInstallation(options, ({ config, pool, log }) =>
      config.eventStoreUrl === null ? fromTables(pool) : fromEvents(log),
    );
    printResult(options, result, () =>
      [
        table(
          ['STREAM', 'EVENTS', 'BYTES'],
          result.streams.map((row) => [row.stream, String(row.events), String(row.bytes)]),
        ),
        table(
          ['TYPE', 'EVENTS'],
          result.types.map((row) => [row.type, String(row.events)]),
        ),
      ].join('\n\n'),
    );
  });
}

interface Stats {
  readonly streams: readonly { readonly stream: string; readonly events: number; readonly bytes: number }[];
  readonly types: readonly { readonly type: string; readonly events: number }[];
}

async function fromTables(pool: pg.Pool): Promise<Stats> {
  const streams = await pool.query<{ stream: string; events: string; bytes: string }>(
    `SELECT stream, count(*) AS events, sum(octet_length(data::text) + octet_length(metadata::text)) AS bytes
     FROM savepoint.log_events GROUP BY stream ORDER BY count(*) DESC`,
  );
  const types = await pool.query<{ type: string; events: string }>(
    'SELECT type, count(*) AS events FROM savepoint.log_events GROUP BY type ORDER BY count(*) DESC',
  );
  return {
    streams: streams.rows.map((row) => ({ stream: row.stream, events: Number(row.events), bytes: Number(row.bytes) })),
    types: types.rows.map((row) => ({ type: row.type, events: Number(row.events) })),
  };
}

/** Reads the whole log. */
async function fromEvents(log: Log): Promise<Stats> {
  const streams = new Map<string, { stream: string; events: number; bytes: number }>();
  const types = new Map<string, { type: string; events: number }>();
  for await (const { stream, type, data, metadata } of scan(log)) {
    const ofStream = streams.get(stream) ?? { stream, events: 0, bytes: 0 };
    const ofType = types.get(type) ?? { type, events: 0 };
    ofStream.events += 1;
    ofStream.bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
    ofType.events += 1;
    streams.set(stream, ofStream);
    types.set(type, ofType);
  }
  const byEvents = (a: { readonly events: number }, b: { readonly events: number }) => b.events - a.events;
  return { streams: [...streams.values()].sort(byEvents), types: [...types.values()].sort(byEvents) };
}
