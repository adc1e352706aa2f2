import type * as contract from '../../contract/answers.ts';
import { SCOPES } from '../../contract/credentials.ts';
import { tooManyItems } from '../../domain/definition/push/capacity.ts';
import {
  decidePutSingle,
  decideRemove,
  decideRemoveSingle,
  decideUpsertMany,
  decideUpsertOne,
  itemOfPatch,
} from '../../domain/definition/push/decide-kind.ts';
import { decideSync, type SyncMode } from '../../domain/definition/push/decide-sync.ts';
import { itemsOfSync, scopesOfSync } from '../../domain/definition/push/plan-sections.ts';
import { preflight } from '../../domain/definition/push/preflight.ts';
import { pushesLive, pushNotApproved } from '../../domain/definition/release/approval.ts';
import { type DiscardRequest, decideDiscard } from '../../domain/definition/release/discard.ts';
import type { DefinitionKind, DomainEvent, PublishTarget } from '../../domain/events.ts';
import type { StoredFindings } from '../../domain/finding.ts';
import { type ListedKind, type SingleKind, STAGED_KINDS } from '../../domain/kinds.ts';
import { scopesOf } from '../../domain/project/permissions.ts';
import { accepted } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { compileAhead, type Pushed, validateAhead } from './compile-ahead.ts';
import { readUpgraded } from './compile-tasks.ts';
import { createListings, type Listings } from './listings.ts';
import { type PromoteOptions, promote } from './promotion.ts';
import { type Decide, publishWhole, withStrictMode } from './publish-whole.ts';
import { documentsLeft, seenSchemas, storedFindings } from './stored-documents.ts';
import { type TellingContext, untelling } from './untelling.ts';

export interface Manage extends Listings {
  /** Upserts an array (PUT, POST) of collections, endpoints, workflows or queries. `strict`, here and below: findings refuse the push. */
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
  /** Throws 409 PROMOTION_FINDINGS if stored data does not fit the staged definitions, unless `force`. */
  promote(caller: Caller, options: PromoteOptions): Promise<ManageAnswer<contract.Promoted>>;
  /** Drops staged definitions. */
  discard(caller: Caller, what: DiscardRequest, options: { readonly dryRun: boolean }): Promise<ManageAnswer<contract.Discarded>>;
  /** Pushes all sections, or nothing. The key needs the permission of every section, even an empty one. */
  sync(caller: Caller, body: Json | undefined, target: PublishTarget, how: SyncMode): Promise<ManageAnswer<contract.Synced>>;
  /** Answers what `sync` would do. Writes nothing. */
  preflight(caller: Caller, body: Json | undefined, target: PublishTarget, how: SyncMode): Promise<ManageAnswer<contract.Preflighted>>;
  upgradeSource(caller: Caller, body: Json | undefined): Promise<ManageAnswer<contract.UpgradedSource>>;
}

/** Management: definitions pushed, listed, staged and promoted. Every push is one publish: all of it, or nothing. */
export function createManage(context: TellingContext): Manage {
  const publish = async <Answer extends JsonObject>(
    caller: Caller,
    cause: string,
    target: PublishTarget,
    kinds: readonly DefinitionKind[],
    decide: Decide<Answer>,
  ) => publishWhole(context, caller, cause, target, kinds.flatMap(scopesOf), await untelling(context, caller, decide));

  return {
    ...createListings(context),

    async upsertMany(caller, kind, body, options) {
      const { target, strict = false } = options;
      const items = isArray(body) ? body.map((item): Pushed => [item, kind]) : [];
      const stored = await prepare(context, caller, items, target, [kind].flatMap(scopesOf), strict);
      return publish(
        caller,
        `${kind}.put`,
        target,
        [kind],
        withStrictMode(strict, ({ state }) => accepted(decideUpsertMany(state, kind, body, { ...options, stored }))),
      );
    },
    async upsertOne(caller, kind, body, target, strict) {
      const items = isObject(body) ? [[itemOfPatch(body, kind), kind] as const] : [];
      const stored = await prepare(context, caller, items, target, [kind].flatMap(scopesOf), strict);
      return publish(
        caller,
        `${kind}.patch`,
        target,
        [kind],
        withStrictMode(strict, ({ state }) => accepted(decideUpsertOne(state, kind, body, target, stored))),
      );
    },
    async remove(caller, kind, id, target) {
      const left = kind === 'collection' && target === 'live' ? await documentsLeft(context, caller, id) : {};
      return publish(caller, `${kind}.delete`, target, [kind], ({ state }) => {
        const decision = accepted(decideRemove(state, kind, id, target));
        return { ...decision, answer: { ...decision.answer, ...left } };
      });
    },
    putSingle: (caller, kind, body, target, strict) =>
      publish(
        caller,
        `${kind}.put`,
        target,
        [kind],
        withStrictMode(strict, ({ state }, now) => accepted(decidePutSingle(state, kind, body, target, now))),
      ),
    removeSingle: (caller, kind, target) =>
      publish(caller, `${kind}.delete`, target, [kind], ({ state }) => decideRemoveSingle(state, kind, target)),
    discard: (caller, what, options) =>
      publish(caller, 'definitions.discard', 'next', STAGED_KINDS, ({ state }) => accepted(decideDiscard(state, what, options))),
    async promote(caller, options) {
      const how = { ...options, seen: await seenSchemas(caller, context.personalIn) };
      return promote(context, caller, how, (decide) =>
        publish({ ...caller, breakGlass: options.breakGlass ?? false }, 'definitions.promote', 'live', STAGED_KINDS, decide),
      );
    },

    sync: (...args) => sync(context, ...args),
    preflight: (...args) => checked(context, ...args),
    upgradeSource: (caller, body) => upgraded(context, caller, body),
  };
}

