import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent } from '../events.ts';
import type { GuestDevice, GuestName, GuestState } from '../states.ts';
import { deviceIdOf, type GuestToken, isSameHash } from './token.ts';

/**
 * Guests: players without an account. Each device of a guest has a secret, and whoever knows such a secret is the guest. A recovery code or
 * a linked account adds another device. A guest always keeps its id, so its data never move.
 */

/** Most devices of one guest. */
const MAX_DEVICES = 16;

/** The device that a request comes from. */
export interface RequestingDevice {
  readonly guest: string;
  readonly device: string;
}

export interface DecidedGuest {
  readonly guest: string;
  readonly events: readonly DomainEvent[];
}

/** The guest's device with this hash of a secret; `null`: the guest has no such device, or has it no longer. */
export function deviceIn(state: GuestState | null, hash: string): GuestDevice | null {
  let found: GuestDevice | null = null;
  for (const device of state?.devices ?? []) if (isSameHash(device.hash, hash)) found = device;
  return found;
}

export function deviceById(state: GuestState | null, id: string): GuestDevice | null {
  return state?.devices.find(({ hash }) => deviceIdOf(hash) === id) ?? null;
}

/**
 * Registers a guest for a new secret. A secret that is registered already gets the same answer again. A secret whose device was revoked is
 * refused.
 */
export function registerGuest({ firstGuest: guest, hash }: GuestToken, state: GuestState | null): DecidedGuest | Refusal {
  if (deviceIn(state, hash) !== null) return { guest, events: [] };
  if (state !== null) return notProven('This device was revoked; register with a new secret');
  return { guest, events: [{ type: 'guest.registered', data: { guest, hash } }] };
}

/** What entitles a new device to join a guest. */
export type Invitation = { readonly code: string } | { readonly account: string };

/**
 * Adds a device to a guest, by a recovery code, which works once, or by the linked account. `name`: the guest that the code or the account
 * leads to. A device that has joined already gets the same answer again, so a repeated request succeeds.
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
  if (state.devices.length >= MAX_DEVICES) return conflict(`This guest has ${MAX_DEVICES} devices; revoke one of them first`);
  return { guest, events: [{ type: 'guest.joined', data: { guest, hash, ...by } }] };
}

/** Links an account to the guest. `name`: the guest that the account is linked to already. */
export function linkAccount(guest: string, account: string, state: GuestState, name: GuestName | null): DecidedGuest | Refusal {
  if (state.account === account) return { guest, events: [] };
  if (state.account !== null) return conflict('This guest is linked to another account; unlink that first');
  if (name !== null) return conflict('This account is linked to another guest; sign in to that one, or unlink it there');
  return { guest, events: [{ type: 'guest.linked', data: { guest, account } }] };
}

/** Unlinks the account. The caller must have proven the account as well, so that whoever finds a lost device cannot lock its owner out. */
export function unlinkAccount(guest: string, account: string, state: GuestState): DecidedGuest | Refusal {
  if (state.account === null) return { guest, events: [] };
  if (state.account !== account) return conflict('This guest is linked to another account');
  return { guest, events: [{ type: 'guest.unlinked', data: { guest, account } }] };
}

/**
 * Unlinks the account at the request of support. Refused where it is the only way to the guest.
 */
export function unlinkForSupport(guest: string, state: GuestState): DecidedGuest | Refusal {
  if (state.account === null) return { guest, events: [] };
  if (state.devices.length === 0 && state.recovery === null)
    return conflict('This account is the only way to this guest: make a recovery code first');
  return { guest, events: [{ type: 'guest.unlinked', data: { guest, account: state.account } }] };
}

/** The device of a command that no device asked for. */
export const NO_DEVICE = '';

/** Issues a recovery code at the request of a device. The code before it becomes void. */
export function issueCode({ guest, device }: RequestingDevice, hash: string, state: GuestState): DecidedGuest {
  const requester = deviceById(state, device);
  return {
    guest,
    events: [{ type: 'guest.codeIssued', data: { guest, hash, ...(requester === null ? {} : { device: requester.hash }) } }],
  };
}

/**
 * Revokes a device, and with it all sessions that it opened. Revoking a missing device succeeds. If another device revokes it, the recovery
 * code that it asked for becomes void, because whoever found the device could come back by it. A device that revokes itself may come back
 * by its code.
 */
export function revokeDevice({ guest, device: requester }: RequestingDevice, device: string, state: GuestState): DecidedGuest | Refusal {
  const found = deviceById(state, device);
  if (found === null) return { guest, events: [] };
  const code = requester !== device && state.recoveryOf === found.hash ? state.recovery : null;
  const isLast = state.devices.length === 1 && state.recovery === null && state.account === null;
  if (isLast) return conflict('This is the only way to this guest: make a recovery code, or link an account first');
  return { guest, events: [{ type: 'guest.deviceRevoked', data: { guest, hash: found.hash, ...(code === null ? {} : { code }) } }] };
}

function conflict(message: string): Refusal {
  return refusal('GUEST_CONFLICT', message);
}

function notProven(message: string): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'token_rejected' } });
}
