import { describe, expect, it } from 'vitest';
import { actorOf } from '../../src/app/access.ts';
import type { Caller } from '../../src/app/app.ts';
import type { ApiKey } from '../../src/domain/states.ts';

const key: ApiKey = { keyId: 'k', kind: 'public', label: '', display: 'p', hash: '', enabled: true, permissions: null, createdAt: 0 };

function caller(platformId: string | null, onBehalfOf: string | null = null): Caller {
  return { projectId: 'p', key, isSecret: false, extraSecret: null, platformId, onBehalfOf, position: null, revision: null };
}

describe('a claimed player', () => {
  it('is the actor of its writes, whatever its id looks like', () => {
    expect(actorOf(caller('76561198000000001'))).toEqual({ kind: 'public', keyId: 'k', player: '76561198000000001' });
    expect(actorOf(caller('Ä b'))).toMatchObject({ player: 'Ä b' });
    expect(actorOf(caller(null))).toEqual({ kind: 'public', keyId: 'k' });
  });

  it.each(['a/b', 'a\0', 'x'.repeat(257)])('that no row or subject could hold is refused before anything is written: %j', (claim) => {
    expect(() => actorOf(caller(claim))).toThrow(expect.objectContaining({ code: 'INVALID_PLATFORMID' }));
    expect(() => actorOf(caller(null, claim))).toThrow(expect.objectContaining({ code: 'INVALID_PLATFORMID' }));
  });
});
