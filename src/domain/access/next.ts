import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { effectiveDefinitions } from '../definition/model/effective.ts';
import { CLOSED } from '../definition/model/models.ts';
import type { PublishTarget } from '../events.ts';
import type { AccessModel, CollectionModel, EffectiveDefinitions, EndpointModel, OpenTo, QueryModel } from '../model.ts';
import { allows } from '../project/permissions.ts';
import type { ProjectSettings } from '../project/settings.ts';
import { queryPlan } from '../query/plan.ts';
import type { AccessKey } from '../states.ts';
import type { AccessContext } from './context.ts';
import { type Credential, type Named, namedPlayer, needsProof } from './credential.ts';

/**
 * Who may use the target `next`, and what it shows of live. What is staged opens nothing that lies in live: that is what promoting it does.
 * So whatever live has passes the rules of both, and what is new reads, for players, only what players may read in live.
 */

/** Who asks, as far as the setting `nextAccess` depends on it. */
type NextCaller = Pick<Credential, 'extraSecret' | keyof Named>;

/** Refuses the target `next` to public keys that the setting `nextAccess` keeps out. */
export function closedNext(
  { nextAccess }: ProjectSettings,
  key: Pick<AccessKey, 'kind'>,
  who: NextCaller,
  target: PublishTarget,
): Refusal | null {
  if (target === 'live' || nextAccess === 'anyone' || key.kind !== 'public' || hasExtraSecret(who)) return null;
  if (nextAccess === 'keys') {
    return refusal(
      'FORBIDDEN',
      'In this project `next` takes a secret key (its setting nextAccess): without the target, the call is for live',
    );
  }
  return namedPlayer(who) === null
    ? refusal(
        'MISSING_PLATFORM_ID',
        'In this project `next` is open to players (its setting nextAccess): name the player, in the header x-platform-id',
      )
    : null;
}

/** Whether the player has to be proven for the target alone, also where live shows the same to anybody. */
export function nextNeedsProof(settings: ProjectSettings, who: Credential, target: PublishTarget): boolean {
  if (target === 'live' || settings.nextAccess !== 'players' || hasExtraSecret(who)) return false;
  return needsProof({ settings }, who) && who.verified === undefined;
}

function hasExtraSecret({ extraSecret }: Pick<Credential, 'extraSecret'>): boolean {
  return extraSecret !== null && extraSecret !== 'invalid';
}

/** What live has, if the target may have something else. */
function liveUnder({ definitions, state }: Pick<AccessContext, 'definitions' | 'state'>): EffectiveDefinitions | null {
  const live = effectiveDefinitions(state, 'live');
  return live === definitions ? null : live;
}

/** A collection of the target, as open as it is in live, too, if live has it. */
export function collectionIn(
  access: Pick<AccessContext, 'definitions' | 'state' | 'target' | 'space'>,
  idOrName: string,
): CollectionModel | undefined {
  const staged = access.definitions.collection(idOrName);
  const live = staged === undefined ? undefined : liveUnder(access)?.collection(staged.id);
  // By its id: that is where documents lie.
  if (staged === undefined || live === undefined || live.id !== staged.id || live === staged) return staged;
  const known = narrowed.get(staged);
  if (known?.live === live && known.isShared === (access.space === 'live')) return known.collection;
  const isShared = access.space === 'live';
  const collection = narrower(staged, live, isShared);
  narrowed.set(staged, { live, isShared, collection });
  return collection;
}

const narrowed = new WeakMap<
  CollectionModel,
  { readonly live: CollectionModel; readonly isShared: boolean; readonly collection: CollectionModel }
>();

/** `isShared`: what `next` deletes is gone in live, too. */
function narrower(staged: CollectionModel, live: CollectionModel, isShared: boolean): CollectionModel {
  return {
    ...staged,
    access: narrowerAccess(staged, live),
    publicAppend: staged.publicAppend && live.publicAppend,
    allowRecordDelete: staged.allowRecordDelete && (live.allowRecordDelete || !isShared),
    ownHistory: staged.ownHistory && live.ownHistory,
  };
}

/** Where the types differ, rules of one do not fit the data of the other: a global collection lists what would have been a player's. */
function narrowerAccess(staged: CollectionModel, live: CollectionModel): AccessModel {
  if (staged.type !== live.type) return CLOSED;
  const [own, other] = [staged.access, live.access];
  return {
    read: narrowerOf(own.read, other.read),
    write: narrowerOf(own.write, other.write),
    records: narrowerOf(own.records, other.records),
  };
}

const WIDTH: Readonly<Record<OpenTo, number>> = { endpoints: 0, owner: 1, public: 2 };

function narrowerOf(one: OpenTo, other: OpenTo): OpenTo {
  return isWider(one, other) ? other : one;
}

/** Whether more callers get in by `one` than by `other`. */
export function isWider(one: OpenTo, other: OpenTo): boolean {
  return WIDTH[one] > WIDTH[other];
}

/** Refuses a query of the target to players, where it would show them what live does not. `called`: its id or name in the call. */
export function closedQueryInNext(access: AccessContext, called: string, query: QueryModel): Refusal | null {
  const live = liveUnder(access);
  if (live === null) return null;
  const inLive = [live.query(called), live.query(query.id)].flatMap((each) => (each === undefined ? [] : [each]));
  if (inLive.some(({ requiresSecretKey }) => requiresSecretKey)) return stagedOnly('query', query.id, 'takes a secret key in live');
  const reads = sourcesOf(query, access.definitions);
  if (inLive.some((each) => each.hash === query.hash && sourcesOf(each, live).join() === reads.join())) return null;
  const closed = reads.find((id) => live.collections.some((each) => each.id === id && each.access.read !== 'public'));
  return closed === undefined ? null : stagedOnly('query', query.id, `reads ${JSON.stringify(closed)}, which games may not read in live`);
}

