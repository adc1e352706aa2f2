import type * as contract from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { wholeDiagnostics } from '../../domain/definition/push/plan-single.ts';
import { strictly } from '../../domain/definition/push/strict.ts';
import { approvalsKept } from '../../domain/definition/release/approval.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { changeSettings, type ProjectDecision, revokeKey, unknownSettings } from '../../domain/project/decide.ts';
import { keyUseState } from '../../domain/project/key-use.ts';
import { projectSettings, type Settable, settingsBody, withChanges } from '../../domain/project/settings.ts';
import { withWhy } from '../../domain/said.ts';
import type { AuthorityState } from '../../domain/states.ts';
import { AUTHORITY } from '../../domain/subjects.ts';
import { accepted, type Refusal, refusal } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { accessAt, accessOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import type { KeyUse } from '../ports/key-uses.ts';
import { wholeAnswer } from './answer-codec.ts';
import { onBase } from './base.ts';

/** Project settings and keys, as far as managers may change them. All need the `settings` scope. */
export interface Settings {
  read(caller: Caller): Promise<ManageAnswer<contract.Settings>>;
  /** `body`: a flat object of settings, or one under `settings` or `config`. Answers what `read` would answer afterwards. */
  change(caller: Caller, body: Json, strict: boolean): Promise<ManageAnswer<contract.Settings>>;
  /** The keys with when each was used last, also those that were revoked. */
  listKeys(caller: Caller): Promise<ManageAnswer<contract.Keys>>;
  /** Revokes a public key by its value. `null` or an unknown key changes nothing. */
  revokePublicKey(caller: Caller, publicKey: string | null): Promise<ManageAnswer<contract.KeyRevoked>>;
}

/** Only the operator can enable a disabled project again: its keys are refused here. */
export function createSettings(context: AppContext): Settings {
  return {
    async read(caller) {
      const project = await projectOf(context, caller);
      const { authority, key } = accessAt(project, caller, 'live');
      requirePermissions(key, ['settings'], 'r');
      return { ...positioned(context, project, caller), result: settingsBody(caller.projectId, authority) };
    },

    async listKeys(caller) {
      const project = await projectOf(context, caller);
      const { authority, key } = accessAt(project, caller, 'live');
      requirePermissions(key, ['settings'], 'r');
      const known = await context.keyUses.of(project.id);
      return { ...positioned(context, project, caller), result: shownKeys(authority.keys, known, context.scheduler.now()) };
    },

    change: async (caller, body, strict) =>
      onBase(context, await projectOf(context, caller), caller, (guard) =>
        settingsOnBase(context, caller, (at) => guard(at.state, () => changed(caller, at, body, strict))),
      ),

    revokePublicKey: (caller, publicKey) =>
      commit<contract.KeyRevoked>(context, caller, 'key.revoke', ({ authority }) => {
        const decision = publicKey === null ? { events: [] } : revokeKey(authority, { publicKey });
        return { ...decision, answer: { ok: true, projectId: caller.projectId, revoked: decision.events.length > 0 } };
      }),
  };
}

function shownKeys(
  keys: AuthorityState['keys'],
  { uses, since }: { readonly uses: ReadonlyMap<string, KeyUse>; readonly since: number },
  now: number,
): contract.Keys {
  const time = (ms: number) => new Date(ms).toISOString();
  const shown = [...keys.values()].map(({ keyId, kind, label, display, enabled, permissions, createdAt }) => {
    const usedAt = uses.get(keyId)?.usedAt ?? null;
    const use = keyUseState({ createdAt }, usedAt, since, now);
    const used = usedAt === null ? null : time(usedAt);
    return { keyId, type: kind, label, key: display, enabled, permissions, createdAt: time(createdAt), usedAt: used, use };
  });
  const revoked = [...uses.values()].filter(({ keyId }) => !keys.has(keyId));
  return {
    ok: true,
    keys: shown,
    revoked: revoked.map(({ keyId, label, usedAt }) => ({ keyId, label, usedAt: time(usedAt) })),
    notedSince: time(since),
  };
}

/**
 * Changes settings, if nobody has changed settings or keys since the base that the caller names. A publish since then is a conflict, too,
 * which `onBase` finds.
 */
async function settingsOnBase(
  context: AppContext,
  caller: Caller,
  change: (at: AccessContext) => AnsweredDecision<contract.Settings>,
): Promise<ManageAnswer<contract.Settings>> {
  const project = await projectOf(context, caller);
  const base = caller.base ?? null;
  const { authority: seen } = project;
  const isChanged = base !== null && project.set.residentChangedAt(AUTHORITY) > base;
  return commit<contract.Settings>(context, caller, 'settings.change', (at) => {
    if (isChanged || (base !== null && at.authority !== seen)) throw settingsConflict(base);
    return change(at);
  });
}

function settingsConflict(base: number): Refusal {
  const message = `Nothing was written: settings or keys may have been changed since revision ${base}. Read the settings, and change them again.`;
  return refusal('PUBLISH_CONFLICT', message, { error: { details: { publishes: [], count: 0 } } });
}

/** The change of settings, and what `read` would answer afterwards. */
function changed(
  caller: Caller,
  { authority, state, key }: AccessContext,
  body: Json,
  strict: boolean,
): AnsweredDecision<contract.Settings> {
  const decision = accepted(changeSettings(authority, state, body));
  const after = decision.events.reduce(changedBy, authority);
  const kept = approvalsKept(projectSettings(authority.settings), projectSettings(after.settings), key);
  if (kept !== null) throw kept;
  const found = wholeDiagnostics('project-settings', unknownSettings(body), authority.projectId);
  if (strict) accepted(strictly({ events: [], answer: found }));
  return { ...decision, answer: { ...settingsBody(caller.projectId, after), ...found } };
}

function changedBy(before: Settable, event: DomainEvent): Settable {
  return event.type === 'settings.changed' ? withChanges(before, event.data.changes) : before;
}

type AnsweredDecision<Answer> = ProjectDecision & { readonly answer: Answer };

async function commit<Answer extends object>(
  context: AppContext,
  caller: Caller,
  cause: string,
  decide: (at: AccessContext) => AnsweredDecision<Answer>,
): Promise<ManageAnswer<Answer>> {
  const project = await projectOf(context, caller);
  const outcome = await execute(project, caller, cause, (ctx, now) => {
    const at = accessOf(ctx, caller, 'live');
    requirePermissions(at.key, ['settings'], 'rw');
    const keyed = keyedBy(caller, 'live', context.limits.answers.managed);
    return idempotent({ ctx, now, keyed }, wholeAnswer<Answer>(), () => {
      const decision = decide(at);
      return decided(decision.answer, withWhy(decision.events, caller));
    });
  });
  return { ...stored(outcome), result: outcome.answer };
}
