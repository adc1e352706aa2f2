import { randomBytes } from 'node:crypto';
import {
  type DecidedGuest,
  type Invitation,
  issueCode,
  joinGuest,
  linkAccount,
  registerGuest,
  revokeDevice,
  unlinkAccount,
} from '../../domain/guest/decide.ts';
import { authenticatedText, formatPass, PASS_SECONDS } from '../../domain/guest/pass.ts';
import { CODE_BYTES, deviceIdOf, formatCode, type GuestToken, isGuestId, readCode, readGuestToken } from '../../domain/guest/token.ts';
import type { GuestName, GuestState } from '../../domain/states.ts';
import { guestNameSubject, guestSubject, type Subject } from '../../domain/subjects.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import { accessOf, requireStorable } from '../access.ts';
import type { Positioned } from '../answers.ts';
import type { Caller, DeviceProof } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, settingsOf, stored } from '../context.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { blocked, guestOf, judgeGuess, provenDevice, requireDevice } from './guest-proof.ts';
import { NO_PROOF, verifyPlayer } from './players.ts';

/**
 * Guests: players whose devices prove them. A device's secret comes as the player's token. Besides the refusals of key and project they
 * throw 403 `GUESTS_DISABLED`, 401 `PLATFORM_AUTH_FAILED`, `GUEST_CODE_INVALID`, `GUEST_NOT_LINKED`, 409 `GUEST_CONFLICT`, 429
 * `RATE_LIMITED`. Each may be sent again: what was done already is answered as it is.
 */
export interface Guests {
  /** Whether the project has guests at all. Throws 403 `GUESTS_DISABLED`. */
  admit(caller: Caller): Promise<void>;
  /** Makes a guest with this device. */
  register(caller: Caller): Promise<GuestAnswer>;
  /** Adds the device to an existing guest. */
  join(caller: Caller, by: InvitationRequest): Promise<GuestAnswer>;
  /** Links the account, which its token proves. From now on it lets devices join the guest. */
  link(caller: Caller, account: Account): Promise<GuestAnswer>;
  unlink(caller: Caller, account: Account): Promise<GuestAnswer>;
  /** Issues a new recovery code. `code` is answered only here; the log holds its hash. */
  issueCode(caller: Caller): Promise<GuestAnswer & { readonly code: string }>;
  /** The guest's devices, recovery code and account. */
  show(caller: Caller): Promise<GuestAnswer>;
  /** Issues a pass, with which `host`, another player, may ask for the guest for some minutes. Throws 400 `INVALID_PLATFORMID` too. */
  pass(caller: Caller, host: string): Promise<PassAnswer>;
  /** Revokes a device, by its id, with every session that it opened. */
  revoke(caller: Caller, device: string): Promise<GuestAnswer>;
}

/** A player that another verifier proves, with its token. */
interface Account {
  readonly platformId: string;
  readonly token: string;
}

type InvitationRequest = { readonly code: string } | { readonly account: Account };

export interface GuestAnswer extends Positioned {
  readonly guest: string;
  /** The device that asked. */
  readonly device: string;
  readonly state: GuestState;
}

interface PassAnswer {
  readonly guest: string;
  readonly host: string;
  readonly pass: string;
  readonly expiresInSeconds: number;
}

export function createGuests(context: AppContext): Guests {
  return {
    async admit(caller) {
      await opened(context, caller);
    },

    async register(caller) {
      const project = await opened(context, caller);
      const token = secretOf(caller);
      if ((await guestOf(project, token.firstGuest)) === null) context.guestLimits.register(project.id);
      return run(project, { ...caller, verified: token.firstGuest }, 'guest.register', deviceIdOf(token.hash), (ctx) =>
        registerGuest(token, ctx.read(guestSubject(token.firstGuest))),
      );
    },

    join: (caller, request) => join(context, caller, request),

    async link(caller, account) {
      const { project } = await proven(context, caller);
      const id = await accountOf(context, project, caller, account);
      return decideForGuest(context, caller, 'guest.link', (ctx, { guest }, state) =>
        linkAccount(guest, id, state, nameIn(ctx, guestNameSubject('account', id))),
      );
    },

    async unlink(caller, account) {
      const { project } = await proven(context, caller);
      const id = await accountOf(context, project, caller, account);
      return decideForGuest(context, caller, 'guest.unlink', (ctx, { guest }, state) => {
        nameIn(ctx, guestNameSubject('account', id));
        return unlinkAccount(guest, id, state);
      });
    },

    async issueCode(caller) {
      const { text, hash } = formatCode(randomBytes(CODE_BYTES));
      const issued = await decideForGuest(context, caller, 'guest.issueCode', (ctx, asking, state) => {
        ctx.assumeAbsent(guestNameSubject('code', hash));
        return issueCode(asking, hash, state);
      });
      return { ...issued, code: text };
    },

    async show(caller) {
      const { project, proof } = await proven(context, caller);
      const state = await guestOf(project, proof.guest);
      if (state === null) throw refusal('PLATFORM_AUTH_FAILED');
      return { ...proof, state, ...positioned(context, project, caller) };
    },

    pass: (caller, host) => issuePass(context, caller, host),

    async revoke(caller, device) {
      await opened(context, caller);
      if (device === '') throw refusal('INVALID_BODY', '`device` is the id of a device, as the list of devices shows it');
      return decideForGuest(context, caller, 'guest.revoke', (_, asking, state) => revokeDevice(asking, device, state));
    },
  };
}

