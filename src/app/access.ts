import { effectiveDefinitions } from '../domain/definition/effective.ts';
import { EMPTY_DEFINITIONS } from '../domain/definition/evolve.ts';
import type { CollectionModel, EffectiveDefinitions, OpenTo } from '../domain/definition/model.ts';
import { DOCUMENT_KEY } from '../domain/document/key.ts';
import { truncateText } from '../domain/document/truncate-text.ts';
import type { Actor, PublishTarget, Space } from '../domain/events.ts';
import { allows } from '../domain/project/permissions.ts';
import { type ProjectSettings, projectSettings } from '../domain/project/settings.ts';
import { isBlocked, revisionMessage } from '../domain/revision/status.ts';
import { type ApiKey, type AuthorityState, asAuthority, asDefinitions, type DefinitionsState } from '../domain/states.ts';
import { AUTHORITY, DEFINITIONS } from '../domain/subjects.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import type { Caller } from './caller.ts';
import type { DecisionContext } from './project/decision-context.ts';

/** Who may do what. It is read inside the decision where there is one, so every commit rests on an authority that still held. */

/** The caller's authority, with the definitions and the space of its target. */
export interface AccessContext {
  readonly authority: AuthorityState;
  readonly settings: ProjectSettings;
  readonly key: ApiKey;
  readonly state: DefinitionsState;
  readonly target: PublishTarget;
  readonly definitions: EffectiveDefinitions;
  /** Space of the target's data. */
  readonly space: Space;
}

/** The part of it that is the same for all callers: what is read with this alone may be shown to whoever may read it. */
export type SharedAccess = Omit<AccessContext, 'key'>;

/**
 * Reads project, key and definitions through the decision context. Throws 401 or 403 if the caller's authority no longer holds. `before`: an
 * earlier result for the same caller and target; it is returned again if nothing has changed.
 */
export function accessOf(ctx: DecisionContext, caller: Caller, target: PublishTarget, before?: AccessContext): AccessContext {
  const authority = asAuthority(ctx.read(AUTHORITY));
  const state = asDefinitions(ctx.read(DEFINITIONS)) ?? EMPTY_DEFINITIONS;
  if (before !== undefined && before.authority === authority && before.state === state) return before;
  return accessFrom(authority, state, caller, target);
}

/** As {@link accessOf}, from states at hand, for plain reads. */
export function accessFrom(
  authority: AuthorityState | null,
  state: DefinitionsState,
  caller: Pick<Caller, 'key'>,
  target: PublishTarget,
): AccessContext {
  const key = authority?.keys.get(caller.key.keyId);
  if (!authority || authority.deleted || !key) throw refusal('UNAUTHORIZED');
  if (!key.enabled) throw refusal('KEY_DISABLED');
  const settings = projectSettings(authority.settings);
  if (!settings.enabled) throw refusal('PROJECT_DISABLED');
  return accessWith(authority, settings, key, state, target);
}

/** Space of a target's data. */
export function spaceOf(
  { nextData }: Pick<ProjectSettings, 'nextData'>,
  { generation }: Pick<DefinitionsState, 'generation'>,
  target: PublishTarget,
): Space {
  return target === 'live' || nextData === 'shared' ? 'live' : `next${generation}`;
}

function accessWith(
  authority: AuthorityState,
  settings: ProjectSettings,
  key: ApiKey,
  state: DefinitionsState,
  target: PublishTarget,
): AccessContext {
  return {
    authority,
    settings,
    key,
    state,
    target,
    definitions: effectiveDefinitions(state, target),
    space: spaceOf(settings, state, target),
  };
}

/** Stands for a key when the operator asks. */
const OPERATOR: ApiKey = {
  keyId: 'operator',
  kind: 'secret',
  label: 'operator',
  hash: '',
  display: '',
  enabled: true,
  permissions: null,
  createdAt: 0,
};

/** The operator's authority, which also holds for a disabled project. Throws 404 for a deleted one. */
export function operatorAccess(target: PublishTarget): (ctx: DecisionContext) => AccessContext {
  return (ctx) => {
    const authority = asAuthority(ctx.read(AUTHORITY));
    if (!authority || authority.deleted) throw refusal('NOT_FOUND', 'There is no such project');
    const state = asDefinitions(ctx.read(DEFINITIONS)) ?? EMPTY_DEFINITIONS;
    return accessWith(authority, projectSettings(authority.settings), OPERATOR, state, target);
  };
}

/** Who a command acts for, and through which endpoint. Throws 400 INVALID_PLATFORMID for an id that no table could store. */
export function actorOf(caller: Caller, endpoint?: string): Actor {
  requireStorable(caller.platformId);
  requireStorable(caller.onBehalfOf);
  const actor: { -readonly [Name in keyof Actor]: Actor[Name] } = { kind: caller.isSecret ? 'secret' : 'public', keyId: caller.key.keyId };
  const player = caller.verified ?? caller.platformId;
  if (player !== null) actor.player = player;
  if (endpoint !== undefined) actor.endpoint = endpoint;
  return actor;
}

/**
 * A claimed id becomes part of subjects, whose parts are separated by `/`, and of table keys: an index entry holds at most 2.7 KB, and no text
 * holds U+0000.
 */
const STORABLE_CLAIM = /^[^/\0]{0,256}$/;

/** Throws 400 INVALID_PLATFORMID for a claimed id that no table could store. */
export function requireStorable(claim: string | null): void {
  if (claim !== null && !STORABLE_CLAIM.test(claim)) throw refusal('INVALID_PLATFORMID');
}

