import { expect, test } from 'vitest';
import type { PresentedCredentials } from '../../../src/app/app.ts';
import type { AppContext } from '../../../src/app/context.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { authenticate } from '../../../src/app/security/authenticate.ts';
import type { ApiKey, AuthorityState } from '../../../src/domain/states.ts';

const MADE: ApiKey = { keyId: 'k', kind: 'public', label: '', display: 'made', hash: '', enabled: true, permissions: null, createdAt: 0 };

const presented = {
  ...{ key: MADE.display, management: false, extraSecret: null, disabledKey: 'KEY_DISABLED', disabledProject: 'PROJECT_DISABLED' },
  ...{ platformId: null, onBehalfOf: null, position: null },
} as unknown as PresentedCredentials;

function authorityWith(...keys: readonly ApiKey[]): AuthorityState {
  return { keys: new Map(keys.map((key) => [key.keyId, key])), settings: {}, deleted: false } as unknown as AuthorityState;
}

test('a key that another node has just made is known to all who come with it at once', async () => {
  let authority = authorityWith();
  let read = () => {};
  const reading = new Promise<void>((resolve) => {
    read = resolve;
  });
  const project = {
    id: 'demo',
    get authority() {
      return authority;
    },
    refresh: () => reading,
  } as unknown as Project;
  const context = {
    projects: { peek: () => project },
    scheduler: { monotonic: () => 1_000, now: () => 0 },
    keyUses: { note: () => undefined },
  } as unknown as AppContext;
  // The second and the third come while the log is being read for the first.
  const callers = [1, 2, 3].map(async () => (await authenticate(context, 'demo', presented)).key.keyId);
  authority = authorityWith(MADE);
  read();
  expect(await Promise.allSettled(callers)).toEqual(Array(3).fill({ status: 'fulfilled', value: 'k' }));
});
