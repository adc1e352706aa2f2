import { describe, expect, it } from 'vitest';
import { isSignedBy, proxySignature } from '../../../src/domain/security/proxy-signature.ts';

const KEY = 'demo_ns_4f7Kq2ZxV9bLm1Tn8Rw3Yc6Hs5Jd0PgAeUiOrXtB7';
const PLAYER = { projectId: 'proj_demo', player: '76561190000000042', token: 'tok+/=abc' };

describe("the signature of a host's call for another player", () => {
  it.each([
    ['mine-ore', '0104bcb307aa3e050690ad674a27198f7fe128f395201815ae0635d18f4563a7'],
    ['storage-players', '7c988f4033dafb56f5f01878a331f652a4429834e7f9641f05e3f51937bb7b80'],
  ])('is over %s as published clients make it', (purpose, signature) => {
    expect(proxySignature(KEY, { ...PLAYER, purpose })).toBe(signature);
    expect(isSignedBy(KEY, { ...PLAYER, purpose }, signature)).toBe(true);
    expect(isSignedBy(KEY, { ...PLAYER, purpose }, signature.toUpperCase())).toBe(true);
  });

  it('is valid for nothing else', () => {
    const signed = { ...PLAYER, purpose: 'mine-ore' };
    const signature = proxySignature(KEY, signed);
    for (const other of [{ purpose: 'mine' }, { player: '76561190000000043' }, { token: '' }, { projectId: 'p' }]) {
      expect(isSignedBy(KEY, { ...signed, ...other }, signature)).toBe(false);
    }
    expect(isSignedBy('other', signed, signature)).toBe(false);
    for (const text of ['', signature.slice(1), `${signature}0`, 'é'.repeat(32)]) expect(isSignedBy(KEY, signed, text)).toBe(false);
  });
});
