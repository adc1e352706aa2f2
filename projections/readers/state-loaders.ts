import { PackedDocument } from '../../src/domain/document/packed.ts';
import { forgottenAfter } from '../../src/domain/security/request-id.ts';
import type { StateOf, SubjectKind } from '../../src/domain/states.ts';
import { sessionFrom } from '../models/access/read.ts';
import { AUTHORITY_QUERY, authorityFrom } from '../models/authority/read.ts';
import { grantFrom, grantOutcomeFrom, LISTED } from '../models/corrections/projection.ts';
import { DEFINITIONS_QUERY, definitionsFrom } from '../models/definitions/read.ts';
import { guestFrom } from '../models/guests/projection.ts';
import { keptFrom } from '../models/idempotency/read.ts';
import { pageFrom } from '../models/pages/projection.ts';
import { releaseFrom } from '../models/releases/projection.ts';
import { recordListFrom } from '../models/save_records/projection.ts';

/** How the state of each kind of subject is loaded from the state tables. */

/** What rows are made of, and how Postgres sends it. A statement has the columns of the kinds that it loads. */
export interface StateRow {
  readonly document: string | null;
  readonly balances: string | null;
  readonly parts: string | null;
  readonly version: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly holder: string | null;
  readonly start: string | null;
  readonly used: number | null;
  readonly flagged: boolean | null;
  readonly request: string | null;
  readonly outcome: string | null;
  readonly until: string | null;
  readonly records: string | null;
  readonly page: string | null;
  readonly sessions: string | null;
  readonly player: string | null;
  readonly guest: string | null;
  readonly body: string | null;
  readonly undone: boolean | null;
}

export type Column = keyof StateRow;

export const COLUMN_TYPES: Readonly<Record<Column, 'text' | 'bigint' | 'double precision' | 'boolean'>> = {
  document: 'text',
  balances: 'text',
  parts: 'text',
  version: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  holder: 'text',
  start: 'bigint',
  used: 'double precision',
  flagged: 'boolean',
  request: 'text',
  outcome: 'text',
  until: 'bigint',
  records: 'text',
  page: 'text',
  sessions: 'text',
  player: 'text',
  guest: 'text',
  body: 'text',
  undone: 'boolean',
};

export interface StateLoader<Kind extends SubjectKind = SubjectKind> {
  /** The columns of `w` to join on, with their types: they name a row, in order. */
  readonly keyColumns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** The values of `keyColumns`, from the parts of a subject's key after its kind. */
  keyOf(parts: readonly string[]): readonly string[];
  /** The table to join, with its condition; `$1` is the project. */
  readonly rows: string;
  readonly columns: Readonly<Partial<Record<Column, string>>>;
  state(row: StateRow): StateOf[Kind];
}

const unchanged = (parts: readonly string[]) => parts;

