import type { AccessKey } from '../../src/domain/states.ts';

/** A key of this id and kind; without `permissions`, with no restrictions. */
export function keyNamed<Kind extends AccessKey['kind']>(keyId: string, kind: Kind, permissions: AccessKey['permissions'] = null) {
  return { keyId, kind, label: keyId, hash: '', display: '', enabled: true, permissions, createdAt: 0 };
}
