import { PackedDocument } from '../../src/domain/document/packed.ts';
import { forgottenAfter } from '../../src/domain/security/request-id.ts';
import type { SubjectState } from '../../src/domain/states.ts';
import { sessionFrom } from '../models/access/read.ts';
import { AUTHORITY_QUERY, authorityFrom } from '../models/authority/read.ts';
import { DEFINITIONS_QUERY, definitionsFrom } from '../models/definitions/read.ts';
import { balancesFrom } from '../models/documents/balances.ts';
import { guestFrom } from '../models/guests/projection.ts';
import { keptFrom } from '../models/idempotency/read.ts';
import { pageFrom } from '../models/pages/projection.ts';
import { recordListFrom } from '../models/save_records/projection.ts';

/** How the state of each kind of subject is loaded from the state tables. */

/** The columns of a row: two texts, three whole numbers, and the fields of rate windows. */
export interface StateRow {
  readonly a: string | null;
  readonly b: string | null;
  readonly m: string | null;
  readonly n: string | null;
  readonly o: string | null;
  readonly used: number | null;
  readonly flagged: boolean | null;
}

export const COLUMN_TYPES: Readonly<Record<keyof StateRow, string>> = {
  a: 'text',
  b: 'text',
  m: 'bigint',
  n: 'bigint',
  o: 'bigint',
  used: 'double precision',
  flagged: 'boolean',
};

export interface StateLoader {
  /** The columns of `w` to join on, with their types: they name a row, in order. */
  readonly keyColumns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** The values of `keyColumns`, from the parts of a subject's key after its kind. */
  keyOf(parts: readonly string[]): readonly string[];
  /** The table to join, with its condition; `$1` is the project. */
  readonly rows: string;
  readonly columns: Readonly<Partial<Record<keyof StateRow, string>>>;
  state(row: StateRow): SubjectState;
}

const unchanged = (parts: readonly string[]) => parts;

/** By the first part of a subject's key; see `src/domain/subjects.ts`. */
export const STATE_LOADERS: Readonly<Record<string, StateLoader>> = {
  document: {
    keyColumns: { space: 'text', collection: 'text', key: 'text' },
    keyOf: unchanged,
    rows: '{documents} d ON d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key',
    columns: { a: 'd.document::text', b: 'd.told::text', m: 'd.version', n: 'd.created_at', o: 'd.updated_at' },
    state: ({ a, b, m, n, o }) => {
      const [version, createdAt, updatedAt, balances] = [Number(m), Number(n), Number(o), balancesFrom(b)];
      return a === null
        ? { document: null, version, createdAt, updatedAt, balances }
        : new PackedDocument(a, version, createdAt, updatedAt, balances);
    },
  },
  unique: {
    keyColumns: { space: 'text', collection: 'text', hash: 'text' },
    keyOf: unchanged,
    rows: '{uniques} u ON u.project = $1 AND u.space = w.space AND u.collection = w.collection AND u.hash = w.hash',
    columns: { a: 'u.holder' },
    state: ({ a }) => ({ holder: a ?? '' }),
  },
  window: {
    keyColumns: { space: 'text', counter: 'text' },
    // Texts that callers choose come last, because they may contain a slash.
    keyOf: ([space = '', ...counter]) => [space, counter.join('/')],
    rows: '{limits} l ON l.project = $1 AND l.space = w.space AND l.counter = w.counter',
    columns: { m: 'l.start', used: 'l.used', flagged: 'l.flagged' },
    state: ({ m, used, flagged }) => ({ start: Number(m), used: used ?? 0, flagged: flagged ?? false }),
  },
  idempotency: {
    keyColumns: { space: 'text', scope: 'text', caller: 'text', key: 'text' },
    keyOf: ([space = '', scope = '', caller = '', ...key]) => [space, scope, caller, key.join('/')],
    rows: '{idempotency} k ON k.project = $1 AND k.space = w.space AND k.scope = w.scope AND k.caller = w.caller AND k.key = w.key',
    columns: { a: 'k.request', b: 'k.outcome', m: 'k.until' },
    state: ({ a, b, m }) => keptFrom(a ?? '', b ?? '{}', Number(m)),
  },
  records: {
    keyColumns: { space: 'text', collection: 'text', player: 'text' },
    keyOf: unchanged,
    rows: '{save_records} s ON s.project = $1 AND s.space = w.space AND s.collection = w.collection AND s.player = w.player',
    columns: { a: 's.records::text' },
    state: ({ a }) => recordListFrom(a ?? '[]'),
  },
  page: {
    keyColumns: { slug: 'text' },
    keyOf: unchanged,
    rows: '{pages} p ON p.project = $1 AND p.slug = w.slug',
    columns: { a: 'p.page::text', m: 'p.created_at', n: 'p.updated_at' },
    state: ({ a, m, n }) => pageFrom(a ?? '{}', Number(m), Number(n)),
  },
  session: {
    keyColumns: { family: 'text' },
    keyOf: unchanged,
    rows: '{sessions} s ON s.project = $1 AND s.family = w.family',
    columns: { a: 's.sessions::text', b: 's.player' },
    state: ({ a, b }) => sessionFrom(a ?? '[]', b ?? ''),
  },
  guest: {
    keyColumns: { guest: 'text' },
    keyOf: unchanged,
    rows: '{guests} g ON g.project = $1 AND g.guest = w.guest',
    columns: { a: 'g.body::text' },
    state: ({ a }) => guestFrom(a ?? ''),
  },
  'guest-name': {
    keyColumns: { kind: 'text', name: 'text' },
    keyOf: ([kind = '', ...name]) => [kind, name.join('/')],
    rows: '{guest_names} n ON n.project = $1 AND n.kind = w.kind AND n.name = w.name',
    columns: { a: 'n.guest' },
    state: ({ a }) => ({ guest: a ?? '' }),
  },
  request: {
    keyColumns: { until: 'bigint', type: 'text', identity: 'text', request: 'text' },
    keyOf: ([type = '', identity = '', request = '']) => [String(forgottenAfter(request)), type, identity, request],
    rows: `{used_requests} r ON r.project = $1 AND r.until = w.until AND r.identity_type = w.type AND r.identity = w.identity
      AND r.request = w.request`,
    columns: { m: 'r.until' },
    state: ({ m }) => ({ until: Number(m) }),
  },
  authority: {
    keyColumns: {},
    keyOf: () => [],
    rows: `(${AUTHORITY_QUERY}) q ON true`,
    columns: { a: 'q.body' },
    state: ({ a }) => authorityFrom(a ?? ''),
  },
  definitions: {
    keyColumns: {},
    keyOf: () => [],
    rows: `(${DEFINITIONS_QUERY}) q ON true`,
    columns: { a: 'q.body' },
    state: ({ a }) => definitionsFrom(a ?? ''),
  },
};
