import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClient, fileStorage } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/options.ts';

/** Asks for a document and for a ledger, and answers which hosts were asked. */
async function asked(
  options: Partial<ClientOptions>,
): Promise<{ readonly document: string | undefined; readonly ledger: string | undefined }> {
  const hosts: string[] = [];
  const fetch = async (url: string) => {
    hosts.push(new URL(url).hostname);
    return new Response('{}', { status: 200 });
  };
  const own = {
    url: 'https://game.example',
    cdnUrl: 'https://cdn.example',
    projectId: 'p',
    publicKey: 'sp_ns_x',
    player: 'ada',
    retries: 0,
  };
  const client = createClient({ ...own, ...options, fetch });
  await client.documents('players').tryGet();
  const [document] = hosts.splice(0);
  await client.documents('players').tryLedger();
  return { document, ledger: hosts[0] };
}

it('a document is read from cdnUrl, a ledger from the server', async () => {
  expect(await asked({})).toEqual({ document: 'cdn.example', ledger: 'game.example' });
});

it.each([
  ['a secret key', { secretKey: 'sp_sk_x' }],
  ['a secret key that was given as the public one', { publicKey: 'sp_sk_x' }],
  ['one without a prefix', { publicKey: `sk_${'a'.repeat(48)}` }],
  ['one under a prefix without a line', { publicKey: `game1sk_${'a'.repeat(48)}` }],
  ['the secret of a guest’s device', { player: { id: 'guest-1', token: `ns_guest_${'a'.repeat(43)}` } }],
])('%s is never sent to cdnUrl', async (_what, options) => {
  expect(await asked(options)).toEqual({ document: 'game.example', ledger: 'game.example' });
});

it('a public key is none, whatever it begins with', async () => {
  expect(await asked({ publicKey: `risk_ns_${'a'.repeat(48)}` })).toMatchObject({ document: 'cdn.example' });
});

it('what is kept in files, such as the secret of a guest’s device, only the user may read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  await fileStorage(folder).setItem('a', 'b');
  await fileStorage(folder).setItem('a', 'c');
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
  rmSync(folder, { recursive: true });
});
