import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listOf, members, text } from '../../src/folder/answer-shape.ts';
import { checkedBody } from '../../src/folder/remote.ts';
import { here } from '../node/support/command-line.ts';
import { STRANGE, type StrangeServer, startStrangeServer } from '../support/strange-server.ts';

/** Answers that are none of a node, such as a proxy's: each command says so in a sentence, and says no more than it knows. */

let server: StrangeServer;
const dir = mkdtempSync(join(tmpdir(), 'savepoint-strange-'));

beforeAll(async () => {
  server = await startStrangeServer();
  mkdirSync(join(dir, 'game'));
});
beforeEach(() => {
  rmSync(join(dir, 'game'), { recursive: true });
  mkdirSync(join(dir, 'game', 'collections'), { recursive: true });
  writeFileSync(join(dir, 'game', 'savepoint.json'), JSON.stringify({ address: server.url, project: 'p' }));
  writeFileSync(join(dir, 'game', 'collections', 'players.yml'), 'kind: collection\nid: players\nschema: {}\n');
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true });
});

function savepoint(words: readonly string[]) {
  const env = { SAVEPOINT_URL: server.url, SAVEPOINT_PROJECT: 'p', SAVEPOINT_SECRET_KEY: 'ns_sec_x', HOME: dir };
  return here([...words, '--dir', join(dir, 'game')], { env });
}

const COMMANDS = [
  'push',
  'push --live --force --prune',
  'check',
  'diff',
  'diff --staged',
  'pull',
  'test',
  'test --only buy',
  'logs',
  'logs --follow',
  'publishes',
  'rollback --yes',
  'rollback --dry-run --to 4',
  'promote --yes',
  'types --remote --out -',
  'doc get players 42',
  'doc set players 42 gold+=1',
  'doc set players 42 gold+=1 --no-strict',
  'ledger players 42',
  'ledger players 42 --json',
  'call buy --dry-run',
];

/** Answered `{}`: an empty document. */
const MAY_BE_EMPTY = 'doc get players 42';

describe.each(COMMANDS)('%s', (line) => {
  const words = line.split(' ');

  test.each(STRANGE)('answered with %j says that no node answers', async (answer) => {
    server.answers(answer);
    const { code, stdout, stderr } = await savepoint(words);
    if (answer === '{}' && line === MAY_BE_EMPTY) return;
    expect(`${stdout}${stderr}`).toContain('gave an answer that is none of a Savepoint server');
    expect(code).toBe(1);
  });

  test.each(lists())('answered with lists of nothing, %s', async (answer) => {
    server.answers(answer);
    const { stdout, stderr } = await savepoint(words);
    expect(`${stdout}${stderr}`).not.toMatch(/TypeError|SyntaxError|undefined|not a function|not iterable|SAVEPOINT_DEBUG/);
  });
});

/** An answer with every list that a command reads, filled with what does not belong there. */
function lists(): readonly string[] {
  const names = ['data', 'changes', 'publishes', 'results', 'requests', 'entries', 'endpoints', 'collections', 'rules', 'findings'];
  const facts = { ok: true, staged: true, liveHash: '', nextHash: '', hash: '', total: 1, passed: 1, failed: 0, to: 1, generation: 0 };
  const wrong = [null, 7, {}, [[]]];
  return wrong.map((item) =>
    JSON.stringify({ ...facts, ...Object.fromEntries(names.map((name) => [name, [item]])), summary: {}, result: item, cursor: item }),
  );
}

describe('call', () => {
  test('an endpoint may answer any JSON, and nothing else', async () => {
    server.answers('null');
    expect((await savepoint(['call', 'buy'])).stdout).toBe('200 null\n');
    server.answers('<html>');
    expect((await savepoint(['call', 'buy'])).stderr).toContain('it is no JSON');
  });
});

describe('logs --follow', () => {
  const follow = async (data: string) => {
    server.answers(data, 'text/event-stream');
    return (await savepoint(['logs', '--follow'])).stderr;
  };

  test.each(['request', 'gap', 'refused'])('ends where the data of %s are none', async (event) => {
    expect(await follow(`event: ${event}\ndata: {\n\n`)).toContain('it is no JSON object');
    expect(await follow(`event: ${event}\ndata: null\n\n`)).toContain('it is no JSON object');
    if (event !== 'gap') expect(await follow(`event: ${event}\ndata: {}\n\n`)).toMatch(/its '\w+' is no text/);
  });
});

test('what is wrong in an answer is named by its place', () => {
  const shape = members({ changes: listOf(members({ kind: text })) });
  const check = (body: object) => () => checkedBody({ url: 'http://node.example/v3', body: JSON.parse(JSON.stringify(body)) }, shape);
  expect(check({ changes: [{ kind: 'query' }, { kind: 7 }] })).toThrow(
    "http://node.example gave an answer that is none of a Savepoint server: its 'changes[1].kind' is no text",
  );
  expect(check({ changes: 7 })).toThrow("it has no list 'changes'");
  expect(check([])).toThrow('it is no JSON object');
});