/** Ids of the collections whose documents a query reads. */
function sourcesOf(query: QueryModel, definitions: EffectiveDefinitions): readonly string[] {
  const plan = queryPlan(query);
  if (typeof plan === 'string') return [];
  return [...plan.sources, ...plan.joins].map(({ collectionId }) => definitions.collection(collectionId)?.id ?? collectionId);
}

/** Refuses an endpoint of the target to players: one that live keeps from them, or a new one that would write what players own in live. */
export function closedEndpointInNext(access: AccessContext, called: string, endpoint: EndpointModel): Refusal | null {
  const live = liveUnder(access);
  if (live === null) return null;
  const inLive = endpointsInLive(live, called, endpoint);
  if (inLive.some(({ requiresSecretKey }) => requiresSecretKey)) return stagedOnly('endpoint', endpoint.id, 'takes a secret key in live');
  if (inLive.some(({ internal }) => internal)) return stagedOnly('endpoint', endpoint.id, 'is internal in live');
  if (!live.collections.some(isOwnedByPlayers) || !isNewToShared(access, live, called, endpoint)) return null;
  return stagedOnly('endpoint', endpoint.id, 'is staged, and `nextData: shared` has it write the documents of players in live');
}

/** Refuses a button of the target to who presses buttons alone, where it would write to live what nobody made live. */
export function closedButtonInNext(access: AccessContext, called: string, endpoint: EndpointModel): Refusal | null {
  const live = liveUnder(access);
  if (live === null || allows(access.key, 'endpoints', 'x') || !isNewToShared(access, live, called, endpoint)) return null;
  return refusal(
    'FORBIDDEN',
    `The endpoint ${JSON.stringify(endpoint.id)} is staged, and \`nextData: shared\` has it write to live: whoever may call endpoints presses it before it is live`,
  );
}

/** Whether the target shares the data of live, and the endpoint, or what it calls, is not as in live. */
function isNewToShared(access: AccessContext, live: EffectiveDefinitions, called: string, endpoint: EndpointModel): boolean {
  if (access.space !== 'live') return false;
  return !endpointsInLive(live, called, endpoint).some(({ hash }) => hash === endpoint.hash) || !hasSameLogic(access.definitions, live);
}

/** What live has under the name in the call, and under the id. */
function endpointsInLive(live: EffectiveDefinitions, called: string, { id }: EndpointModel): readonly EndpointModel[] {
  return [live.endpoint(called), live.endpoint(id)].flatMap((each) => (each === undefined ? [] : [each]));
}

function isOwnedByPlayers({ type, access: { read, write } }: CollectionModel): boolean {
  return type !== 'global' || read === 'owner' || write === 'owner';
}

/** Whether whatever endpoints call is in both as it is in the other. */
function hasSameLogic(staged: EffectiveDefinitions, live: EffectiveDefinitions): boolean {
  const [one, other] = [calledIn(staged), calledIn(live)];
  return one.length === other.length && one.every(({ id, hash }, at) => other[at]?.id === id && other[at]?.hash === hash);
}

function calledIn({ workflows, libraries, endpoints }: EffectiveDefinitions): readonly { readonly id: string; readonly hash: string }[] {
  return [...workflows, ...libraries, ...endpoints.filter(({ internal }) => internal)];
}

function stagedOnly(kind: 'query' | 'endpoint', id: string, why: string): Refusal {
  return refusal(
    'SECRET_KEY_REQUIRED',
    `The ${kind} ${JSON.stringify(id)} ${why}: until it is promoted, \`next\` takes a secret key for it`,
  );
}

/** The game values that players see: of the target, without groups and tables that live has and does not show. */
export function valuesOfPlayers(access: Pick<AccessContext, 'definitions' | 'state'>): JsonObject {
  const { shared } = access.definitions.values;
  const live = liveUnder(access);
  if (live === null) return shared;
  const known = shown.get(shared);
  if (known?.live === live) return known.values;
  const values = withoutHidden(shared, live);
  shown.set(shared, { live, values });
  return values;
}

const shown = new WeakMap<JsonObject, { readonly live: EffectiveDefinitions; readonly values: JsonObject }>();

/** Members of the answer that hold values by id. */
const BY_ID = ['groups', 'tables', 'constants'] as const;

function withoutHidden(values: JsonObject, { values: { full, shared } }: EffectiveDefinitions): JsonObject {
  const idsOf = (answer: JsonObject) => BY_ID.flatMap((name) => Object.keys(isObject(answer[name]) ? answer[name] : {}));
  const open = new Set(idsOf(shared));
  const hidden = new Set(idsOf(full).filter((id) => !open.has(id)));
  if (hidden.size === 0) return values;
  const parts = BY_ID.map((name) => {
    const part = values[name];
    return [name, isObject(part) ? Object.fromEntries(Object.entries(part).filter(([id]) => !hidden.has(id))) : (part ?? null)] as const;
  });
  return { ...values, ...Object.fromEntries(parts) };
}