export const STATE_LOADERS: { readonly [Kind in SubjectKind]: StateLoader<Kind> } = {
  document: {
    keyColumns: { space: 'text', collection: 'text', key: 'text' },
    keyOf: unchanged,
    rows: '{documents} d ON d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key',
    columns: {
      document: 'd.document::text',
      balances: 'd.balances::text',
      parts: 'd.parts::text',
      version: 'd.version',
      created_at: 'd.created_at',
      updated_at: 'd.updated_at',
    },
    state: ({ document, ...row }) => {
      const [version, createdAt, updatedAt] = [Number(row.version), Number(row.created_at), Number(row.updated_at)];
      const balances = row.balances ?? undefined;
      const parts = row.parts === null ? undefined : JSON.parse(row.parts);
      return document === null
        ? { document, version, createdAt, updatedAt, balances, parts }
        : new PackedDocument(document, version, createdAt, updatedAt, balances, parts);
    },
  },
  unique: {
    keyColumns: { space: 'text', collection: 'text', hash: 'text' },
    keyOf: unchanged,
    rows: '{uniques} u ON u.project = $1 AND u.space = w.space AND u.collection = w.collection AND u.hash = w.hash',
    columns: { holder: 'u.holder' },
    state: ({ holder }) => ({ holder: holder ?? '' }),
  },
  window: {
    keyColumns: { space: 'text', counter: 'text' },
    // Texts that callers choose come last, because they may contain a slash.
    keyOf: ([space = '', ...counter]) => [space, counter.join('/')],
    rows: '{limits} l ON l.project = $1 AND l.space = w.space AND l.counter = w.counter',
    columns: { start: 'l.start', used: 'l.used', flagged: 'l.flagged' },
    state: ({ start, used, flagged }) => ({ start: Number(start), used: used ?? 0, flagged: flagged ?? false }),
  },
  idempotency: {
    keyColumns: { space: 'text', scope: 'text', caller: 'text', key: 'text' },
    keyOf: ([space = '', scope = '', caller = '', ...key]) => [space, scope, caller, key.join('/')],
    rows: '{idempotency} k ON k.project = $1 AND k.space = w.space AND k.scope = w.scope AND k.caller = w.caller AND k.key = w.key',
    columns: { request: 'k.request', outcome: 'k.outcome', until: 'k.until' },
    state: ({ request, outcome, until }) => keptFrom(request ?? '', outcome ?? '{}', Number(until)),
  },
  records: {
    keyColumns: { space: 'text', collection: 'text', player: 'text' },
    keyOf: unchanged,
    rows: '{save_records} s ON s.project = $1 AND s.space = w.space AND s.collection = w.collection AND s.player = w.player',
    columns: { records: 's.records::text' },
    state: ({ records }) => recordListFrom(records ?? '[]'),
  },
  page: {
    keyColumns: { slug: 'text' },
    keyOf: unchanged,
    rows: '{pages} p ON p.project = $1 AND p.slug = w.slug',
    columns: { page: 'p.page::text', created_at: 'p.created_at', updated_at: 'p.updated_at' },
    state: ({ page, created_at, updated_at }) => pageFrom(page ?? '{}', Number(created_at), Number(updated_at)),
  },
  session: {
    keyColumns: { family: 'text' },
    keyOf: unchanged,
    rows: '{sessions} s ON s.project = $1 AND s.family = w.family',
    columns: { sessions: 's.sessions::text', player: 's.player' },
    state: ({ sessions, player }) => sessionFrom(sessions ?? '[]', player ?? ''),
  },
  guest: {
    keyColumns: { guest: 'text' },
    keyOf: unchanged,
    rows: '{guests} g ON g.project = $1 AND g.guest = w.guest',
    columns: { body: 'g.body::text' },
    state: ({ body }) => guestFrom(body ?? ''),
  },
  'guest-name': {
    keyColumns: { kind: 'text', name: 'text' },
    keyOf: ([kind = '', ...name]) => [kind, name.join('/')],
    rows: '{guest_names} n ON n.project = $1 AND n.kind = w.kind AND n.name = w.name',
    columns: { guest: 'n.guest' },
    state: ({ guest }) => ({ guest: guest ?? '' }),
  },
  request: {
    keyColumns: { until: 'bigint', type: 'text', identity: 'text', request: 'text' },
    keyOf: ([type = '', identity = '', request = '']) => [String(forgottenAfter(request)), type, identity, request],
    rows: `{used_requests} r ON r.project = $1 AND r.until = w.until AND r.identity_type = w.type AND r.identity = w.identity
      AND r.request = w.request`,
    columns: { until: 'r.until' },
    state: ({ until }) => ({ until: Number(until) }),
  },
  undone: {
    keyColumns: { commit: 'bigint' },
    keyOf: unchanged,
    rows: '{undone_commits} c ON c.project = $1 AND c.commit = w.commit',
    columns: { undone: 'c.undone' },
    state: ({ undone }) => ({ undone: undone === true }),
  },
  grant: {
    keyColumns: { grant_id: 'text' },
    keyOf: unchanged,
    rows: '{grants} g ON g.project = $1 AND g.grant_id = w.grant_id',
    columns: { body: 'g.body::text' },
    state: ({ body }) => grantFrom(body ?? ''),
  },
  'grant-player': {
    keyColumns: { grant_id: 'text', player: 'text' },
    keyOf: unchanged,
    // Who is listed only has no state yet.
    rows: `{grant_players} p ON p.project = $1 AND p.grant_id = w.grant_id AND p.player = w.player AND p.outcome <> '${LISTED}'`,
    columns: { outcome: 'p.outcome' },
    state: ({ outcome }) => ({ is: grantOutcomeFrom(outcome ?? '') }),
  },
  alarm: {
    keyColumns: { alarm: 'text', time_window: 'text' },
    keyOf: unchanged,
    rows: '{alarms} a ON a.project = $1 AND a.alarm = w.alarm AND a.time_window = w.time_window',
    columns: { used: 'a.amount' },
    state: ({ used }) => ({ amount: Number(used) }),
  },
  release: {
    keyColumns: {},
    keyOf: () => [],
    rows: '{releases} r ON r.project = $1',
    columns: { body: 'r.body::text' },
    state: ({ body }) => releaseFrom(body ?? ''),
  },
  authority: {
    keyColumns: {},
    keyOf: () => [],
    rows: `(${AUTHORITY_QUERY}) q ON true`,
    columns: { body: 'q.body' },
    state: ({ body }) => authorityFrom(body ?? ''),
  },
  definitions: {
    keyColumns: {},
    keyOf: () => [],
    rows: `(${DEFINITIONS_QUERY}) q ON true`,
    columns: { body: 'q.body' },
    state: ({ body }) => definitionsFrom(body ?? ''),
  },
};
