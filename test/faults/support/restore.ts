import pg from 'pg';
import { expect } from 'vitest';
import { errorCode, playerHeaders, storagePath } from '../../../infra/harness/project.ts';
import { eventually } from '../../node/support/program.ts';
import { testDatabase } from '../../support/postgres.ts';
import { checkWrites, noFindings } from './checks.ts';
import { note } from './endure.ts';
import type { Place } from './place.ts';
import { startWriting, type Write } from './writers.ts';

/** A database that belongs to the test, and copies of it. Nodes on it must have ended while a copy is made. */
export interface Copied {
  readonly url: string;
  /** Makes a copy and returns its name. */
  take(): Promise<string>;
  /** Replaces the database by a copy, or for `null` by an empty one. Its connections are broken. */
  restore(copy: string | null): Promise<void>;
  close(): Promise<void>;
}

/** What Postgres says while somebody is connected: the server's side of a connection ends a moment after its client. */
const IN_USE = '55006';

export async function copiedDatabase(): Promise<Copied> {
  const url = await testDatabase();
  const name = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const admin = new pg.Client(server.href);
  await admin.connect();
  let taken = 0;
  return {
    url,
    async take() {
      const copy = `${name}_copy${++taken}`;
      const copied = () =>
        admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`).catch((error: pg.DatabaseError) => {
          if (error.code !== IN_USE) throw error;
          return null;
        });
      await eventually('nobody is connected', copied);
      return copy;
    },
    async restore(copy) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${copy ?? 'template0'}`);
    },
    async close() {
      for (; taken > 0; taken--) await admin.query(`DROP DATABASE ${name}_copy${taken} WITH (FORCE)`);
      await admin.end();
    },
  };
}

let rounds = 0;

/** Writes from several clients, all answered when it returns. */
export async function write(place: Place): Promise<readonly Write[]> {
  const writing = startWriting(place.project, ++rounds, { clients: 8 });
  try {
    await eventually('writes go through', async () => writing.acknowledged() >= 60);
  } finally {
    await writing.stop();
  }
  return writing.ended;
}

/** Writes that a restore has removed. None of them may be there, not even in part. */
const undone = (writes: readonly Write[]): readonly Write[] =>
  writes.map((one) => ({ ...one, outcome: 'refused', answer: 'undone by the restore' }));

/** Every write of `kept` once, and none of `gone`. */
export async function expectOnly(fault: string, place: Place, kept: readonly Write[], gone: readonly Write[] = []): Promise<void> {
  const found = noFindings();
  await checkWrites(place.project, [...kept, ...undone(gone)], found);
  const [lost, doubled, torn] = [found.lost.length, found.doubled.length, found.torn.length];
  note({ fault, rounds: 1, acknowledged: kept.length, refused: 0, open: 0, lost, doubled, torn, recoveryMs: null });
  expect(found).toEqual(noFindings());
}

/** The chain is intact, every row is what the log says, and soon no row is missing. */
export async function expectVerified(place: Place): Promise<void> {
  await eventually('the read models are at the head of the log', async () => {
    const { code, stdout } = await place.verify();
    expect([code, stdout]).toEqual([0, expect.stringContaining('Verified')]);
    return !stdout.includes('behind');
  });
}

/** Status and code of a write's answer. */
export async function answer({ project }: Place): Promise<string> {
  const body = { ops: [{ op: 'inc', path: 'n', value: 1 }] };
  const path = storagePath(project, 'crash_counters/probe');
  const came = await project.http.send('POST', path, { headers: playerHeaders(project, '76561198000000001'), body });
  return `${came.status} ${errorCode(came)}`;
}

/** Waits until writes are accepted. */
export async function served(place: Place): Promise<void> {
  await eventually('the project is served again', async () => (await answer(place)) === '200 null');
}
