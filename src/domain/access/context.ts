import { type Refusal, refusal } from '../../kernel/errors.ts';
import { effectiveDefinitions } from '../definition/model/effective.ts';
import type { PublishTarget, Space } from '../events.ts';
import type { EffectiveDefinitions } from '../model.ts';
import { type ProjectSettings, projectSettings } from '../project/settings.ts';
import type { AccessKey, ApiKey, AuthorityState, DefinitionsState } from '../states.ts';

/** What a decision begins with: the caller's authority, with the definitions and the space of its target. */
export interface AccessContext {
  readonly authority: AuthorityState;
  readonly settings: ProjectSettings;
  readonly key: AccessKey;
  readonly state: DefinitionsState;
  readonly target: PublishTarget;
  readonly definitions: EffectiveDefinitions;
  /** Space of the target's data. */
  readonly space: Space;
}

/** The part of it that is the same for all callers: what is read with this alone may be shown to whoever may read it. */
export type SharedAccess = Omit<AccessContext, 'key'>;

/**
 * The access context of a key. Refuses a key that is unknown or disabled, and a project that is deleted or disabled. People and their roles
 * are of the installation: the project knows nothing of them that could have changed.
 */
export function accessContext(
  authority: AuthorityState | null,
  state: DefinitionsState,
  presented: AccessKey,
  target: PublishTarget,
): AccessContext | Refusal {
  const key = presented.kind === 'person' ? presented : authority?.keys.get(presented.keyId);
  if (!authority || authority.deleted || !key) return refusal('UNAUTHORIZED');
  if (!key.enabled) return refusal('KEY_DISABLED');
  const settings = projectSettings(authority.settings);
  if (!settings.enabled) return refusal('PROJECT_DISABLED');
  return contextWith(authority, settings, key, state, target);
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

/** The operator's access context, which a disabled project has, too. Refuses a deleted one. */
export function operatorContext(authority: AuthorityState | null, state: DefinitionsState, target: PublishTarget): AccessContext | Refusal {
  if (!authority || authority.deleted) return refusal('NOT_FOUND', 'There is no such project');
  return contextWith(authority, projectSettings(authority.settings), OPERATOR, state, target);
}

function contextWith(
  authority: AuthorityState,
  settings: ProjectSettings,
  key: AccessKey,
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

/** Space of a target's data. */
export function spaceOf(
  { nextData }: Pick<ProjectSettings, 'nextData'>,
  { generation }: Pick<DefinitionsState, 'generation'>,
  target: PublishTarget,
): Space {
  return target === 'live' || nextData === 'shared' ? 'live' : `next${generation}`;
}