async function join(context: AppContext, caller: Caller, request: InvitationRequest): Promise<GuestAnswer> {
  const project = await opened(context, caller);
  const token = secretOf(caller);
  const by = await invitationOf(context, project, caller, request);
  const joined = () =>
    run(project, caller, 'guest.join', deviceIdOf(token.hash), (ctx) =>
      joinGuest(token, by, nameIn(ctx, nameSubjectOf(by)), (guest) => ctx.read(guestSubject(guest))),
    );
  if ('account' in by) return joined();
  return judgeGuess(context, project, (caller.proof ?? NO_PROOF).address, async (markWrong) => {
    try {
      return await joined();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'GUEST_CODE_INVALID') markWrong();
      throw error;
    }
  });
}

async function issuePass(context: AppContext, caller: Caller, host: string): Promise<PassAnswer> {
  const { project, proof } = await proven(context, caller);
  // A node that does not know the log's end may not know that the device was revoked.
  context.projects.freshness(project);
  if (!context.platformId.test(host)) throw refusal('INVALID_PLATFORMID', '`host` is the id of the player who hosts the game');
  const pass = { ...proof, host, expiresAt: Math.floor(context.scheduler.now()) + PASS_SECONDS * 1000 };
  const { hmac } = await context.signer();
  const text = formatPass(pass, hmac(authenticatedText(project.id, pass)));
  return { guest: proof.guest, host, pass: text, expiresInSeconds: PASS_SECONDS };
}

/** Proves the caller's device, and runs `decide` for its guest. The decision checks the device again. */
async function decideForGuest(
  context: AppContext,
  caller: Caller,
  cause: string,
  decide: (ctx: DecisionContext, asking: DeviceProof, state: GuestState) => DecidedGuest | Refusal,
): Promise<GuestAnswer> {
  const { project, proof } = await proven(context, caller);
  return run(project, { ...caller, verified: proof.guest }, cause, proof.device, (ctx) => {
    requireDevice(ctx, proof);
    const state = ctx.read(guestSubject(proof.guest));
    return state === null ? refusal('PLATFORM_AUTH_FAILED') : decide(ctx, proof, state);
  });
}

/** The caller's project. Throws 403 `GUESTS_DISABLED` if it has no guests. */
async function opened(context: AppContext, caller: Caller): Promise<Project> {
  const project = await projectOf(context, caller);
  if (!settingsOf(project).guestSignIn) throw refusal('GUESTS_DISABLED');
  return project;
}

async function proven(context: AppContext, caller: Caller): Promise<{ readonly project: Project; readonly proof: DeviceProof }> {
  const project = await opened(context, caller);
  secretOf(caller);
  const { token, address } = caller.proof ?? NO_PROOF;
  const proof = await provenDevice(context, project, caller.platformId, token, address);
  if (proof === null) throw refusal('PLATFORM_AUTH_FAILED');
  return { project, proof };
}

/** The secret of the device that asks. */
function secretOf({ proof = NO_PROOF }: Caller): GuestToken {
  const token = readGuestToken(proof.token);
  if (token !== null) return token;
  const form = '`ns_guest_` and 32 random bytes as 43 characters of base64url';
  throw refusal('PLATFORM_AUTH_FAILED', `A device sends its secret in x-platform-token: ${form}`, {
    error: { authFailureKind: 'token_rejected' },
  });
}

/** Proves an account by the installation's verifier, and answers its id. A guest is no account, so a guest's id is refused. */
async function accountOf(context: AppContext, project: Project, { proof = NO_PROOF }: Caller, account: Account): Promise<string> {
  const { platformId, token } = account;
  if (platformId === '' || token === '') {
    throw refusal('INVALID_BODY', 'Give `account`, an object with `platformId`, the id of a player, and `token`, which proves it');
  }
  requireStorable(platformId);
  if (isGuestId(platformId)) throw refusal('GUEST_CONFLICT', 'A guest cannot be linked to a guest');
  return (await verifyPlayer(context, project, platformId, token, proof.address)).player;
}

async function invitationOf(context: AppContext, project: Project, caller: Caller, request: InvitationRequest): Promise<Invitation> {
  if ('account' in request) return { account: await accountOf(context, project, caller, request.account) };
  const { address } = caller.proof ?? NO_PROOF;
  const retryAfter = context.guestLimits.blockedFor(address, project.id);
  if (retryAfter > 0) throw blocked(retryAfter);
  const code = readCode(request.code);
  if (code !== null) return { code };
  context.guestLimits.rejected(address, project.id);
  throw refusal('GUEST_CODE_INVALID');
}

function nameSubjectOf(by: Invitation): Subject<'guest-name'> {
  return 'code' in by ? guestNameSubject('code', by.code) : guestNameSubject('account', by.account);
}

function nameIn(ctx: DecisionContext, subject: Subject<'guest-name'>): GuestName | null {
  return ctx.read(subject);
}

async function run(
  project: Project,
  caller: Caller,
  cause: string,
  device: string,
  decide: (ctx: DecisionContext) => DecidedGuest | Refusal,
): Promise<GuestAnswer> {
  const outcome = await execute(project, caller, cause, (ctx) => {
    if (!accessOf(ctx, caller, 'live').settings.guestSignIn) throw refusal('GUESTS_DISABLED');
    const { guest, events } = accepted(decide(ctx));
    return decided(guest, events);
  });
  const guest = outcome.answer;
  const state = await guestOf(project, guest);
  return { guest, device, state: state ?? { devices: [], recovery: null, account: null }, ...stored(outcome) };
}
