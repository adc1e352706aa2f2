import type * as contract from '../../contract/answers.ts';
import { AREAS } from '../../contract/credentials.ts';
import {
  decidePutSingle,
  decideRemove,
  decideRemoveSingle,
  decideUpsertMany,
  decideUpsertOne,
  itemOfPatch,
} from '../../domain/definition/decide.ts';
import { decideDiscard } from '../../domain/definition/discard.ts';
import { listDefinitions, listGameValues, listRateLimitRules } from '../../domain/definition/listing.ts';
import { preflight } from '../../domain/definition/preflight.ts';
import { diffDefinitions } from '../../domain/definition/promote.ts';
import type { Decision as Publish } from '../../domain/definition/publish.ts';
import { areasOfSync, itemsOfSync } from '../../domain/definition/sections.ts';
import { strictly } from '../../domain/definition/strict.ts';
import { decideSync, type HowSynced } from '../../domain/definition/sync.ts';
import type { DomainEvent, PublishTarget } from '../../domain/events.ts';
import { areasOf } from '../../domain/project/permissions.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { isDatabaseOutage } from '../../kernel/outage.ts';
import { type AccessContext, accessFrom, accessOf, requirePermission } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { keyedBy, remembering, replayed } from '../idempotency.ts';
import type { Building } from '../ports/readers.ts';
import { type Decided, decidedBy } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { findKey } from '../security/authenticate.ts';
import { wholeAnswer } from './answer-codec.ts';
import { onBase } from './base.ts';
import { compileAhead, judgeAhead, type Pushed } from './compile-ahead.ts';
import { upgradedIn } from './compile-tasks.ts';
import { promote } from './promotion.ts';
import { UniqueSurvey } from './unique-survey.ts';

export interface Manage {
  /** Upserts an array (PUT and POST) of collections, endpoints, workflows or queries. `strict`, here and below: findings refuse the push. */
  upsertMany(
    caller: Caller,
    kind: ListedKind,
    body: Json,
    options: { readonly target: PublishTarget; readonly replaceAll: boolean; readonly strict?: boolean },
  ): Promise<ManageAnswer<contract.PushedMany>>;
  upsertOne(
    caller: Caller,
    kind: ListedKind,
    body: Json,
    target: PublishTarget,
    strict: boolean,
  ): Promise<ManageAnswer<contract.PushedOne>>;
  remove(caller: Caller, kind: ListedKind, id: string, target: PublishTarget): Promise<ManageAnswer<contract.Removed>>;
  putSingle(caller: Caller, kind: SingleKind, body: Json, target: PublishTarget, strict: boolean): Promise<ManageAnswer<contract.Put>>;
  removeSingle(caller: Caller, kind: SingleKind, target: PublishTarget): Promise<ManageAnswer<contract.Removed>>;
  list(caller: Caller, kind: ListedKind, options: ListingOf): Promise<ManageAnswer<contract.Listing>>;
  gameValues(caller: Caller, options: ListingOf): Promise<ManageAnswer<contract.StoredValues>>;
  rateLimitRules(caller: Caller, options: ListingOf): Promise<ManageAnswer<contract.StoredRules>>;
  validate(caller: Caller, publicKey: string | null): Promise<ManageAnswer<contract.Validated>>;
  /** Throws 409 PROMOTION_FINDINGS if stored data does not fit the staged definitions, unless `force`. */
  promote(
    caller: Caller,
    options: { readonly dryRun: boolean; readonly force: boolean; readonly base: number | null },
  ): Promise<ManageAnswer<contract.Promoted>>;
  /** Drops staged definitions: `{}` all, `{kind}` or `{kind, id}` some. */
  discard(caller: Caller, body: Json | undefined, options: { readonly dryRun: boolean }): Promise<ManageAnswer<contract.Discarded>>;
  diff(caller: Caller): Promise<ManageAnswer<contract.Difference>>;
  /** Pushes all sections, or nothing. The key needs the permission of every section, even an empty one. */
  sync(caller: Caller, body: Json | undefined, target: PublishTarget, how: SyncOptions): Promise<ManageAnswer<contract.Synced>>;
  /** Says what `sync` would do. Writes nothing. */
  preflight(caller: Caller, body: Json | undefined, target: PublishTarget, how: HowSynced): Promise<ManageAnswer<contract.Preflighted>>;
  upgradeSource(caller: Caller, body: Json | undefined): Promise<ManageAnswer<contract.UpgradedSource>>;
}

