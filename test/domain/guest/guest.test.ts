import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DomainEvent, projectEvent } from '../../../src/domain/events.ts';
import {
  type DecidedGuest,
  deviceIn,
  issueCode,
  joinGuest,
  linkAccount,
  registerGuest,
  revokeDevice,
  unlinkAccount,
} from '../../../src/domain/guest/decide.ts';
import { evolveGuest, evolveGuestName, isGuestEvent } from '../../../src/domain/guest/evolve.ts';
import {
  CODE_BYTES,
  deviceIdOf,
  formatCode,
  type GuestToken,
  isGuestId,
  readCode,
  readGuestToken,
} from '../../../src/domain/guest/token.ts';
import type { GuestName, GuestState } from '../../../src/domain/states.ts';
import { guestNameSubject, guestSubject, subjectsOf } from '../../../src/domain/subjects.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

/** A secret of a device, as the server reads it. */
function device(): GuestToken {
  const token = readGuestToken(`ns_guest_${randomBytes(32).toString('base64url')}`);
  if (token === null) throw new Error('this is a secret');
  return token;
}

/** Guests as the events of a log make them. */
class Told {
  readonly guests = new Map<string, GuestState | null>();
  readonly names = new Map<string, GuestName | null>();

  /** Stores what was decided. Answers the guest, or the code of the refusal. */
  take(decided: DecidedGuest | Refusal): string {
    if (decided instanceof Refusal) return decided.code;
    for (const event of decided.events) this.#fold(event);
    return decided.guest;
  }

  of(guest: string): GuestState {
    const state = this.guests.get(guest);
    if (!state) throw new Error(`There is no guest ${guest}`);
    return state;
  }

  name(kind: 'code' | 'account', name: string): GuestName | null {
    return this.names.get(guestNameSubject(kind, name)) ?? null;
  }

  register(token = device()): string {
    return this.take(registerGuest(token, this.guests.get(token.firstGuest) ?? null));
  }

  joinByCode(token: GuestToken, code: string): string {
    return this.take(joinGuest(token, { code }, this.name('code', code), (guest) => this.guests.get(guest) ?? null));
  }

  joinByAccount(token: GuestToken, account: string): string {
    return this.take(joinGuest(token, { account }, this.name('account', account), (guest) => this.guests.get(guest) ?? null));
  }

  link(guest: string, account: string): string {
    return this.take(linkAccount(guest, account, this.of(guest), this.name('account', account)));
  }

  /** The hash of a new recovery code. */
  issue(guest: string, by = this.of(guest).devices[0]?.hash ?? ''): string {
    const { hash } = formatCode(randomBytes(CODE_BYTES));
    this.take(issueCode({ guest, device: deviceIdOf(by) }, hash, this.of(guest)));
    return hash;
  }

  /** `by`: the device that asks; itself when left out. */
  revoke(guest: string, device: string, by = device): string {
    return this.take(revokeDevice({ guest, device: by }, device, this.of(guest)));
  }

  #fold(event: DomainEvent): void {
    const metadata = { commandId: 'c', cause: 'test', actor: { kind: 'public' as const }, schemaVersion: 1, recordedAt: 1 };
    const recorded = projectEvent(event, 0, '', metadata, '');
    if (!isGuestEvent(recorded)) return;
    for (const subject of subjectsOf(event)) {
      const { guest } = recorded.data;
      if (subject === guestSubject(guest)) this.guests.set(guest, evolveGuest(this.guests.get(guest) ?? null, recorded));
      else this.names.set(subject, evolveGuestName(recorded));
    }
  }
}

describe('a secret', () => {
  test('makes one guest, whose id the server chooses and no other player can have', () => {
    const told = new Told();
    const token = device();
    const guest = told.register(token);
    expect(isGuestId(guest)).toBe(true);
    expect(guest).not.toContain('_');
    expect(told.register(token)).toBe(guest);
    expect(told.of(guest).devices).toEqual([{ hash: token.hash, joinedAt: 1 }]);
    expect(told.register()).not.toBe(guest);
  });

  test('has a form of its own, unlike the tokens of logins', () => {
    const good = `ns_guest_${'a'.repeat(43)}`;
    expect(readGuestToken(good)).not.toBeNull();
    for (const other of [null, '', 'ns_guest_', good.slice(1), `${good}a`, ` ${good}`, `ns_sess_${'a'.repeat(43)}`, 'a.b.c']) {
      expect(readGuestToken(other)).toBeNull();
    }
  });

  test('of a revoked device proves nobody, and registers no other guest', () => {
    const told = new Told();
    const [first, second] = [device(), device()];
    const guest = told.register(first);
    told.joinByCode(second, told.issue(guest));
    expect(told.revoke(guest, deviceIdOf(first.hash))).toBe(guest);
    expect(deviceIn(told.of(guest), first.hash)).toBeNull();
    expect(told.register(first)).toBe('PLATFORM_AUTH_FAILED');
  });
});

