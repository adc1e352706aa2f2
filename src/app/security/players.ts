import type { AccessContext } from '../../domain/access/context.ts';
import { nextNeedsProof } from '../../domain/access/next.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { isPass } from '../../domain/guest/pass.ts';
import { readGuestToken } from '../../domain/guest/token.ts';
import type { CollectionModel } from '../../domain/model.ts';
import type { ProjectSettings } from '../../domain/project/settings.ts';
import { isSignedBy } from '../../domain/security/proxy-signature.ts';
import { sessionInForce } from '../../domain/session/decide.ts';
import { readToken, type SessionToken } from '../../domain/session/token.ts';
import type { SessionFamily } from '../../domain/states.ts';
import { sessionSubject } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import type { Caller, DeviceProof, PassProof, PlayerProof } from '../caller.ts';
import { type AppContext, settingsOf } from '../context.ts';
import type { Failure } from '../ports/player-verifier.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { catchUpInTurn } from './authenticate.ts';
import { concernsGuest, provenDevice, provenPass, recheckSessionDevice, requireDevice, requireSessionDevice } from './guest-proof.ts';

/**
 * Proves who plays, before the decision. Asking a verifier is an effect, so it comes first, and its outcome goes into the decision with the
 * caller. The decision checks the session again, so no commit rests on a revoked one.
 */

/** `purposes`: what a host's signature may be for; none: nobody may ask for another player. */
export interface IdentifyOptions {
  readonly purposes: readonly string[];
}

export const NO_PROOF: PlayerProof = {
  claims: [],
  token: null,
  sessionToken: null,
  onBehalfOfToken: null,
  proxySignature: null,
  address: null,
};

/** Whether an endpoint's caller has to be {@link identify}'d. A session that was sent is checked even where players need no proof. */
export function mustProve(settings: ProjectSettings, caller: Caller): boolean {
  if (caller.isSecret) return false;
  return settings.requirePlayerAuth || (caller.proof !== undefined && caller.proof.sessionToken !== null);
}

/**
 * Proves the caller's player, by session, by verifier, or by both if both were sent: a valid session excuses no invalid token. Throws 401
 * `PLATFORM_AUTH_FAILED`, `AUTH_SESSION_INVALID`, `AUTH_SESSION_EXPIRED`, `AUTH_SESSION_PLATFORMID_MISMATCH`, 403 `AUTH_SESSION_DISABLED`,
 * 400 `INVALID_PLATFORMID`.
 */
export function identify(
  context: AppContext,
  project: Project,
  caller: Caller,
  settings: ProjectSettings,
  options: IdentifyOptions,
): Awaitable<Caller> {
  const { proof = NO_PROOF, onBehalfOf } = caller;
  if (!settings.requirePlayerAuth && onBehalfOf !== null && !context.platformId.test(onBehalfOf)) throw refusal('INVALID_PLATFORMID');
  const { sessionToken } = proof;
  const held = sessionToken === null ? null : sessionOf(context, project, settings, sessionToken);
  return andThen(held, (session) => {
    const proven = provesByVerifier(settings, caller, proof, sessionToken)
      ? verifiedPlayer(context, project, caller, proof, options)
      : null;
    return andThen(proven, (player) => identified(caller, proof, player, session));
  });
}

/** `proven`: the verifier's player; `held`: the session that was sent; `null`: there is none. Throws if they contradict each other. */
function identified(caller: Caller, proof: PlayerProof, proven: ProvenPlayer | null, held: ActiveSession | null): Caller {
  if (held !== null && proven !== null && held.player !== proven.player) throw refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  const player = proven?.player ?? held?.player ?? '';
  // Every claim is compared, even one that would not be used: a forged claim is never ignored.
  if (proof.claims.some((claim) => claim !== player)) throw refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  const verified = caller.onBehalfOf ?? player;
  // Most proofs involve neither session nor device. Adding empty members for them would cost as much as the rest of a proof that is
  // remembered.
  if (held === null && (proven === null || (proven.device === null && proven.passed === undefined))) return { ...caller, verified };
  const devices = {
    ...(proven === null || proven.device === null ? {} : { device: proven.device }),
    ...(proven?.passed === undefined ? {} : { passed: proven.passed }),
  };
  return held === null ? { ...caller, verified, ...devices } : { ...caller, verified, ...devices, session: held.token };
}

