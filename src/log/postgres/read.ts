import type pg from 'pg';
import type { Head, ReadRange, RecordedEvent } from '../port.ts';
import { AS_TEXT, unavailable } from './connection.ts';

/** A page of the log by position: the events that were asked for, and the log's last position at that time. */
interface Page {
  readonly events: readonly RecordedEvent[];
  readonly head: number;
}

/** What the adapter reads. All throw `LogUnavailable`. */
export interface Reader {
  stream(stream: string, range: ReadRange): Promise<readonly RecordedEvent[]>;
  head(stream: string): Promise<Head | null>;
  /** Position of the last event, 0 in an empty log. */
  end(): Promise<number>;
  /** Looks at the `limit` positions after `after` and gives the events whose stream begins with `prefix`. */
  page(after: number, limit: number, prefix: string): Promise<Page>;
}

type EventRow = [position: string, stream: string, revision: string, id: string, type: string, data: string, metadata: string];
type PageRow = [head: string, ...event: EventRow | [position: null]];

const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.data, e.metadata';

/** Bytes as Postgres keeps them. What was redacted has fewer, so it is always read. */
const LONG = 1024;
/** {@link FORWARDS} without long data of known events: to unpack and send a megabyte takes longer than all else. */
const FORWARDS_OF_KNOWN = `SELECT ${COLUMNS.replace('e.data', `CASE WHEN e.id = ANY ($4) AND pg_column_size(e.data) > ${LONG} THEN '' ELSE e.data::text END`)}
FROM savepoint.log_events e WHERE e.stream = $1 AND e.revision >= $2 ORDER BY e.revision LIMIT $3`;
const FORWARDS = `SELECT ${COLUMNS} FROM savepoint.log_events e WHERE e.stream = $1 AND e.revision >= $2 ORDER BY e.revision LIMIT $3`;
const BACKWARDS = `SELECT ${COLUMNS} FROM savepoint.log_events e WHERE e.stream = $1 AND e.revision <= $2 ORDER BY e.revision DESC LIMIT $3`;
const HEAD = 'SELECT s.revision, s.position FROM savepoint.log_streams s WHERE s.stream = $1';
const END = 'SELECT h.position FROM savepoint.log_head h';
/**
 * Head and events of one snapshot. The range of positions bounds the work whatever the prefix. The row of the head is always in the result.
 */
const PAGE = `SELECT h.position, ${COLUMNS} FROM savepoint.log_head h
LEFT JOIN savepoint.log_events e ON e.position > $1 AND e.position <= $2 AND starts_with(e.stream, $3) ORDER BY e.position`;

const LAST_REVISION = Number.MAX_SAFE_INTEGER;

export function createReader(pool: pg.Pool): Reader {
  const query = async <Row extends unknown[]>(name: string, text: string, values: unknown[]): Promise<Row[]> => {
    try {
      return (await pool.query<Row>({ name, text, values, rowMode: 'array', types: AS_TEXT })).rows;
    } catch (error) {
      throw unavailable(error);
    }
  };

  return {
    async stream(stream, { from, limit, direction, known = [] }) {
      if (direction === 'forwards' && known.length > 0)
        return (await query<EventRow>('savepoint-log-of-known', FORWARDS_OF_KNOWN, [stream, from ?? 0, limit, known])).map(event);
      if (direction === 'forwards')
        return (await query<EventRow>('savepoint-log-forwards', FORWARDS, [stream, from ?? 0, limit])).map(event);
      return (await query<EventRow>('savepoint-log-backwards', BACKWARDS, [stream, from ?? LAST_REVISION, limit])).map(event);
    },
    async head(stream) {
      const [row] = await query<[string, string]>('savepoint-log-stream', HEAD, [stream]);
      return row ? { revision: Number(row[0]), position: BigInt(row[1]) } : null;
    },
    async end() {
      const [row] = await query<[string]>('savepoint-log-end', END, []);
      return headOf(row);
    },
    async page(after, limit, prefix) {
      const rows = await query<PageRow>('savepoint-log-page', PAGE, [after, after + limit, prefix]);
      return { head: headOf(rows[0]), events: rows.flatMap(([, ...row]) => (row[0] === null ? [] : [event(row)])) };
    },
  };
}

function headOf(row: readonly [string, ...unknown[]] | undefined): number {
  if (!row) throw unavailable(new Error('log_head is empty'));
  return Number(row[0]);
}

function event([position, stream, revision, id, type, data, metadata]: EventRow): RecordedEvent {
  return { id, type, data, metadata, stream, revision: Number(revision), position: BigInt(position) };
}
