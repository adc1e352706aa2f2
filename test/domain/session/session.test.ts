import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DomainEvent, projectEvent } from '../../../src/domain/events.ts';
import { createSession, type OpenedSession, refreshSession, revokeSession, sessionInForce } from '../../../src/domain/session/decide.ts';
import { evolveSession, expiryOf } from '../../../src/domain/session/evolve.ts';
import { readToken, SESSION_RANDOM_BYTES, type SessionToken } from '../../../src/domain/session/token.ts';
import type { SessionFamily } from '../../../src/domain/states.ts';
import { WIRE_TEXTS } from '../../../src/domain/wire-names.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

const START = 1_760_000_000_000;
const TTL = 3600;
let seed = 0;

function random(): Uint8Array {
  seed += 1;
  return Buffer.alloc(SESSION_RANDOM_BYTES, String(seed).padStart(6, '0'));
}

/** A family as the log's events make it. */
class Family {
  state: SessionFamily | null = null;
  #revision = 0;

  apply(events: readonly DomainEvent[], now: number): void {
    for (const event of events) {
      const metadata = { commandId: 'c', cause: 'test', actor: { kind: 'public' as const }, schemaVersion: 1, recordedAt: now };
      this.state = evolveSession(this.state, projectEvent(event, this.#revision++, '', metadata, ''));
    }
  }

  create(now = START): string {
    const opened = createSession('76561190000000042', { ttlSeconds: TTL, random: random(), now });
    this.apply(opened.events, now);
    return opened.token;
  }

  refresh(token: string, now: number, ttlSeconds = TTL): string {
    const opened = refreshSession(read(token), this.state, { ttlSeconds, random: random(), now });
    return this.#taken(opened, now);
  }

  revoke(token: string, now: number): string {
    const revoked = revokeSession(read(token), this.state, now);
    if (revoked instanceof Refusal) return revoked.code;
    this.apply(revoked.events, now);
    return 'revoked';
  }

  standing(token: string, now: number): string {
    const found = sessionInForce(read(token), this.state, now);
    return found instanceof Refusal ? found.code : 'in force';
  }

  #taken(opened: OpenedSession | Refusal, now: number): string {
    if (opened instanceof Refusal) return opened.code;
    this.apply(opened.events, now);
    return opened.token;
  }
}

function read(text: string): SessionToken {
  const token = readToken(text);
  if (token === null) throw new Error(`no token: ${text}`);
  return token;
}

describe('an auth session', () => {
  it('is in force until it expires', () => {
    const family = new Family();
    const token = family.create();
    expect(family.standing(token, START + TTL * 1000 - 1)).toBe('in force');
    expect(family.standing(token, START + TTL * 1000)).toBe('AUTH_SESSION_EXPIRED');
  });

  it('is refused as expired also after it was swept', () => {
    const token = new Family().create();
    expect(sessionInForce(read(token), null, START + TTL * 1000)).toMatchObject({ code: 'AUTH_SESSION_EXPIRED' });
    expect(sessionInForce(read(token), null, START)).toMatchObject({ code: 'AUTH_SESSION_INVALID' });
  });

  it('stores nothing from which the token could be made', () => {
    const opened = createSession('7', { ttlSeconds: TTL, random: random(), now: START });
    const secret = opened.token.split('.').at(-1) ?? '';
    expect(JSON.stringify(opened.events)).not.toContain(secret);
  });

  it('is refused if its token was altered', () => {
    const family = new Family();
    const token = family.create();
    expect(family.standing(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, START)).toBe('AUTH_SESSION_INVALID');
    expect(family.standing(token.replace(`.${START + TTL * 1000}.`, `.${START + 1e9}.`), START)).toBe('AUTH_SESSION_INVALID');
  });

  it('has its token under either prefix', () => {
    const token = new Family().create();
    expect(read(token.replace(/^ns_sess_/, WIRE_TEXTS.sessionPrefix.published))).toEqual(read(token));
    expect(readToken(token.replace(/^ns_sess_/, ''))).toBe(null);
  });

  it('can be refreshed while it is in force; the new one is beside it', () => {
    const family = new Family();
    const first = family.create();
    const second = family.refresh(first, START + 1000);
    expect(second).not.toBe(first);
    expect([family.standing(first, START + 1000), family.standing(second, START + 1000)]).toEqual(['in force', 'in force']);
    expect(family.standing(second, START + TTL * 1000)).toBe('in force');
    expect(family.refresh(first, START + TTL * 1000)).toBe('AUTH_SESSION_EXPIRED');
  });

  it('that is revoked revokes also sessions that were refreshed from it through a dropped one', () => {
    const family = new Family();
    const first = family.create();
    const short = family.refresh(first, START, 60);
    const long = family.refresh(short, START + 1);
    const later = START + 61_000;
    const other = family.refresh(first, later);
    expect(family.standing(short, later)).toBe('AUTH_SESSION_EXPIRED');
    expect(family.revoke(first, later + 1)).toBe('revoked');
    expect([family.standing(long, later + 2), family.standing(other, later + 2)]).toEqual(['AUTH_SESSION_INVALID', 'AUTH_SESSION_INVALID']);
  });

  it('that is revoked also revokes those that were refreshed from it, and no others', () => {
    const family = new Family();
    const first = family.create();
    const second = family.refresh(first, START + 1);
    const third = family.refresh(second, START + 2);
    const beside = family.refresh(first, START + 3);
    expect(family.revoke(second, START + 4)).toBe('revoked');
    const standing = [first, second, third, beside].map((token) => family.standing(token, START + 5));
    expect(standing).toEqual(['in force', 'AUTH_SESSION_INVALID', 'AUTH_SESSION_INVALID', 'in force']);
    expect(family.revoke(second, START + 6)).toBe('AUTH_SESSION_INVALID');
    expect(family.refresh(third, START + 6)).toBe('AUTH_SESSION_INVALID');
  });

  it('is refreshed any number of times in a row, and its family holds the unexpired alone', () => {
    const family = new Family();
    let token = family.create();
    for (let i = 1; i <= 500; i += 1) token = family.refresh(token, START + i * 600_000);
    expect(family.standing(token, START + 500 * 600_000)).toBe('in force');
    expect(family.state?.sessions.size).toBe(6);
  });

  it('can be refreshed into a bounded number at once', () => {
    const family = new Family();
    const token = family.create();
    for (let i = 1; i < 256; i += 1) family.refresh(token, START);
    expect(family.refresh(token, START)).toBe('RATE_LIMITED');
    expect(family.revoke(token, START)).toBe('revoked');
    expect(expiryOf(family.state ?? { player: '', sessions: new Map() })).toBe(START + TTL * 1000);
  });
});

describe('any text as a token', () => {
  it('is a token or not, and never an exception', () => {
    const pieces = fc.oneof(
      fc.constantFrom(...Object.values(WIRE_TEXTS.sessionPrefix), '.', 'a'.repeat(32), '1760000000000', '\0'),
      fc.string({ unit: 'binary' }),
    );
    const property = fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const token = readToken(parts.join(''));
      expect(token === null || /^[0-9a-f]{32}$/.test(token.sessionId)).toBe(true);
    });
    fc.assert(property);
  });
});