/** `base`: the revision that the push is made on; `null`: none was named. Throws 409 PUBLISH_CONFLICT if somebody has published since. */
interface SyncOptions extends HowSynced {
  readonly base: number | null;
}

export type ListedKind = 'collection' | 'endpoint' | 'workflow' | 'library' | 'query';

export type SingleKind = 'game-values' | 'rate-limit-rules';

/** Options of a listing. `target` null: the request named none. */
export interface ListingOf {
  readonly includeStaged: boolean;
  readonly target: PublishTarget | null;
}

/** Management: definitions pushed, listed, staged and promoted. Every push is one publish: all of it, or nothing. */
export function createManage(context: AppContext): Manage {
  const publish = <Answer extends JsonObject>(
    caller: Caller,
    cause: string,
    target: PublishTarget,
    kinds: readonly Kind[],
    decide: Decide<Answer>,
  ) => publishWhole(context, caller, cause, target, kinds.flatMap(areasOf), decide);

  return {
    async upsertMany(caller, kind, body, options) {
      const { target, strict = false } = options;
      await ahead(context, caller, isArray(body) ? body.map((item) => [item, kind]) : [], target, [kind].flatMap(areasOf), strict);
      return publish(
        caller,
        `${kind}.put`,
        target,
        [kind],
        judged(strict, ({ state }) => accepted(decideUpsertMany(state, kind, body, options))),
      );
    },
    async upsertOne(caller, kind, body, target, strict) {
      if (isObject(body)) await ahead(context, caller, [[itemOfPatch(body, kind), kind]], target, [kind].flatMap(areasOf), strict);
      return publish(
        caller,
        `${kind}.patch`,
        target,
        [kind],
        judged(strict, ({ state }) => accepted(decideUpsertOne(state, kind, body, target))),
      );
    },
    remove: (caller, kind, id, target) =>
      publish(caller, `${kind}.delete`, target, [kind], ({ state }) => accepted(decideRemove(state, kind, id, target))),
    putSingle: (caller, kind, body, target, strict) =>
      publish(
        caller,
        `${kind}.put`,
        target,
        [kind],
        judged(strict, ({ state }, now) => accepted(decidePutSingle(state, kind, body, target, now))),
      ),
    removeSingle: (caller, kind, target) =>
      publish(caller, `${kind}.delete`, target, [kind], ({ state }) => decideRemoveSingle(state, kind, target)),
    discard: (caller, body, options) =>
      publish(caller, 'definitions.discard', 'next', STAGED, ({ state }) => accepted(decideDiscard(state, body, options))),
    promote: async (caller, options) =>
      onBase(context, await projectOf(context, caller), caller, options.base, (guard) =>
        promote(context, caller, options, (decide) =>
          publish(caller, 'definitions.promote', 'live', STAGED, (access) => guard(access.state, () => decide(access))),
        ),
      ),

    async sync(caller, body, target, how) {
      const { strict = false, base } = how;
      const project = await projectOf(context, caller);
      const areas = areasOfSync(body);
      const { key } = accessFrom(project.authority, project.definitions, caller, target);
      for (const area of areas) requirePermission(key, area, 'rw');
      await ahead(context, caller, itemsOfSync(body), target, areas, strict);
      const decide = judged(strict, ({ state }, now) => accepted(decideSync(state, body, target, now, how)));
      return onBase(context, project, caller, base, (guard) =>
        publishWhole(context, caller, 'definitions.sync', target, areas, (access, now) => guard(access.state, () => decide(access, now))),
      );
    },

    async preflight(caller, body, target, how) {
      const project = await projectOf(context, caller);
      const { key } = accessFrom(project.authority, project.definitions, caller, target);
      for (const area of areasOfSync(body)) requirePermission(key, area, 'rw');
      await ahead(context, caller, itemsOfSync(body), target, areasOfSync(body), true);
      const { state } = accessFrom(project.authority, project.definitions, caller, target);
      return { ...positioned(context, project, caller), result: accepted(preflight(state, body, target, how)) };
    },

    async upgradeSource(caller, body) {
      const project = await projectOf(context, caller);
      const { key } = accessFrom(project.authority, project.definitions, caller, 'live');
      for (const area of AREAS) requirePermission(key, area, 'rw');
      const task = { kind: 'upgrade', of: '', text: stringifyJson(body ?? null), known: '{}' } as const;
      const result = upgradedIn(await context.compiler.run(caller.projectId, task));
      return { ...positioned(context, project, caller), result };
    },

    async list(caller, kind, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, kind, options);
      const listed = listDefinitions(state, kind, listing);
      const building = kind === 'query' || kind === 'collection' ? await buildingOf(context, project.id, kind) : [];
      return { ...positioned(context, project, caller), result: building.length === 0 ? listed : { ...listed, building } };
    },

    async gameValues(caller, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, 'game-values', options);
      return { ...positioned(context, project, caller), result: listGameValues(state, listing) };
    },

    async rateLimitRules(caller, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, 'rate-limit-rules', options);
      return { ...positioned(context, project, caller), result: listRateLimitRules(state, listing) };
    },

    async diff(caller) {
      const project = await projectOf(context, caller);
      const { state, key } = accessFrom(project.authority, project.definitions, caller, 'next');
      for (const kind of STAGED) for (const area of areasOf(kind)) requirePermission(key, area, 'r');
      return { ...positioned(context, project, caller), result: diffDefinitions(state) };
    },

    async validate(caller, publicKey) {
      const project = await projectOf(context, caller);
      const { authority, key } = accessFrom(project.authority, project.definitions, caller, 'live');
      const found = publicKey === null ? null : findKey(project, publicKey);
      const publicOk = found?.kind === 'public' && found.enabled;
      const publicMessage = publicKey === null ? 'Not provided' : publicOk ? 'Valid' : 'Invalid';
      // No `error` member, not even null: a dedicated server takes its presence for a refusal.
      const result: contract.Validated = {
        ok: publicKey === null || publicOk,
        project: { id: authority.projectId, title: authority.name, name: authority.name, settings: { enabled: true } },
        checks: {
          projectId: { ok: true, message: 'Found' },
          secretKey: { ok: true, message: 'Valid' },
          publicKey: { ok: publicOk, message: publicMessage },
        },
        ...(key.permissions === null ? {} : { permissions: allScopes(key.permissions) }),
      };
      return { ...positioned(context, project, caller), result };
    },
  };
}

