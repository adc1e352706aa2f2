import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { followLogs } from '../../src/cli/remote/logs.ts';
import { serverAccessOf } from '../../src/folder/credentials.ts';
import { Remote } from '../../src/folder/remote.ts';
import { keepPerson } from '../../src/folder/user-file.ts';
import type { Node } from '../../src/main.ts';
import { askConsole, type SignedBrowser } from '../support/console.ts';
import { here, printed } from './support/command-line.ts';
import { type Client, ok } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What commands show a person of a player: masked, and with `--reveal` for a reason that is recorded before. */

const ADA = '76561198000000001';
const MAIL = 'ada@personal.example';

const NEVER = {
  ...{ id: 'no', type: 'assert', check: { field: 'me.gold', op: '<', value: 0 } },
  ...{ errorCode: 'NO', message: 'no: {{me.email}}' },
};

let node: Node;
let manager: Client;
let owner: SignedBrowser;
let project: string;
/** Of a person who is signed in on the command line. */
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const started = await startNodeHere('Reveal');
  ({ node, project, manager, owner } = started);
  const { origin } = started.console;
  const at = { origin, port: Number(new URL(origin).port) };
  const begun = JSON.parse((await askConsole(at, 'POST', '/api/command-line', {}, { machine: 'here' })).text);
  await owner.change('POST', `/api/command-line/${begun.code}`);
  const { token, name } = JSON.parse((await askConsole(at, 'POST', '/api/command-line/token', {}, { secret: begun.secret })).text);
  env = { XDG_CONFIG_HOME: newFolder(), SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: project };
  keepPerson(node.url, { console: origin, name, token }, env);
  const saves = { gold: { type: 'number', _ledger: true }, email: { type: 'string', _personal: true, _unique: true } };
  const me = { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' };
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ id: 'saves', accessMode: 'public', schema: saves }] }));
  await ok(
    manager.manage('PUT', manager.definitions('endpoints'), {
      body: [
        { slug: 'me', steps: [me], response: { body: { mail: '{{me.email}}' } } },
        { slug: 'deny', steps: [me, NEVER], response: { body: {} } },
      ],
    }),
  );
  await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { gold: 5, email: MAIL } }));
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

async function looksFor(reason: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { text } = await owner.get(`/v3/manage/${project}/access?limit=200`);
  return Object(JSON.parse(text)).looks.filter((look: Readonly<Record<string, unknown>>) => look['reason'] === reason);
}

test.each<[string, readonly string[]]>([
  ['a document', ['doc', 'get', 'saves', ADA]],
  ['one field of it', ['doc', 'get', 'saves', ADA, 'email']],
  ['its history', ['doc', 'history', 'saves', ADA]],
  ['two moments of it', ['doc', 'compare', 'saves', ADA, '--from', '0']],
  ['a table of documents', ['doc', 'list', 'saves', '--columns', 'email']],
  ['a player', ['player', 'show', ADA]],
  ['the commits of a player', ['player', 'timeline', ADA, '--json']],
  ['an endpoint that was called', ['call', 'me', '--player', ADA]],
  ['what a correction would change', ['doc', 'delete', 'saves', ADA, '--reason', 'asked to', '--dry-run']],
])('%s is shown masked, and with --reveal as it is, which is recorded with the reason', async (what, words) => {
  const masked = await here(words, { env });
  expect([masked.code, masked.stdout.includes(MAIL), masked.stderr]).toEqual([0, false, expect.stringContaining('--reveal REASON')]);
  const reason = `ticket 7: ${what}`;
  expect(await printed([...words, '--reveal', reason], { env })).toContain(MAIL);
  expect(await looksFor(reason)).toContainEqual(expect.objectContaining({ name: 'owner', reason }));
});

