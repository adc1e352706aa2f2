import type { CollectionModel } from '../../domain/definition/model.ts';
import type { ProjectSettings } from '../../domain/project/settings.ts';
import { isSignedBy } from '../../domain/security/proxy-signature.ts';
import { sessionInForce } from '../../domain/session/decide.ts';
import { readToken, type SessionToken } from '../../domain/session/token.ts';
import { asFamily, type SessionFamily } from '../../domain/states.ts';
import { sessionSubject } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import { type DirectAction, type Grounds, needsPlayer, requireOwn } from '../access.ts';
import type { Address } from '../answers.ts';
import type { Caller, PlayerProof } from '../caller.ts';
import { type AppContext, settingsOf } from '../context.ts';
import type { Failure } from '../ports/player-verifier.ts';
import type { Project } from '../project/project.ts';
import type { View } from '../project/view.ts';
import { lookAgainSoon } from './authenticate.ts';

/**
 * Who plays, proven before the decision (security 2). Asking a verifier is an effect, so it comes first, and its outcome goes into the
 * decision with the caller; a session is looked at again inside it, so that no commit rests on one that was revoked.
 */

/** What is asked for: the names that a host's signature may be scoped to; none: nobody may ask for another player. */
export interface Asking {
  readonly scopes: readonly string[];
}

export const NO_PROOF: PlayerProof = {
  claims: [],
  token: null,
  sessionToken: null,
  onBehalfOfToken: null,
  proxySignature: null,
  address: null,
};

/** Whether a caller of an endpoint has to be {@link identify}'d: a session counts also where nobody has to be verified. */
export function mustProve(settings: ProjectSettings, caller: Caller): boolean {
  if (caller.isSecret) return false;
  return settings.requirePlayerAuth || (caller.proof !== undefined && caller.proof.sessionToken !== null);
}

/**
 * The caller with its player proven, by session, by verifier, or by both when both were sent: a good session excuses no bad token.
 * Throws 401 `PLATFORM_AUTH_FAILED`, `AUTH_SESSION_INVALID`, `AUTH_SESSION_EXPIRED`, `AUTH_SESSION_PLATFORMID_MISMATCH`, 403
 * `AUTH_SESSION_DISABLED`, 400 `INVALID_PLATFORMID` (security 2.2).
 */
export function identify(
  context: AppContext,
  project: Project,
  caller: Caller,
  settings: ProjectSettings,
  asking: Asking,
): Awaitable<Caller> {
  const { proof = NO_PROOF, onBehalfOf } = caller;
  if (!settings.requirePlayerAuth && onBehalfOf !== null && !context.platformId.test(onBehalfOf)) throw refusal('INVALID_PLATFORMID');
  const { sessionToken } = proof;
  const held = sessionToken === null ? null : sessionOf(context, project, settings, sessionToken);
  return andThen(held, (session) => {
    const proven = provesByVerifier(settings, caller, proof, sessionToken) ? verifiedPlayer(context, caller, proof, asking) : null;
    return andThen(proven, (player) => identified(caller, proof, player, session));
  });
}

/** `proven`: by the verifier; `held`: the session that was sent. `null` for what was not asked for. Throws where they contradict each other. */
function identified(caller: Caller, proof: PlayerProof, proven: string | null, held: HeldSession | null): Caller {
  if (held !== null && proven !== null && held.player !== proven) throw refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  const player = proven ?? held?.player ?? '';
  // Also a claim that nobody would have looked at: one that is forged is never just ignored.
  if (proof.claims.some((claim) => claim !== player)) throw refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  const verified = caller.onBehalfOf ?? player;
  return held === null ? { ...caller, verified } : { ...caller, verified, session: held.token };
}

/** Without required players a session is enough: an installation without a verifier would otherwise fail every call that has one. */
function provesByVerifier(settings: ProjectSettings, caller: Caller, proof: PlayerProof, sessionToken: string | null): boolean {
  if (!settings.requirePlayerAuth) return false;
  if (sessionToken === null) return true;
  return [proof.token, caller.onBehalfOf, proof.onBehalfOfToken, proof.proxySignature].some((sent) => sent !== null);
}

/** The player that token, and for a host signature and both tokens, prove: the one who sent the request. */
function verifiedPlayer(context: AppContext, caller: Caller, proof: PlayerProof, asking: Asking): Awaitable<string> {
  const { onBehalfOf, projectId, platformId } = caller;
  const { address } = proof;
  if (onBehalfOf === null) return verifyPlayer(context, caller, platformId, proof.token, address);
  const { token, onBehalfOfToken } = proof;
  if (!hasConsent(caller, proof, asking)) {
    // Without a token nothing was guessed: guests whose platform gives them none would shut out their host (security 2.4).
    if (onBehalfOfToken !== null) context.verifier.rejected({ projectId, address });
    throw rejected("A call for another player needs that player's token, and a signature that holds");
  }
  return andThen(verifyPlayer(context, caller, platformId, token, address), (player) =>
    andThen(verifyPlayer(context, caller, onBehalfOf, onBehalfOfToken, guestsAt(address)), () => player),
  );
}

/** Guests choose the tokens that a proven host hands on: bad ones count apart, so that no guest ends the game of its host. */
function guestsAt(address: string | null): string | null {
  return address === null ? null : `${address} guests`;
}