/** A listing, for a key that may read definitions of this kind. */
function listingIn(project: Project, caller: Caller, kind: Kind, options: ListingOf) {
  const { state, key, settings } = accessFrom(project.authority, project.definitions, caller, options.target ?? 'live');
  for (const area of areasOf(kind)) requirePermission(key, area, 'r');
  const { endpointRateLimits } = settings;
  return { state, listing: { ...options, projectId: caller.projectId, endpointRateLimits: endpointRateLimits ?? null } };
}

/** Items to validate ahead. A larger push is validated only in a preflight, or where findings are failures. */
const MAX_VALIDATED = 100;

/** Compiles and validates a push once the key's permission is checked: only then may a caller make the node work for so long. */
async function ahead(
  context: AppContext,
  caller: Caller,
  items: readonly Pushed[],
  target: PublishTarget,
  areas: readonly string[],
  strict = false,
): Promise<void> {
  const project = await projectOf(context, caller);
  const permitted = () => {
    const access = accessFrom(project.authority, project.definitions, caller, target);
    for (const area of areas) requirePermission(access.key, area, 'rw');
    return access;
  };
  permitted();
  await compileAhead(context, caller.projectId, items);
  if (items.length <= MAX_VALIDATED || strict) await judgeAhead(context, caller.projectId, items, { state: permitted().state, target });
}

/** The queries or lists that answer `BUILDING`, and how far they are. They stand beside the items, because editors compare items with files. */
async function buildingOf(
  { views }: AppContext,
  projectId: string,
  kind: Building['kind'],
): Promise<NonNullable<contract.Listing['building']>> {
  // Definitions are listed from memory, even while the database is away.
  const buildings = await views.building(projectId).catch((error: unknown) => {
    if (isDatabaseOutage(error)) return [];
    throw error;
  });
  // A query may have a second board in `next`; the one that lags counts.
  const least = new Map<string, number>();
  for (const { ids, fraction } of buildings.filter((one) => one.kind === kind))
    for (const id of ids) least.set(id, Math.min(fraction, least.get(id) ?? 1));
  return [...least].map(([id, fraction]) => ({ id, fraction: Math.floor(fraction * 1_000) / 1_000 }));
}

/** The editor's setup window expects a text for every area. */
function allScopes(permissions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(AREAS.map((area): [string, string] => [area, permissions[area] || 'none']));
}

/** In strict mode, findings refuse a push. */
export function judged<Answer extends JsonObject>(strict: boolean, decide: Decide<Answer>): Decide<Answer> {
  return strict ? (access, now) => accepted(strictly(decide(access, now))) : decide;
}

type Kind = ListedKind | SingleKind;
/** A decision on a push. Throws its refusal. */
type Decide<Answer> = (access: AccessContext, now: number) => Publish<Answer>;

