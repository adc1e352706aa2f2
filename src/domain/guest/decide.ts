import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent } from '../events.ts';
import type { GuestDevice, GuestName, GuestState } from '../states.ts';
import { deviceIdOf, type GuestToken, isSameHash } from './token.ts';

/**
 * Guests: players without an account. A guest is its devices: each has a secret, and whoever has one is the guest. A recovery code, or an
 * account that was linked, lets another device in. The guest keeps its id whatever happens, so no data ever moves.
 */

/** Devices of one guest. */
const MAX_DEVICES = 16;

/** A device of a guest, by its id. */
export interface AskingDevice {
  readonly guest: string;
  readonly device: string;
}

export interface DecidedGuest {
  readonly guest: string;
  readonly events: readonly DomainEvent[];
}

/** The device of a guest that has this secret; `null`: it has none, or no more. */
export function deviceIn(state: GuestState | null, hash: string): GuestDevice | null {
  let found: GuestDevice | null = null;
  for (const device of state?.devices ?? []) if (isSameHash(device.hash, hash)) found = device;
  return found;
}

export function deviceById(state: GuestState | null, id: string): GuestDevice | null {
  return state?.devices.find(({ hash }) => deviceIdOf(hash) === id) ?? null;
}

/** Makes a guest of a new secret. A secret that is registered already is answered as it was; once it was revoked it makes no guest again. */
export function registerGuest({ firstGuest: guest, hash }: GuestToken, state: GuestState | null): DecidedGuest | Refusal {
  if (deviceIn(state, hash) !== null) return { guest, events: [] };
  if (state !== null) return notProven('This device was taken out of its guest; make a new secret');
  return { guest, events: [{ type: 'guest.registered', data: { guest, hash } }] };
}

/** What lets a new device in. */
export type Invitation = { readonly code: string } | { readonly account: string };

/**
 * A new device becomes one of a guest's, by a recovery code, which works once, or by the linked account. `name`: what the code or the account
 * leads to. A device that is in already is answered as it was, so a request that is sent again is no failure.
 */
export function joinGuest(
  { hash }: GuestToken,
  by: Invitation,
  name: GuestName | null,
  stateOf: (guest: string) => GuestState | null,
): DecidedGuest | Refusal {
  const none = 'code' in by ? refusal('GUEST_CODE_INVALID') : refusal('GUEST_NOT_LINKED');
  if (name === null) return none;
  const { guest } = name;
  const state = stateOf(guest);
  if (deviceIn(state, hash) !== null) return { guest, events: [] };
  const isInvited = 'code' in by ? state !== null && isSameHash(state.recovery ?? '', by.code) : state?.account === by.account;
  if (state === null || !isInvited) return none;
  if (state.devices.length >= MAX_DEVICES) return conflict(`This guest has ${MAX_DEVICES} devices; revoke one on a device that it has`);
  return { guest, events: [{ type: 'guest.joined', data: { guest, hash, ...by } }] };
}

/** The account becomes another way to the guest. `name`: the guest that the account is linked to. */
export function linkAccount(guest: string, account: string, state: GuestState, name: GuestName | null): DecidedGuest | Refusal {
  if (state.account === account) return { guest, events: [] };
  if (state.account !== null) return conflict('This guest is linked to another account; unlink that first');
  if (name !== null) return conflict('This account is linked to another guest; sign in to that one, or unlink it there');
  return { guest, events: [{ type: 'guest.linked', data: { guest, account } }] };
}

/** Takes the proof of the account as well, so whoever has a lost device cannot shut the owner out. */
export function unlinkAccount(guest: string, account: string, state: GuestState): DecidedGuest | Refusal {
  if (state.account === null) return { guest, events: [] };
  if (state.account !== account) return conflict('This guest is linked to another account');
  return { guest, events: [{ type: 'guest.unlinked', data: { guest, account } }] };
}

/** A new recovery code, for the device that asks. The one before is void. */
export function issueCode({ guest, device }: AskingDevice, hash: string, state: GuestState): DecidedGuest {
  const asking = deviceById(state, device);
  return { guest, events: [{ type: 'guest.codeIssued', data: { guest, hash, ...(asking === null ? {} : { device: asking.hash }) } }] };
}

/**
 * Takes a device away, and with it all sessions that it opened. One that is gone already is no failure. Shut out by another device, it leaves no
 * code behind, or whoever has found it would come back; a device that leaves by itself may come back by its code.
 */
export function revokeDevice({ guest, device: asking }: AskingDevice, device: string, state: GuestState): DecidedGuest | Refusal {
  const found = deviceById(state, device);
  if (found === null) return { guest, events: [] };
  const code = asking !== device && state.recoveryOf === found.hash ? state.recovery : null;
  const isLast = state.devices.length === 1 && state.recovery === null && state.account === null;
  if (isLast) return conflict('Nothing else leads to this guest: make a recovery code, or link an account first');
  return { guest, events: [{ type: 'guest.deviceRevoked', data: { guest, hash: found.hash, ...(code === null ? {} : { code }) } }] };
}

function conflict(message: string): Refusal {
  return refusal('GUEST_CONFLICT', message);
}

function notProven(message: string): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'token_rejected' } });
}