test('the call log and a test tell what an endpoint said of personal values with --reveal alone', async () => {
  const test = { id: 'other', name: 'other', endpoint: 'me', platformId: ADA, expect: { body: { mail: 'other@personal.example' } } };
  await ok(manager.manage('PUT', `/v3/manage/${project}/tests`, { body: [test] }));
  await manager.play('POST', `/v3/endpoints/${project}/deny`, { body: {} }, ADA);
  for (const [words, code] of [
    [['logs', '--code', 'NO'], 0],
    [['test', '--live'], 1],
  ] as const) {
    const masked = await here(words, { env });
    expect([masked.code, masked.stdout.includes(MAIL), masked.stdout]).toEqual([code, false, expect.stringContaining('[personal]')]);
    const shown = await here([...words, '--reveal', `ticket of ${words[0]}`], { env });
    expect([shown.code, shown.stdout]).toEqual([code, expect.stringContaining(MAIL)]);
    expect(await looksFor(`ticket of ${words[0]}`)).not.toEqual([]);
  }
});

test('the call log is followed with the reason', async () => {
  const followed = async (headers: Readonly<Record<string, string>>) => {
    const stop = new AbortController();
    const told: (string | null)[] = [];
    const remote = new Remote(serverAccessOf({}, { ...env }), { headers });
    const take = ({ message }: { readonly message: string | null }) => {
      told.push(message);
      stop.abort();
    };
    const refused = () => expect.unreachable();
    const filter = { errors: false, code: 'NO', lines: 1 };
    await followLogs(remote, filter, stop.signal, { request: take, gap: () => undefined, broken: () => undefined, refused });
    return told;
  };
  expect(await followed({})).toEqual(['[personal]']);
  expect(await followed({ 'x-ns-reveal': 'follows' })).toEqual([`no: ${MAIL}`]);
});

test('a unique value is looked for among personal fields with --reveal alone, and a refusal says how it is given', async () => {
  expect(await printed(['explain', MAIL], { env })).toContain('saves.email');
  expect(await printed(['explain', MAIL, '--reveal', 'ticket 8'], { env })).toContain(`saves/${ADA}`);
  const set = ['doc', 'set', 'saves', ADA, 'email=b@personal.example'];
  expect(await here(set, { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('--reveal REASON') });
  await printed([...set, '--reveal', 'ticket 9'], { env });
  expect(await looksFor('ticket 9')).toContainEqual(expect.objectContaining({ page: 'writeDocument', player: ADA }));
});

test('what a person did is listed by their id, with why; another key did none of it', async () => {
  const correct = ['doc', 'set', 'saves', ADA, 'gold+=3', '--correction', '--reason', 'refund 9', '--ticket', 'T-9'];
  await printed([...correct, '--reveal', 'refund 9'], { env });
  const { commits } = JSON.parse(await printed(['activity', '--kind', 'document.correct', '--limit', '1', '--json'], { env }));
  const [{ actor, revision }] = commits;
  const listed = await printed(['activity', '--who', actor.person], { env });
  expect(listed).toMatch(new RegExp(`document\\.correct \\(gold \\+3\\) +owner +${revision} +refund 9 · T-9`));
  expect(listed).not.toContain('Secret key');
  // Of a look the answer alone is kept, and of a refusal.
  expect(listed).toContain('document.correct (a look, or refused: nothing changed)');
  const others = await printed(['activity', '--who', 'k_nobody', '--limit', '1'], { env });
  expect(others.trim()).toBe('Nothing like that happened.');
});

test('who looked at whom, and how often, is a sentence; the revision of a change is that of its commit', async () => {
  const said = await printed(['access', '--player', ADA], { env });
  expect(said).toMatch(/owner \(per_[0-9a-f]+\) looked at 76561198000000001: \d+ times, \d+ times with personal values/);
  const [head = ''] = (await printed(['doc', 'history', 'saves', ADA, '--limit', '1', '--reveal', 'ticket 7'], { env })).split('\n');
  const { commits } = JSON.parse((await owner.get(`/v3/manage/${project}/commits?player=${ADA}&kind=document&limit=1`)).text);
  expect(head.split(' ')[0]).toBe(String(commits[0].revision));
});