const STAGED: readonly Kind[] = ['endpoint', 'collection', 'workflow', 'library', 'query', 'game-values', 'rate-limit-rules'];

/** Bytes of texts in one commit: an append holds 1 MiB on every engine, and JSON escapes can double a text. */
const TEXTS_PER_COMMIT = 256 * 1024;
/** Approximate bytes that an event needs besides its text, and that one change of a publish needs. */
const EVENT_BYTES = 1024;
const CHANGE_BYTES = 384;
/** Commits of one publish. The largest possible body needs about half of them. */
const MAX_COMMITS = 1000;

/**
 * Makes one publish. Texts that do not fit into its commit are stored by earlier commits: they are addressed by their content, and change
 * nothing until the publish refers to them.
 */
export async function publishWhole<Answer extends JsonObject>(
  context: AppContext,
  caller: Caller,
  cause: string,
  target: PublishTarget,
  areas: readonly string[],
  decide: Decide<Answer>,
): Promise<ManageAnswer<Answer>> {
  const project = await projectOf(context, caller);
  // A publish that another node just made must count, or this one might find nothing to change and report success.
  await project.refresh();
  const survey = new UniqueSurvey(project);
  for (let commits = 0; commits < MAX_COMMITS; commits += 1) {
    const deciding = execute<Published<Answer> | 'stored'>(project, caller, cause, (ctx, now) => {
      const access = accessOf(ctx, caller, target);
      for (const area of areas) requirePermission(access.key, area, 'rw');
      const at = { ctx, now, keyed: keyedBy(caller, 'live', context.limits.answers.managed) };
      const before = replayed(at, wholeAnswer<Answer>());
      if (before !== null) return withPlace(before);
      const publish = decidedBy<Answer>(() => withClaims(survey, ctx, access, decide(access, now)));
      const first = publish instanceof Refusal ? null : firstTexts(publish.events);
      return first ? decided<Published<Answer> | 'stored'>('stored', first) : withPlace(remembering(at, wholeAnswer<Answer>(), publish));
    });
    const outcome = await deciding.catch(async (error: unknown) => {
      if (await survey.brought(error)) return null;
      throw error;
    });
    if (outcome === null) continue;
    if (outcome.answer === 'stored') continue;
    const { result, behind } = outcome.answer;
    return { ...stored(outcome), result, ...(behind === null ? {} : { published: outcome.revision - behind }) };
  }
  throw refusal('WRITE_CONFLICT');
}

interface Published<Answer> {
  readonly result: Answer;
  /** Events of the commit behind its publish; `null`: it publishes nothing. */
  readonly behind: number | null;
}

/** Notes where in its commit the publish stands: the first one of a push that is two, of what is staged and of tests. */
function withPlace<Answer>(whole: Decided<Answer>): Decided<Published<Answer>> {
  if (whole instanceof Refusal || 'refused' in whole) return whole;
  const at = whole.events.findIndex(isPublish);
  return { ...whole, answer: { result: whole.answer, behind: at < 0 ? null : whole.events.length - 1 - at } };
}

function isPublish({ type }: DomainEvent): boolean {
  return type === 'definitions.published' || type === 'definitions.promoted' || type === 'definitions.rolledBack';
}

function withClaims<Answer>(survey: UniqueSurvey, ctx: DecisionContext, access: AccessContext, publish: Publish<Answer>): Publish<Answer> {
  const claims = survey.claims(ctx, access, publish.events);
  return claims.length === 0 ? publish : { ...publish, events: [...publish.events, ...claims] };
}

/** The first texts of a publish that is too large for one commit; `null` if it is not. */
export function firstTexts(events: readonly DomainEvent[]): readonly DomainEvent[] | null {
  const texts = events.filter((event) => event.type === 'source.stored');
  let bytes = 0;
  for (const [index, { data }] of texts.entries()) {
    bytes += Buffer.byteLength(data.text) + EVENT_BYTES;
    if (bytes > TEXTS_PER_COMMIT) return texts.slice(0, Math.max(index, 1));
  }
  const changes = events.reduce((sum, event) => sum + changesIn(event), 0);
  return texts.length > 0 && bytes + changes * CHANGE_BYTES > TEXTS_PER_COMMIT ? texts : null;
}

function changesIn(event: DomainEvent): number {
  switch (event.type) {
    case 'definitions.published':
    case 'definitions.promoted':
    case 'definitions.rolledBack':
      return event.data.changes.length;
    default:
      return 0;
  }
}