describe('a recovery code', () => {
  test('is void once another device revokes the one that asked for it; a device that revokes itself may come back by it', () => {
    const told = new Told();
    const [own, found] = [device(), device()];
    const guest = told.register(own);
    told.joinByCode(found, told.issue(guest));
    const kept = told.issue(guest, found.hash);
    told.revoke(guest, deviceIdOf(found.hash), deviceIdOf(own.hash));
    expect([told.of(guest).recovery, told.joinByCode(device(), kept)]).toEqual([null, 'GUEST_CODE_INVALID']);
    const written = told.issue(guest, own.hash);
    told.revoke(guest, deviceIdOf(own.hash));
    const again = device();
    expect(told.joinByCode(again, written)).toBe(guest);
    // Nor does a code of the one that stays become void with another.
    const [third, mine] = [device(), told.issue(guest, again.hash)];
    told.joinByCode(third, mine);
    const last = told.issue(guest, again.hash);
    told.revoke(guest, deviceIdOf(third.hash), deviceIdOf(again.hash));
    expect(told.joinByCode(device(), last)).toBe(guest);
  });

  test('is read however it is typed', () => {
    const { text, hash } = formatCode(Buffer.from(Array.from({ length: CODE_BYTES }, (_, index) => index)));
    expect(text).toMatch(/^(?:[0-9A-Z]{4}-){6}[0-9A-Z]{4}$/);
    for (const typed of [
      text,
      text.toLowerCase(),
      text.replaceAll('-', ' '),
      text.replaceAll('0', 'o').replaceAll('1', 'l'),
      ` ${text}\n`,
    ]) {
      expect(readCode(typed)).toBe(hash);
    }
    for (const other of ['', text.slice(1), `${text}2`, text.replace('2', 'U')]) expect(readCode(other)).toBeNull();
  });

  test('adds one device, once', () => {
    const told = new Told();
    const guest = told.register();
    const code = told.issue(guest);
    const second = device();
    expect(told.joinByCode(second, code)).toBe(guest);
    expect(told.joinByCode(device(), code)).toBe('GUEST_CODE_INVALID');
    // The answer was lost, and the request comes again.
    expect(told.joinByCode(second, code)).toBe(guest);
    expect(told.of(guest).devices).toHaveLength(2);
  });

  test('is void when a newer one was made', () => {
    const told = new Told();
    const guest = told.register();
    const [older, newer] = [told.issue(guest), told.issue(guest)];
    expect(told.joinByCode(device(), older)).toBe('GUEST_CODE_INVALID');
    expect(told.joinByCode(device(), newer)).toBe(guest);
    expect(told.joinByCode(device(), 'f'.repeat(64))).toBe('GUEST_CODE_INVALID');
  });
});

describe('an account', () => {
  test('leads to one guest, and a guest has one', () => {
    const told = new Told();
    const [guest, other] = [told.register(), told.register()];
    expect(told.link(guest, '76561198000000001')).toBe(guest);
    expect(told.link(guest, '76561198000000001')).toBe(guest);
    expect(told.link(other, '76561198000000001')).toBe('GUEST_CONFLICT');
    expect(told.link(guest, '76561198000000002')).toBe('GUEST_CONFLICT');
    expect(told.joinByAccount(device(), '76561198000000001')).toBe(guest);
    expect(told.joinByAccount(device(), '76561198000000009')).toBe('GUEST_NOT_LINKED');
  });

  test('that was unlinked leads to no guest, and may be linked again', () => {
    const told = new Told();
    const [guest, other] = [told.register(), told.register()];
    told.link(guest, '76561198000000001');
    expect(told.take(unlinkAccount(guest, '76561198000000002', told.of(guest)))).toBe('GUEST_CONFLICT');
    expect(told.take(unlinkAccount(guest, '76561198000000001', told.of(guest)))).toBe(guest);
    expect(told.joinByAccount(device(), '76561198000000001')).toBe('GUEST_NOT_LINKED');
    expect(told.link(other, '76561198000000001')).toBe(other);
  });
});

test('a guest has a bounded number of devices, and never loses the last way to prove itself', () => {
  const told = new Told();
  const first = device();
  const guest = told.register(first);
  const own = deviceIdOf(first.hash);
  expect(told.revoke(guest, own)).toBe('GUEST_CONFLICT');
  for (let more = 1; more < 16; more += 1) expect(told.joinByCode(device(), told.issue(guest))).toBe(guest);
  expect(told.joinByCode(device(), told.issue(guest))).toBe('GUEST_CONFLICT');
  expect(told.revoke(guest, own)).toBe(guest);
  expect(told.revoke(guest, own)).toBe(guest);
  expect(told.of(guest).devices).toHaveLength(15);
});

test('in any order of events, a device proves one guest and an account leads to one', () => {
  const tokens = Array.from({ length: 4 }, device);
  const accounts = ['7001', '7002'];
  const step = fc.record({ what: fc.nat(5), token: fc.nat(3), account: fc.nat(1) });
  const run = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const told = new Told();
    let code = 'f'.repeat(64);
    for (const { what, token: at, account: of } of steps) {
      const token = tokens[at] ?? device();
      const account = accounts[of] ?? '';
      const mine = [...told.guests.keys()].find((guest) => deviceIn(told.guests.get(guest) ?? null, token.hash) !== null);
      if (what === 0) told.register(token);
      if (what === 1 && mine === undefined) told.joinByCode(token, code);
      if (what === 2 && mine === undefined) told.joinByAccount(token, account);
      if (mine === undefined) continue;
      if (what === 3) code = told.issue(mine);
      if (what === 4) told.link(mine, account);
      if (what === 5) told.revoke(mine, deviceIdOf(token.hash));
    }
    const states = [...told.guests.values()].filter((state) => state !== null);
    for (const { account, devices, recovery } of states) {
      expect(states.filter((other) => account !== null && other.account === account).length).toBeLessThan(2);
      expect(devices.length > 0 || account !== null || recovery !== null).toBe(true);
    }
    for (const account of accounts) {
      const name = told.name('account', account);
      if (name !== null) expect(told.of(name.guest).account).toBe(account);
    }
  });
  fc.assert(run, { numRuns: 200 });
});