/** The signature says that the player asked for this, and the player's token, which is verified later, that it was this player. */
function hasConsent({ projectId, key, onBehalfOf }: Caller, proof: PlayerProof, { scopes }: Asking): boolean {
  const { onBehalfOfToken: token, proxySignature: signature } = proof;
  if (onBehalfOf === null || token === null || signature === null) return false;
  return scopes.some((scope) => isSignedBy(key.display, { projectId, scope, player: onBehalfOf, token }, signature));
}

function notAnId({ source }: RegExp): string {
  return `This is not the id of a player: the server's setting PLATFORM_ID_PATTERN says what one looks like (${source})`;
}

function rejected(message: string): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'token_rejected' } });
}

/** Proves an id by its token. `address`: whom a bad one counts for. Throws 401 `PLATFORM_AUTH_FAILED`. Answers the id. */
export function verifyPlayer(
  context: AppContext,
  { projectId }: Caller,
  platformId: string | null,
  token: string | null,
  address: string | null,
): Awaitable<string> {
  // A login may prove any text; what is no player's id here must not become the name of documents.
  if (platformId !== null && !context.platformId.test(platformId)) throw rejected(notAnId(context.platformId));
  const verdict = context.verifier.verify({ projectId, platformId, token, address });
  return andThen(verdict, (judged) => {
    if (!judged.ok) throw notVerified(judged);
    return platformId ?? '';
  });
}

/** `service_unavailable` leaves the client its token, `token_rejected` has it get another (security 2.5). */
function notVerified({ kind, message, retryAfter = 5 }: Failure): Refusal {
  if (kind === 'missing' || kind === 'rejected' || kind === 'mismatch') return rejected(message);
  return refusal('PLATFORM_AUTH_FAILED', message, { error: { authFailureKind: 'service_unavailable' }, retryAfter });
}

/** A session in force, as of this node's head. */
export interface HeldSession {
  readonly token: SessionToken;
  readonly player: string;
}

/** The session of a token text. Throws 403 `AUTH_SESSION_DISABLED`, 401 `AUTH_SESSION_INVALID` or `AUTH_SESSION_EXPIRED`. */
export async function sessionOf(context: AppContext, project: Project, settings: ProjectSettings, text: string): Promise<HeldSession> {
  if (!settings.enableAuthSessions) throw refusal('AUTH_SESSION_DISABLED');
  const token = readToken(text);
  if (token === null) throw refusal('AUTH_SESSION_INVALID');
  const family = await familyOf(context, project, token);
  accepted(sessionInForce(token, family, context.scheduler.now()));
  return { token, player: family?.player ?? '' };
}

/**
 * It may just have been made elsewhere: like an unknown key, an unknown session has the log asked once more. It waits for that, since
 * every player's first call may come to another node than the one that made the session.
 */
export async function familyOf(context: AppContext, project: Project, token: SessionToken): Promise<SessionFamily | null> {
  // Told by the token itself: nothing has to be known of it.
  if (context.scheduler.now() >= token.expiresAt) return null;
  const subject = sessionSubject(token.family);
  const known = asFamily((await project.read(subject)).state);
  if (known?.sessions.has(token.sessionId)) return known;
  await lookAgainSoon(context, project);
  return asFamily((await project.read(subject)).state);
}

/** The caller proven for a direct call in a collection: a host that asks for another player signs with the collection's name (security 3). */
export function provenFor(
  context: AppContext,
  project: Project,
  caller: Caller,
  { settings }: Grounds,
  collection: CollectionModel,
  named: string,
): Awaitable<Caller> {
  // Only a host signs.
  const scopes = caller.onBehalfOf === null ? NO_SCOPES : readingScopes(collection, named);
  return identify(context, project, caller, settings, { scopes });
}

/** The same where the data has to be the player's own. Waits for nobody where nobody has to be proven, or somebody was. */
export function provenOwner(
  context: AppContext,
  project: Project,
  caller: Caller,
  ground: Grounds,
  collection: CollectionModel,
  at: Address,
  action: DirectAction,
): Awaitable<Caller> {
  if (!needsPlayer(ground, caller)) {
    requireOwn(ground, caller, collection, at.key, action);
    return caller;
  }
  const proven = caller.verified === undefined ? provenFor(context, project, caller, ground, collection, at.collection) : caller;
  return andThen(proven, (owner) => {
    requireOwn(ground, owner, collection, at.key, action);
    return owner;
  });
}

/** Whether {@link provenOwner} would have somebody to wait for. */
export function isUnproven(project: Project, { isSecret, verified }: Caller): boolean {
  return !isSecret && verified === undefined && settingsOf(project).requirePlayerAuth;
}

/** The caller proven for a call where nothing has to be its own. Waits for nobody where nobody has to be proven. */
export function provenWriter(
  context: AppContext,
  project: Project,
  caller: Caller,
  ground: Grounds,
  collection: CollectionModel,
  named: string,
): Awaitable<Caller> {
  return needsPlayer(ground, caller) ? provenFor(context, project, caller, ground, collection, named) : caller;
}

/** Inside a decision: throws where the session that the caller came with has ended since. */
export function requireSession(view: View, caller: Caller, now: number): void {
  if (caller.session === undefined) return;
  const session = sessionInForce(caller.session, asFamily(view.read(sessionSubject(caller.session.family))), now);
  if (session instanceof Refusal) throw session;
}

const NO_SCOPES: readonly string[] = [];

/** What a host's signature is scoped to when it reads a document; the second form is the reference's (security 3). */
function readingScopes({ id }: CollectionModel, named: string): readonly string[] {
  return [...new Set([`storage-${named}`, `storage-${id}`, named, id])];
}