/**
 * Whether the verifier is asked. Where players need no proof a session is enough, or an installation without a verifier would refuse every
 * call with a session.
 */
function provesByVerifier(settings: ProjectSettings, caller: Caller, proof: PlayerProof, sessionToken: string | null): boolean {
  if (!settings.requirePlayerAuth) return false;
  if (sessionToken === null) return true;
  return [proof.token, caller.onBehalfOf, proof.onBehalfOfToken, proof.proxySignature].some((sent) => sent !== null);
}

/**
 * The player that the token proves. For a host that acts for a player both tokens and a signature are needed; the answer is the host's
 * player, who sent the request.
 */
function verifiedPlayer(
  context: AppContext,
  project: Project,
  caller: Caller,
  proof: PlayerProof,
  options: IdentifyOptions,
): Awaitable<ProvenPlayer> {
  const { onBehalfOf, projectId, platformId } = caller;
  const { address } = proof;
  if (onBehalfOf === null) return verifyPlayer(context, project, platformId, proof.token, address);
  const { token, onBehalfOfToken } = proof;
  // Whoever has a device's secret is the player for good, so no host may be given one.
  if (readGuestToken(onBehalfOfToken) !== null)
    throw rejected("A device's secret proves nobody through a host: a guest asks for a pass, and gives the host that");
  if (!hasConsent(caller, proof, options)) {
    // A call without a token guesses nothing. Counted, guests whose platform gives them no token would block their host.
    if (onBehalfOfToken !== null) context.verifier.rejected({ projectId, address });
    throw rejected("A call for another player needs that player's token, and a signature that holds");
  }
  return andThen(verifyPlayer(context, project, platformId, token, address), (host) => {
    if (isPass(onBehalfOfToken))
      return provenPass(context, project, { host: host.player, guest: onBehalfOf, text: onBehalfOfToken }).then((passed) => ({
        ...host,
        passed,
      }));
    return andThen(verifyPlayer(context, project, onBehalfOf, onBehalfOfToken, guestsAt(address)), () => host);
  });
}

/**
 * Where a guest's bad tokens count. Guests choose the tokens that a proven host passes on, so they count apart and no guest can block the
 * host.
 */
function guestsAt(address: string | null): string | null {
  return address === null ? null : `${address} guests`;
}

/**
 * Whether the player agreed: the signature says that the player asked for this. The player's token, verified later, says that it was this
 * player.
 */
function hasConsent({ projectId, key, onBehalfOf }: Caller, proof: PlayerProof, { purposes }: IdentifyOptions): boolean {
  const { onBehalfOfToken: token, proxySignature: signature } = proof;
  if (onBehalfOf === null || token === null || signature === null) return false;
  return purposes.some((purpose) => isSignedBy(key.display, { projectId, purpose, player: onBehalfOf, token }, signature));
}

const NOBODY =
  'This project has its players proven, and the call names nobody: sign in first (`signInGuest` of the client library, or POST /v3/guests/{project}/register)';

function notAnId({ source }: RegExp): string {
  return `This is not the id of a player: the server's setting PLATFORM_ID_PATTERN says what one looks like (${source})`;
}

function rejected(message: string): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'token_rejected' } });
}

/** Who was proven, and by which device of a guest; `null`: by the installation's verifier. */
export interface ProvenPlayer {
  readonly player: string;
  readonly device: DeviceProof | null;
  /** Of a host: the device of the guest for whom it asks. */
  readonly passed?: PassProof;
}

/** Proves an id by its token. `address`: the client that a bad token counts for. Throws 401 `PLATFORM_AUTH_FAILED`. */
export function verifyPlayer(
  context: AppContext,
  project: Project,
  platformId: string | null,
  token: string | null,
  address: string | null,
): Awaitable<ProvenPlayer> {
  // A studio's login may prove any text. One that is no player id must not become part of document keys.
  if (platformId !== null && !context.platformId.test(platformId)) throw rejected(notAnId(context.platformId));
  if (platformId === null && token === null && settingsOf(project).guestSignIn) throw rejected(NOBODY);
  if (!concernsGuest(platformId, token)) return verifiedBy(context, project, platformId, token, address);
  return provenDevice(context, project, platformId, token, address).then((device) =>
    device === null ? verifiedBy(context, project, platformId, token, address) : { player: device.guest, device },
  );
}

