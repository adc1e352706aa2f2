import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consumeRequest, forgottenAfter, requestIdOf } from '../../../src/domain/security/request-id.ts';
import type { UsedRequest } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

const NOW = 1_760_000_000;

function use(requestId: string, used: UsedRequest | null = null, windowSeconds = 120, now = NOW * 1000): string {
  const outcome = consumeRequest({ type: 'platform', identity: '76561190000000042', requestId, windowSeconds, now, used });
  return outcome instanceof Refusal ? outcome.code : outcome.type;
}

describe('a request id', () => {
  it.each([
    ['1760000000_abcdef', 'request.consumed'],
    ['1759999880_abcdef', 'request.consumed'],
    ['1760000120_abcdef', 'request.consumed'],
    ['1759999879_abcdef', 'ENCRYPTED_REQUEST_STALE'],
    ['1760000121_abcdef', 'ENCRYPTED_REQUEST_STALE'],
    ['1760000000_abcde', 'ENCRYPTED_REQUEST_INVALID_ID'],
    ['1760000000_abc.def', 'ENCRYPTED_REQUEST_INVALID_ID'],
    ['1760000000_abc_def-1', 'request.consumed'],
    ['12345_abcdef', 'ENCRYPTED_REQUEST_INVALID_ID'],
    ['1760000000_0123456789abcdef0123456789abcdef1042', 'request.consumed'],
    ['  1760000000_abcdef\t', 'request.consumed'],
    [`1760000000_${'a'.repeat(300)}`, 'ENCRYPTED_REQUEST_INVALID_ID'],
    ['', 'ENCRYPTED_REQUEST_INVALID_ID'],
  ])('%j comes to %s', (id, outcome) => expect(use(id)).toBe(outcome));

  it('is valid once', () => {
    expect(use('1760000000_abcdef', { until: 1 })).toBe('ENCRYPTED_REQUEST_REPLAY_DETECTED');
  });

  it('is refused as too old before it is refused as used, so that the answer is the same after it was swept', () => {
    expect(use('1759999000_abcdef', { until: 1 })).toBe('ENCRYPTED_REQUEST_STALE');
    expect(use('1759999000_abcdef')).toBe('ENCRYPTED_REQUEST_STALE');
  });

  it('is remembered for as long as any setting accepts it', () => {
    const window = fc.integer({ min: 30, max: 600 });
    const property = fc.property(fc.integer({ min: 100_000_000, max: 99_999_999_999 }), window, fc.nat(), (issued, seconds, later) => {
      const id = `${issued}_abcdef`;
      expect(use(id, null, seconds, forgottenAfter(id) + later)).toBe('ENCRYPTED_REQUEST_STALE');
    });
    fc.assert(property);
  });

  it('is read from any text as an id of bounded length or as none, and never throws', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      const id = requestIdOf(text);
      expect(id === null || /^[0-9]{9,11}_[\w-]{6,}$/.test(id)).toBe(true);
      expect(() => use(text)).not.toThrow();
    });
    fc.assert(property);
  });
});
