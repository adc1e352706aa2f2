import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { protectedRights } from '../../../src/log/eventstore/protect.ts';
import { here } from '../../node/support/command-line.ts';
import { type StandIn, startStandIn } from '../../support/eventstore/server.ts';

/** `savepoint db protect`: what it tells a server. That a server follows it can be shown on a real one alone. */

const PROTECTED = { $r: '$all', $w: ['$admins', 'game'], $d: ['$admins'], $mr: '$all', $mw: ['$admins', 'game'] };

describe('the rights', () => {
  test('of a server with default rights: everybody reads, and one account appends', () => {
    expect(protectedRights({ settings: {}, all: {} }, 'game')).toEqual({
      settings: { $userStreamAcl: PROTECTED },
      all: { $acl: { $r: ['$admins', 'game'] } },
    });
  });

  test('what an admin has set for reading, for system streams and besides stays', () => {
    const settings = { $userStreamAcl: { $r: ['ops'], $w: ['other'] }, $systemStreamAcl: { $r: 'ops' }, own: 1 };
    const all = { $maxAge: 5, $acl: { $r: 'auditor', $w: 'ops' } };
    expect(protectedRights({ settings, all }, 'game')).toEqual({
      settings: { ...settings, $userStreamAcl: { ...PROTECTED, $r: ['ops'] } },
      all: { $maxAge: 5, $acl: { $r: ['auditor', 'game'], $w: 'ops' } },
    });
  });

  test('are the same when they are set again', () => {
    const once = protectedRights({ settings: {}, all: {} }, 'game');
    expect(protectedRights(once, 'game')).toEqual(once);
    const open = { settings: {}, all: { $acl: { $r: '$all' } } };
    expect(protectedRights(open, 'game').all).toEqual(open.all);
  });
});

describe('the command', () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn();
  });
  afterAll(() => server.close());

  const protect = (...words: readonly string[]) => here(['db', 'protect', ...words], { env: { EVENTSTORE_URL: server.url } });
  const stored = async (stream: string) =>
    ((await server.store.stream(stream)) ?? []).map(({ type, data }) => [
      type.split(' ')[0],
      JSON.parse(Buffer.from(data, 'base64').toString()),
    ]);

  test('asks first, sets both, and says where there is nothing to do', async () => {
    const unasked = await protect('game');
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('give --yes')]);
    expect(await server.store.stream('$settings')).toBeNull();
    expect((await protect('game', '--yes')).stdout).toBe('The rights are set.\n');
    expect(JSON.stringify(await stored('$settings'))).toContain(JSON.stringify({ $userStreamAcl: PROTECTED }));
    expect(JSON.stringify(await stored('$$$all'))).toContain('{"$acl":{"$r":["$admins","game"]}}');
    expect((await protect('game')).stdout).toBe('game has these rights, and nobody else.\n');
    expect(await server.store.stream('$settings')).toHaveLength(1);
  });

  test('rights that cannot be read are left alone', async () => {
    const bad = { id: randomUUID(), type: '$settings json', data: Buffer.from('[1]').toString('base64'), metadata: '' };
    await server.store.append('$settings', 'any', [bad]);
    const refused = await protect('game', '--yes');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the last event of $settings is no JSON object')]);
  });

  test('is refused for what is no account, and where the log is in Postgres', async () => {
    expect((await protect('$all', '--yes')).code).toBe(2);
    const { code, stderr } = await here(['db', 'protect', 'game'], { env: {} });
    expect([code, stderr]).toEqual([2, expect.stringContaining('EVENTSTORE_URL names no EventStoreDB')]);
  });
});
