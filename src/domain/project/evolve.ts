import type { KeyChanged, KeyIssued, ProjectEvent } from '../events.ts';
import type { ApiKey, AuthorityState } from '../states.ts';
import { syncedPackage } from './package.ts';
import { withChanges } from './settings.ts';

/** Folds project, settings, keys and game package. Throws if the log contradicts itself: a key of a project that was never created. */
export function evolveAuthority(state: AuthorityState | null, event: ProjectEvent): AuthorityState | null {
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'project.created': {
      if (state !== null) throw new Error(`Corrupt log: project ${state.projectId} was created twice`);
      const { projectId, name } = event.data;
      return { projectId, name, createdAt: at, deleted: false, settings: {}, keys: new Map(), gamePackage: null };
    }
    case 'project.deleted':
      return { ...created(state, event), deleted: true };
    case 'settings.changed': {
      const before = created(state, event);
      return { ...before, ...withChanges(before, event.data.changes) };
    }
    case 'key.issued': {
      const before = created(state, event);
      return { ...before, keys: new Map(before.keys).set(event.data.keyId, issuedKey(event.data, at)) };
    }
    case 'key.changed': {
      const before = created(state, event);
      const key = changedKey(before, event.data);
      return { ...before, keys: new Map(before.keys).set(key.keyId, key) };
    }
    case 'key.revoked': {
      const before = created(state, event);
      const keys = new Map(before.keys);
      keys.delete(event.data.keyId);
      return { ...before, keys };
    }
    case 'package.synced': {
      const before = created(state, event);
      return { ...before, gamePackage: syncedPackage(before.gamePackage, event.data.changes, at) };
    }
    default:
      return state;
  }
}

function created(state: AuthorityState | null, event: ProjectEvent): AuthorityState {
  if (state === null) throw new Error(`Corrupt log: ${event.type} before project.created`);
  return state;
}

function issuedKey(data: KeyIssued, createdAt: number): ApiKey {
  const { keyId, kind, label, hash, display, permissions } = data;
  return { keyId, kind, label, hash, display, permissions, enabled: true, createdAt };
}

function changedKey(state: AuthorityState, change: KeyChanged): ApiKey {
  const key = state.keys.get(change.keyId);
  if (key === undefined) throw new Error(`Corrupt log: change of the unknown key ${change.keyId}`);
  const permissions = change.permissions === undefined ? key.permissions : change.permissions;
  return { ...key, enabled: change.enabled ?? key.enabled, permissions };
}