/** The player that the installation's verifier proves. */
function verifiedBy(
  { verifier }: AppContext,
  { id: projectId }: Project,
  platformId: string | null,
  token: string | null,
  address: string | null,
): Awaitable<ProvenPlayer> {
  return andThen(verifier.verify({ projectId, platformId, token, address }), (verdict) => {
    if (!verdict.ok) throw notVerified(verdict);
    return { player: platformId ?? '', device: null };
  });
}

/** The refusal of an unproven player. After `service_unavailable` the client keeps its token; after `token_rejected` it gets another. */
function notVerified({ kind, message, retryAfter = 5 }: Failure): Refusal {
  if (kind === 'missing' || kind === 'rejected' || kind === 'mismatch') return rejected(message);
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'service_unavailable' }, retryAfter });
}

/** A session in force, at this node's head. */
export interface ActiveSession {
  readonly token: SessionToken;
  readonly player: string;
}

/** The session of a token. Throws 403 `AUTH_SESSION_DISABLED`, 401 `AUTH_SESSION_INVALID` or `AUTH_SESSION_EXPIRED`. */
export async function sessionOf(context: AppContext, project: Project, settings: ProjectSettings, text: string): Promise<ActiveSession> {
  if (!settings.enableAuthSessions) throw refusal('AUTH_SESSION_DISABLED');
  const token = readToken(text);
  if (token === null) throw refusal('AUTH_SESSION_INVALID');
  const family = await familyOf(context, project, token);
  accepted(sessionInForce(token, family, context.scheduler.now()));
  await requireSessionDevice(project, family);
  return { token, player: family?.player ?? '' };
}

/**
 * The session's family. An unknown session may just have been made on another node, so the log is read once more. This waits for the read,
 * because a player's first call may well reach another node than the one that made the session.
 */
export async function familyOf(context: AppContext, project: Project, token: SessionToken): Promise<SessionFamily | null> {
  // The token holds its own end, so nothing has to be loaded.
  if (context.scheduler.now() >= token.expiresAt) return null;
  const subject = sessionSubject(token.family);
  const known = (await project.read(subject)).state;
  if (known?.sessions.has(token.sessionId)) return known;
  await catchUpInTurn(context, project);
  return (await project.read(subject)).state;
}

/** The caller, proven for a direct call in a collection. A host that asks for another player signs with the collection's name. */
export function provenFor(
  context: AppContext,
  project: Project,
  caller: Caller,
  { settings }: AccessContext,
  collection: CollectionModel,
  named: string,
): Awaitable<Caller> {
  // Only hosts sign.
  const purposes = caller.onBehalfOf === null ? NO_PURPOSES : readingPurposes(collection, named);
  return identify(context, project, caller, settings, { purposes });
}

/** The caller, proven as for an endpoint call, where no host may act for a player. */
export function provenDirectly(context: AppContext, project: Project, caller: Caller): Awaitable<Caller> {
  const settings = settingsOf(project);
  return mustProve(settings, caller) ? identify(context, project, caller, settings, { purposes: NO_PURPOSES }) : caller;
}

/** The caller, proven if the target asks for that. For routes on which live asks for no proof. */
export function provenForTarget(context: AppContext, project: Project, caller: Caller, target: PublishTarget): Awaitable<Caller> {
  const settings = settingsOf(project);
  return nextNeedsProof(settings, caller, target) ? identify(context, project, caller, settings, { purposes: NO_PURPOSES }) : caller;
}

/** Inside a decision: throws if the caller's session has ended since, or its device was revoked. */
export function requireProof(ctx: DecisionContext, caller: Caller, now: number): void {
  if (caller.device !== undefined) requireDevice(ctx, caller.device);
  if (caller.passed !== undefined) requireDevice(ctx, caller.passed);
  if (caller.session === undefined) return;
  const family = ctx.read(sessionSubject(caller.session.family));
  const session = sessionInForce(caller.session, family, now);
  if (session instanceof Refusal) throw session;
  recheckSessionDevice(ctx, family);
}

const NO_PURPOSES: readonly string[] = [];

/** What a host's signature may be for to read a document. The second form is the one of existing hosts. */
function readingPurposes({ id }: CollectionModel, named: string): readonly string[] {
  return [...new Set([`storage-${named}`, `storage-${id}`, named, id])];
}
