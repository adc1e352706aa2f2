import { deviceById, deviceIn } from '../../domain/guest/decide.ts';
import { authenticatedText, readPass } from '../../domain/guest/pass.ts';
import { deviceIdOf, GUEST_ID_PATTERN, isGuestId, isSameHash, readGuestToken } from '../../domain/guest/token.ts';
import type { GuestState, SessionFamily } from '../../domain/states.ts';
import { guestSubject } from '../../domain/subjects.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DeviceProof, PassProof } from '../caller.ts';
import { type AppContext, settingsOf } from '../context.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { catchUpInTurn } from './authenticate.ts';

/**
 * Proves guests. It stands beside the installation's verifier. A token in the form of a guest's goes only here, and so does every id of a
 * guest, so no login service can prove one.
 */

/**
 * The form of a player's id: the operator's pattern, or that of guests. The server makes the ids of guests, so the operator's pattern need
 * not allow for them. A pattern without anchors may match a part of a text: whatever it says, an id has no characters that no key can hold.
 */
export function playerIds(pattern: string): RegExp {
  return new RegExp(`^(?=[A-Za-z0-9_:-]{1,128}$)(?=[^]*?(?:${pattern})|${GUEST_ID_PATTERN}$)`, 'u');
}

/** Whether this proof concerns a guest: by the form of the token, or of the id. */
export function concernsGuest(player: string | null, token: string | null): boolean {
  return readGuestToken(token) !== null || isGuestId(player);
}

/**
 * The device that a token proves to be the guest's. `null`: the project has no guests and never had this one, so the id may be one of
 * another login. Throws 401 `PLATFORM_AUTH_FAILED`.
 */
export async function provenDevice(
  context: AppContext,
  project: Project,
  player: string | null,
  token: string | null,
  address: string | null,
): Promise<DeviceProof | null> {
  const sent = readGuestToken(token);
  const state = isGuestId(player) ? await guestOf(project, player) : null;
  const { guestSignIn } = settingsOf(project);
  if (!guestSignIn && sent === null && state === null) return null;
  if (!guestSignIn) throw rejected('This project has no guests: its setting is guestSignIn');
  const retryAfter = context.guestLimits.blockedFor(address, project.id);
  // Known devices pass even from a blocked address, which may be that of many players.
  const known = sent === null ? null : deviceIn(state, sent.hash);
  if (known === null && retryAfter > 0) throw blocked(retryAfter);
  if (!isGuestId(player)) throw rejected("A guest's token proves no other player: name the id that was answered to the registration");
  if (known !== null) return { guest: player, device: deviceIdOf(known.hash) };
  if (token === null)
    throw rejected('A guest is proven by its device, and the call shows none: send its secret in the header x-platform-token');
  const found = await judgeGuess(context, project, address, async (markWrong) => {
    const device = sent === null ? null : deviceIn(await guestAfterCatchUp(context, project, player), sent.hash);
    if (device === null) markWrong();
    return device;
  });
  if (found === null) throw rejected('This is not a device of this guest, or no longer');
  return { guest: player, device: deviceIdOf(found.hash) };
}

/**
 * Looks up a secret or code that may be a guess, within what its address may guess. `judge` calls `markWrong` if it was wrong. Throws 401
 * while the address is shut out.
 */
export async function judgeGuess<T>(
  { guestLimits }: AppContext,
  project: Project,
  address: string | null,
  judge: (markWrong: () => void) => Promise<T>,
): Promise<T> {
  const retryAfter = guestLimits.admit(address, project.id);
  if (retryAfter > 0) throw blocked(retryAfter);
  let isWrong = false;
  try {
    return await judge(() => {
      isWrong = true;
    });
  } finally {
    guestLimits.settle(address, project.id, isWrong);
  }
}

/** What a host shows of a guest. */
export interface PresentedPass {
  /** The player that the host was proven to be. */
  readonly host: string;
  /** Whom it asks for. */
  readonly guest: string;
  readonly text: string;
}

/** The device whose pass a host shows. A pass cannot be guessed, so none counts against an address. Throws 401 `PLATFORM_AUTH_FAILED`. */
export async function provenPass(context: AppContext, project: Project, { host, guest, text }: PresentedPass): Promise<PassProof> {
  if (!settingsOf(project).guestSignIn) throw rejected('This project has no guests: its setting is guestSignIn');
  const found = readPass(text, host);
  const { hmac } = await context.signer();
  if (found === null || found.pass.guest !== guest || !isSameHash(found.hmac, hmac(authenticatedText(project.id, found.pass)))) {
    throw rejected('This pass is not one of this guest for this host');
  }
  const { device, expiresAt } = found.pass;
  if (context.scheduler.now() >= expiresAt) throw rejected('This pass is over: the guest asks for a new one');
  const isIn = deviceById(await guestOf(project, guest), device) ?? deviceById(await guestAfterCatchUp(context, project, guest), device);
  if (isIn === null) throw rejected('This pass is of a device that was revoked');
  return { guest, device, expiresAt };
}

/** The guest at this node's head. */
export async function guestOf(project: Project, guest: string): Promise<GuestState | null> {
  return (await project.read(guestSubject(guest))).state;
}

/** The device may just have been added on another node, so the log is read once more. */
async function guestAfterCatchUp(context: AppContext, project: Project, guest: string): Promise<GuestState | null> {
  await catchUpInTurn(context, project);
  return guestOf(project, guest);
}

/** Inside a decision: throws if the device no longer belongs to its guest. */
export function requireDevice(ctx: DecisionContext, { guest, device }: DeviceProof): void {
  if (deviceById(ctx.read(guestSubject(guest)), device) === null) throw rejected('This device was revoked');
}

/** As {@link requireDevice}, for the device behind a session. */
export function recheckSessionDevice(ctx: DecisionContext, family: SessionFamily | null): void {
  const behind = deviceOfSession(family);
  if (behind === null) return;
  if (deviceById(ctx.read(guestSubject(behind.guest)), behind.device) === null) throw refusal('AUTH_SESSION_INVALID');
}

/** The device of a guest that a session came from; `null`: it did not come from one. */
function deviceOfSession(family: SessionFamily | null): DeviceProof | null {
  return family?.device === undefined ? null : { guest: family.player, device: family.device };
}

/** Throws 401 `AUTH_SESSION_INVALID` for a session whose device was shut out, or whose project has no guests any more. */
export async function requireSessionDevice(project: Project, family: SessionFamily | null): Promise<void> {
  const behind = deviceOfSession(family);
  if (behind === null) return;
  const isIn = deviceById(await guestOf(project, behind.guest), behind.device) !== null;
  if (!isIn || !settingsOf(project).guestSignIn) throw refusal('AUTH_SESSION_INVALID');
}

function rejected(message: string): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'token_rejected' } });
}

export function blocked(retryAfter: number): Refusal {
  const error = { authFailureKind: 'service_unavailable' };
  return refusal('PLATFORM_AUTH_FAILED', 'Too many failed attempts to verify a player', { error, retryAfter });
}
