import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProject, type Project } from '../../../infra/harness/project.ts';
import { checkWrites, type Findings, noFindings } from './checks.ts';
import type { Kind, Write } from './writers.ts';

/**
 * The crash loop is only as good as its checks. Here a node answers what it is told to, and the checks must find what it lost, doubled or
 * tore apart.
 */

let answers: Record<string, { readonly body: unknown; readonly version?: number }>;
let server: Server;
let project: Project;

beforeEach(async () => {
  answers = {};
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://node').pathname.replace('/v3/storage/p/', '');
    const answer = answers[path];
    response.writeHead(answer === undefined ? 404 : 200, { 'x-ns-save-version': String(answer?.version ?? 1) });
    response.end(JSON.stringify(answer?.body ?? { ok: false, error: { code: 'NOT_FOUND', message: '' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  project = openProject(`http://127.0.0.1:${port}`, { projectId: 'p', publicKey: 'public', secretKey: 'secret' });
  answers['crash_feed/list'] = { body: { records: [], cursor: null } };
});

afterEach(() => {
  project.http.close();
  server.close();
});

describe('operations', () => {
  test('an acknowledged write that is missing is lost', async () => {
    answers['crash_counters/r1-0'] = { body: { n: 1, marks: ['r1-c0-1'] } };
    expect(await findings(write('operations', 1), write('operations', 2))).toMatchObject({
      lost: ['operations r1-c0-2'],
      doubled: [],
      torn: [],
    });
  });

  test('a write that is there twice is doubled, known or unknown', async () => {
    answers['crash_counters/r1-0'] = { body: { n: 4, marks: ['r1-c0-1', 'r1-c0-1', 'r1-c0-2', 'r1-c0-2'] } };
    const found = await findings(write('operations', 1), write('operations', 2, 'unknown'));
    expect(found.doubled).toEqual(['operations r1-c0-1: 2 times', 'operations r1-c0-2: 2 times']);
  });

  test('an unknown write may be there or not', async () => {
    answers['crash_counters/r1-0'] = { body: { n: 1, marks: ['r1-c0-1'] } };
    expect(await findings(write('operations', 1, 'unknown'), write('operations', 2, 'unknown'))).toEqual(noFindings());
  });

  test('a refused write must not be there', async () => {
    answers['crash_counters/r1-0'] = { body: { n: 1, marks: ['r1-c0-1'] } };
    expect((await findings(write('operations', 1, 'refused'))).doubled).toHaveLength(1);
  });

  test('a counter that does not match its marks is torn', async () => {
    answers['crash_counters/r1-0'] = { body: { n: 2, marks: ['r1-c0-1'] } };
    expect((await findings(write('operations', 1))).torn).toHaveLength(1);
  });
});

describe('saves', () => {
  test('a save older than the last acknowledged one is lost', async () => {
    answers['crash_saves/r1-0'] = { body: { seq: 1 }, version: 1 };
    expect((await findings(write('save', 1), write('save', 2))).lost).not.toEqual([]);
  });

  test('a version beyond the number of writes is a doubled one', async () => {
    answers['crash_saves/r1-0'] = { body: { seq: 2 }, version: 3 };
    expect((await findings(write('save', 1), write('save', 2))).doubled).not.toEqual([]);
  });

  test('the last save may be one whose answer never came', async () => {
    answers['crash_saves/r1-0'] = { body: { seq: 2 }, version: 2 };
    expect(await findings(write('save', 1), write('save', 2, 'unknown'))).toEqual(noFindings());
  });
});

describe('endpoint calls', () => {
  const ledger = (...sources: string[]) => ({ body: { entries: sources.map((source) => ({ source })), cursor: null } });

  test('a call whose second document was not written is torn', async () => {
    answers['crash_players/r1-0'] = { body: { gold: 1, marks: ['r1-c0-1'] } };
    answers['crash_players/r1-0/ledger'] = ledger('r1-c0-1');
    expect((await findings(write('endpoint', 1))).torn).not.toEqual([]);
  });

  test('a ledger without the entry is torn', async () => {
    answers['crash_players/r1-0'] = { body: { gold: 1, marks: ['r1-c0-1'] } };
    answers['crash_towns/town-r1-0'] = { body: { n: 1, marks: ['r1-c0-1'] } };
    answers['crash_players/r1-0/ledger'] = ledger();
    expect((await findings(write('endpoint', 1))).torn).toHaveLength(1);
  });
});

test('an append that is listed twice is doubled, one that is not listed is lost', async () => {
  answers['crash_feed/list'] = { body: { records: [{ mark: 'r1-c0-1' }, { mark: 'r1-c0-1' }], cursor: null } };
  const found = await findings(write('append', 1), write('append', 2));
  expect(found).toMatchObject({ lost: ['append r1-c0-2'], doubled: ['append r1-c0-1: 2 times'] });
});

async function findings(...writes: readonly Write[]): Promise<Findings> {
  const found = noFindings();
  await checkWrites(project, writes, found);
  return found;
}

function write(kind: Kind, seq: number, outcome: Write['outcome'] = 'acknowledged'): Write {
  return { round: 1, kind, mark: `r1-c0-${seq}`, seq, key: 'r1-0', outcome, answer: '200', recordId: null };
}