async function sync(
  context: TellingContext,
  caller: Caller,
  body: Json | undefined,
  target: PublishTarget,
  how: SyncMode,
): Promise<ManageAnswer<contract.Synced>> {
  const { strict = false } = how;
  const project = await projectOf(context, caller);
  const scopes = scopesOfSync(body);
  requirePermissions(accessAt(project, caller, target).key, scopes, 'rw');
  const stored = await prepare(context, caller, itemsOfSync(body), target, scopes, strict);
  const decide = withStrictMode(strict, ({ state }, now) => accepted(decideSync(state, body, target, now, { ...how, stored })));
  return publishWhole(context, caller, 'definitions.sync', target, scopes, await untelling(context, caller, decide));
}

async function checked(
  context: TellingContext,
  caller: Caller,
  body: Json | undefined,
  target: PublishTarget,
  how: SyncMode,
): Promise<ManageAnswer<contract.Preflighted>> {
  const project = await projectOf(context, caller);
  const scopes = scopesOfSync(body);
  requirePermissions(accessAt(project, caller, target).key, scopes, 'rw');
  const stored = await prepare(context, caller, itemsOfSync(body), target, scopes, true);
  const { state, settings } = accessAt(project, caller, target);
  const result = accepted(preflight(state, body, target, { ...how, stored }));
  if (settings.approvals === 'required' && target === 'live')
    refuseUnstaged(accepted(decideSync(state, body, target, 0, { ...how, stored })).events);
  return { ...positioned(context, project, caller), result };
}

/** Throws what a push would throw that changes live without a second person. */
function refuseUnstaged(events: readonly DomainEvent[]): void {
  if (events.some(pushesLive)) throw pushNotApproved();
}

async function upgraded(context: AppContext, caller: Caller, body: Json | undefined): Promise<ManageAnswer<contract.UpgradedSource>> {
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, SCOPES, 'rw');
  const task = { kind: 'upgrade', of: '', text: stringifyJson(body ?? null), known: '{}' } as const;
  const result = readUpgraded(await context.compiler.run(caller.projectId, task));
  return { ...positioned(context, project, caller), result };
}

/** Items to validate ahead. A larger push is validated only in a preflight, or where findings are failures. */
const MAX_VALIDATED = 100;

/** Compiles and validates a push and looks at its collections' documents: long work, so the key's permission is checked first. */
async function prepare(
  context: TellingContext,
  caller: Caller,
  items: readonly Pushed[],
  target: PublishTarget,
  scopes: readonly string[],
  strict = false,
): Promise<StoredFindings> {
  const project = await projectOf(context, caller);
  const permitted = () => {
    const access = accessAt(project, caller, target);
    requirePermissions(access.key, scopes, 'rw');
    return access;
  };
  permitted();
  const tooMany = tooManyItems(items.length);
  if (tooMany) throw tooMany;
  await compileAhead(context, caller.projectId, items);
  if (items.length <= MAX_VALIDATED || strict) await validateAhead(context, caller.projectId, items, { state: permitted().state, target });
  return storedFindings(context, project, items, target, await seenSchemas(caller, context.personalIn));
}
