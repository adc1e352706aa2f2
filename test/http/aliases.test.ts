import { describe, expect, it } from 'vitest';
import { locate } from '../../src/http/aliases.ts';

const found = (path: string): string | null => {
  const location = locate(path);
  return location && `${location.prefix.family} ${location.path}`;
};

describe('prefixes', () => {
  it.each([
    ['/v3/sessions/p/create', 'sessions /v3/auth-sessions/p/create'],
    ['/v1/auth-sessions/p/create', 'sessions /v3/auth-sessions/p/create'],
    ['/v1/endpoints/p/buy', 'endpoints /v3/endpoints/p/buy'],
    ['/v1/queries/p/top', 'queries /v3/queries/p/top'],
    ['/v1/values/p', 'values /v3/values/p'],
    ['/api/storage/p/c/k', 'storage-api /api/storage/p/c/k'],
    ['/v1/storage/p/rate-limits', 'storage-v1 /v1/storage/p/rate-limits'],
    ['/health', 'system /health'],
    ['/v3/server-info', 'system /v3/server-info'],
    ['/api/pages/p/news', 'pages /pages/p/news'],
  ])('map %s to its family', (path, expected) => expect(found(path)).toBe(expected));

  it('match literals in any letter case and keep the case of ids', () => {
    expect(found('/V3/Storage/MyGame/Players/P1')).toBe('storage /v3/storage/MyGame/Players/P1');
  });

  it('refuse any other path', () => {
    for (const path of ['//', '', 'v3/storage', '/v3', '/v4/storage/p', '/v3/storagex/p', '/api', '/healthy', '//v3/storage/p/c/k']) {
      expect(found(path)).toBeNull();
    }
  });

  it('serve all of v3 under v1 if configured so', () => {
    const whole = (path: string) => locate(path, true)?.path;
    const moved = ['storage/p/c/k', 'security-config/p', 'manage/p/validate', 'server-info', 'storage/p/c/k/records', 'endpoints/p/buy'];
    for (const path of moved) expect(whole(`/v1/${path}`)).toBe(`/v3/${path}`);
    expect(whole('/v1/sessions/p/create')).toBe('/v3/auth-sessions/p/create');
    expect(whole('/v3/storage/p/c/k')).toBe('/v3/storage/p/c/k');
    expect(found('/v1/storage/p/c/k')).toBe('storage-v1 /v1/storage/p/c/k');
    expect(found('/v1/security-config/p')).toBeNull();
  });

  it('never match the canary as a project', () => {
    expect(found('/v3/storage/Deploy-Canary/a/b')).toBe('canary /v3/storage/Deploy-Canary/a/b');
    expect(found('/v3/storage/deploy-canaryx/a/b')).toBe('storage /v3/storage/deploy-canaryx/a/b');
  });
});

describe('segments', () => {
  it('are decoded once, and escaped again in one canonical way', () => {
    expect(found('/v3/storage/p/c/a%3Ab')).toBe('storage /v3/storage/p/c/a%3Ab');
    expect(found('/v3/%73torage/p/%6cist')).toBe('storage /v3/storage/p/list');
    expect(found('/v3/storage/p/c/%252F')).toBe('storage /v3/storage/p/c/%252F');
  });

  it('cannot be malformed, empty, or reach a prototype', () => {
    for (const path of ['/v3/storage/p/c/%', '/v3/storage/p/c/%zz', '/v3/storage/p/c/%ff', '/v3/storage/p/c/', '/v3/storage/p//k']) {
      expect(found(path)).toBeNull();
    }
    for (const name of ['__proto__', 'constructor', 'prototype', '%5f%5fproto__']) expect(found(`/v3/storage/p/${name}/k`)).toBeNull();
  });

  it('may be empty in one place: a call without a slug gets its own refusal', () => {
    expect(found('/v3/endpoints/p/')).toBe('endpoints /v3/endpoints/p/');
    expect(found('/v3/endpoints/p//')).toBeNull();
    expect(found('/v3/endpoints//')).toBeNull();
    expect(found('/v3/values/p/')).toBeNull();
  });
});