/** Throws 403 unless a secret key has the permission. Public keys have no permissions and pass. */
export function requirePermission(key: ApiKey, scope: string, level: 'r' | 'rw' | 'x'): void {
  if (allows(key, scope, level)) return;
  throw refusal('FORBIDDEN', `This key does not have ${level} access to ${scope}; \`savepoint key permissions\` gives it`);
}

export type DirectAction = 'read' | 'write' | 'delete';

const IN_LIVE = 'until it is promoted, what was pushed to next shows only to requests for next (x-ns-publish-target: next)';
const IN_NEXT = 'in next, which shows live with what is staged: it is in neither, or its removal is staged';

/** Refusal of a definition that a call names and that does not exist. */
export function noSuch(kind: 'collection' | 'query', id: string, target: PublishTarget): Refusal {
  const name = JSON.stringify(truncateText(id, 64));
  const where = target === 'next' ? ` ${IN_NEXT}` : `; ${IN_LIVE}`;
  return refusal('NOT_FOUND', `There is no ${kind} ${name}${where}`);
}

/** As {@link noSuch}, of an endpoint. */
export function noSuchEndpoint(target: PublishTarget): Refusal {
  return target === 'live' ? refusal('ENDPOINT_NOT_FOUND') : refusal('ENDPOINT_NOT_FOUND', `No endpoint with this slug ${IN_NEXT}`);
}

const COLLECTION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Who may do this to documents of a collection, besides secret keys and endpoints. */
function openTo({ access }: CollectionModel, action: DirectAction): OpenTo {
  return action === 'read' ? access.read : access.write;
}

/** The collection of a direct call, if the caller may use it. Unknown and malformed ids get the same answer: 404. */
export function directCollection(
  at: AccessContext,
  caller: Caller,
  collectionId: string,
  key: string | null,
  action: DirectAction,
): CollectionModel {
  const { definitions } = at;
  if (caller.isSecret) requirePermission(at.key, 'collections', 'x');
  const collection = COLLECTION_ID.test(collectionId) ? definitions.collection(collectionId) : undefined;
  if (!collection) throw noSuch('collection', collectionId, at.target);
  if (key !== null && !DOCUMENT_KEY.test(key)) throw refusal('NOT_FOUND', 'No document under this key');
  if (caller.isSecret) {
    requireRevision(caller, action === 'read' ? 'read' : 'write');
    return collection;
  }
  if (openTo(collection, action) === 'endpoints') throw refusal('ENDPOINT_ONLY');
  if (action === 'delete' && !collection.allowRecordDelete) throw refusal('RECORD_DELETE_DISABLED');
  requireRevision(caller, action === 'read' ? 'read' : 'write');
  return collection;
}

/** Throws 409 REVISION_OUTDATED if the game is too old for this. */
export function requireRevision({ revision }: Caller, access: 'read' | 'write'): void {
  if (revision === null || !isBlocked(revision, access)) return;
  // On these routes a game sees the failure by the HTTP status.
  throw new Refusal(409, 'REVISION_OUTDATED', revisionMessage(revision));
}

/** Whether a direct call needs a proven player, which {@link requireOwn} will ask for. */
export function needsPlayer({ settings }: AccessContext, caller: Caller): boolean {
  return settings.requirePlayerAuth && !caller.isSecret;
}

/**
 * A proven player may write and delete its own documents and those of global collections. In a collection with owner access the player must be
 * the document's owner; the player's name is enough where the project demands no proof.
 */
export function requireOwn(at: AccessContext, caller: Caller, collection: CollectionModel, key: string, action: DirectAction): void {
  if (caller.isSecret) return;
  if (openTo(collection, action) === 'owner') requireOwner(at, caller, key);
  else if (!needsPlayer(at, caller)) return;
  else if (collection.type === 'global') requireVerifiedPlayer(caller);
  else requireOwnKey(caller, key);
}

function requireOwner(at: AccessContext, caller: Caller, key: string): void {
  requireKeyOf(ownerOf(at, caller), key);
}

/** The player of a call with a public key: proven, or only named where the project demands no proof. Throws 400 MISSING_PLATFORM_ID. */
export function ownerOf(at: AccessContext, caller: Caller): string {
  if (needsPlayer(at, caller)) return requireVerifiedPlayer(caller);
  const named = caller.verified ?? caller.onBehalfOf ?? caller.platformId;
  if (named === null)
    throw refusal('MISSING_PLATFORM_ID', 'This is open to the player whose it is: name the player, in the header x-platform-id');
  return named;
}

/** Throws 403 unless the key is the proven player's id or begins with `{id}_`. */
export function requireOwnKey(caller: Caller, key: string): void {
  requireKeyOf(requireVerifiedPlayer(caller), key);
}

function requireKeyOf(player: string, key: string): void {
  if (key !== player && !key.startsWith(`${player}_`)) throw refusal('FORBIDDEN', 'This belongs to another player');
}

/** The proven player. Throws if there is none: the project may have come to require one since the caller was resolved. */
export function requireVerifiedPlayer({ verified }: Caller): string {
  if (verified !== undefined) return verified;
  throw refusal('PLATFORM_AUTH_FAILED', 'This project requires verified players', { error: { authFailureKind: 'token_rejected' } });
}

/** The player that a call acts for: the proven one, else the claimed one. */
export function playerOf(caller: Caller, pattern: RegExp): string {
  if (caller.verified !== undefined) return caller.verified;
  if (caller.onBehalfOf === null) return caller.platformId ?? 'anonymous';
  if (!pattern.test(caller.onBehalfOf)) throw refusal('INVALID_PLATFORMID');
  return caller.onBehalfOf;
}
