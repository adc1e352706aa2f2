import { describe, expect, it } from 'vitest';
import { acceptMember, acceptMembers, acceptValue, headerSpellings, memberSpellings, wireNames } from '../../src/domain/wire-names.ts';

describe('names on input: both spellings, always', () => {
  it.each([
    ['x-steam-id', 'x-platform-id'],
    ['x-platform-id', 'x-platform-id'],
    ['x-sbox-token', 'x-platform-token'],
    ['x-sbox-auth-token', 'x-platform-auth-token'],
    ['x-sbox-secret-key', 'x-platform-secret-key'],
    ['x-sbox-steam-id', 'x-platform-player-id'],
    ['x-api-key', 'x-api-key'],
  ])('header %s is found under %s', (sent, neutral) => expect(headerSpellings(neutral)).toContain(sent));

  it.each([
    ['steamId', 'platformId'],
    ['steamid', 'platformid'],
    ['steam_id', 'platform_id'],
    ['requireSboxAuth', 'requirePlayerAuth'],
    ['requirePlatformAuth', 'requirePlayerAuth'],
    ['skipSboxAuth', 'skipPlayerAuth'],
    ['gold', 'gold'],
    ['toString', 'toString'],
  ])('member %s is %s', (sent, neutral) => expect(acceptMember(sent)).toBe(neutral));

  it('lists every spelling, the neutral one first', () => {
    expect(headerSpellings('x-platform-id')).toEqual(['x-platform-id', 'x-steam-id']);
    expect(memberSpellings('requirePlayerAuth')).toEqual(['requirePlayerAuth', 'requireSboxAuth', 'requirePlatformAuth']);
    expect(memberSpellings('gold')).toEqual(['gold']);
  });

  it('renames top-level members only, and the neutral one wins where both are there', () => {
    expect(acceptMembers({ steamId: '1', inner: { steamId: '2' } })).toEqual({ platformId: '1', inner: { steamId: '2' } });
    expect(acceptMembers({ steamId: '1', platformId: '2' })).toEqual({ platformId: '2' });
    const plain = { gold: 1 };
    expect(acceptMembers(plain)).toBe(plain);
  });

  it('collection types in any case and with every alias', () => {
    for (const type of ['per-steamid', 'player', ' Per-PlatformId ']) expect(acceptValue('collectionType', type)).toBe('per-platformid');
    expect(acceptValue('collectionType', 'other')).toBe('other');
  });
});

describe('names on output', () => {
  const body = { ok: false, platformId: '1', error: { code: 'PLATFORM_AUTH_FAILED', message: 'm' }, data: { platformId: 'kept' } };

  it('are neutral by default', () => {
    expect(wireNames('neutral').body(body)).toBe(body);
    expect(wireNames('neutral').code('INVALID_PLATFORMID')).toBe('INVALID_PLATFORMID');
  });

  it('are the published clients’ in the published mode: top-level members and codes, never data', () => {
    expect(wireNames('published').body(body)).toEqual({
      ok: false,
      steamId: '1',
      error: { code: 'SBOX_AUTH_FAILED', message: 'm' },
      data: { platformId: 'kept' },
    });
    expect(wireNames('published').body({ error: 'MISSING_PLATFORM_ID' })).toEqual({ error: 'MISSING_STEAM_ID' });
    expect(wireNames('published').collectionType('per-platformid')).toBe('per-steamid');
  });
});
