import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_PREFIXES } from '../../src/domain/wire-names.ts';
import { Bulkhead } from '../../src/kernel/bulkhead.ts';
import { isPrivateAddress } from '../../src/outbound/public-only.ts';
import { createWebhooks } from '../../src/outbound/webhooks.ts';

const CHAT = 'https://chat.example/api/webhooks/';

describe('addresses of webhooks', () => {
  const { isAllowed } = createWebhooks([CHAT]);

  it.each(['https://chat.example/api/webhooks/1/abc', 'https://chat.example/api/webhooks/?x=1', 'HTTPS://CHAT.EXAMPLE/api/webhooks/1'])(
    'to %s',
    (url) => expect(isAllowed(url)).toBe(true),
  );

  it('are those of the default service, unless the installation sets others', () => {
    const [usual = ''] = WEBHOOK_PREFIXES;
    expect([createWebhooks(null).isAllowed(`${usual}1/abc`), createWebhooks([]).isAllowed(`${usual}1/abc`)]).toEqual([true, false]);
  });

  it.each([
    'http://chat.example/api/webhooks/1',
    'https://chat.example/api/webhooks/../admin',
    'https://chat.example/api/webhooks/%2e%2e/admin',
    'https://chat.example/api/webhooks\\..\\..\\admin',
    'https://chat.example/api/webhooks/..%2f..%2Fadmin',
    'https://chat.example/api/webhooks/..%5c..%5Cadmin',
    'https://chat.example.org/api/webhooks/1',
    'https://chat.example:8443/api/webhooks/1',
    'https://someone@chat.example/api/webhooks/1',
    'https://chat.example@10.0.0.1/api/webhooks/1',
    'file:///etc/passwd',
    '',
    'chat',
  ])('not to %s', (url) => expect(isAllowed(url)).toBe(false));
});

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '168.63.129.16',
])('%s is private, in IPv6 too', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
  expect(isPrivateAddress(`::ffff:${address}`)).toBe(true);
  expect(isPrivateAddress(`64:ff9b::${address}`)).toBe(true);
  expect(isPrivateAddress(`64:ff9b:1::${address}`)).toBe(true);
});
it.each(['::1', '::', 'fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '3fff::1', '5f00::1'])(
  '%s is private',
  (address) => expect(isPrivateAddress(address)).toBe(true),
);
it.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111'])('%s is public', (address) => expect(isPrivateAddress(address)).toBe(false));

describe('sending', () => {
  let server: Server;
  let base = '';
  const seen: { path: string; body: string; type: string }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), type: request.headers['content-type'] ?? '' });
        if (request.url === '/never') return;
        if (request.url === '/moved') response.writeHead(302, { Location: '/good' }).end();
        else response.writeHead(request.url === '/good' ? 204 : 400).end('x'.repeat(10_000));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const post = (path: string, timeoutMs = 5000) => createWebhooks([`${base}/`]).post('p', `${base}${path}`, { embeds: [] }, timeoutMs);

  it('returns the outcome, follows no redirect, and never throws', async () => {
    expect(await post('/good')).toEqual({ ok: true, status: 204 });
    expect(seen.at(-1)).toEqual({ path: '/good', body: '{"embeds":[]}', type: 'application/json' });
    expect(await post('/bad')).toEqual({ ok: false, status: 400, error: 'The service answered 400.' });
    expect(await post('/moved')).toMatchObject({ ok: false, status: 302 });
    expect(await post('/never', 50)).toEqual({ ok: false, status: 0, error: 'No answer within 50 ms.' });
    const nobody = await createWebhooks([]).post('p', 'http://127.0.0.1:1/', {}, 5000);
    expect(nobody).toMatchObject({ ok: false, status: 0, error: expect.stringContaining('ECONNREFUSED') });
  });

  it('refuses a project that uses its share, and leaves others theirs', async () => {
    const webhooks = createWebhooks([], new Bulkhead({ slots: 8 }));
    const of = (projectId: string, count: number) =>
      Array.from({ length: count }, () => webhooks.post(projectId, `${base}/good`, {}, 5000));
    const all = await Promise.all([...of('loud', 20), ...of('quiet', 1)]);
    expect(all.slice(0, 20).filter(({ ok }) => ok)).toHaveLength(4);
    expect(all[19]).toMatchObject({ ok: false, error: 'Too many webhooks of this project are under way.' });
    expect(all[20]).toEqual({ ok: true, status: 204 });
    expect((await webhooks.post('loud', `${base}/good`, {}, 5000)).ok).toBe(true);
  });
});
