import type { Command } from 'commander';
import { type CommonOptions, command, printResult, table, withInstallation } from '../context.ts';

/** `savepoint log stats` */
export function statsCommand(): Command {
  return command('stats', 'count streams, events and bytes').action(async (options: CommonOptions) => {
    const result = await withInstallation(options, async ({ pool }) => {
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
    });
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
