import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentRevision, decidePackageSync, latestRevision, packageBody, syncedPackage } from '../../../src/domain/project/package.ts';
import { revisionInitBody } from '../../../src/domain/revision/init.ts';
import type { GamePackage } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { ExactNumber, type Json, type JsonObject } from '../../../src/kernel/json.ts';

const HOUR = 3_600_000;

/** The package after these syncs, one per hour. */
function synced(...bodies: readonly JsonObject[]): GamePackage | null {
  let known: GamePackage | null = null;
  for (const [index, body] of bodies.entries()) {
    const sync = decidePackageSync(known, body);
    if (sync instanceof Refusal) throw sync;
    known = syncedPackage(known, sync.changes, index * HOUR);
  }
  return known;
}

const decided = (known: GamePackage | null, body: Json) => decidePackageSync(known, body);

describe('a package sync', () => {
  it('merges the sent members over the known ones; others stay', () => {
    const known = synced({ packageIdent: 'org.game', rawPackage: { a: 1 } }, { packageIdent: 'org.other', isEditorContext: true });
    expect(known?.members).toEqual({ packageIdent: 'org.other', rawPackage: { a: 1 }, isEditorContext: true });
  });

  it('records only members that differ', () => {
    const known = synced({ currentRevisionId: 5, rawPackage: { a: [1] } });
    expect(decided(known, { currentRevisionId: 5, rawPackage: { a: [1] }, packageTitle: 'T' })).toEqual({
      changes: { packageTitle: 'T' },
      previousRevisionId: 5,
      revisionChanged: false,
    });
  });

  it('of the first revision is not a change of revision: nothing was staged for it', () => {
    expect(decided(null, { currentRevisionId: 5 })).toMatchObject({ previousRevisionId: null, revisionChanged: false });
    expect(decided(synced({ packageIdent: 'a.b' }), { currentRevisionId: 5 })).toMatchObject({ revisionChanged: false });
  });

  it.each([6, 4])('of another revision is a change, to a higher or a lower one: 5 to %i', (revision) => {
    const known = synced({ currentRevisionId: 5 }, { currentRevisionId: revision });
    expect(decided(synced({ currentRevisionId: 5 }), { currentRevisionId: revision })).toMatchObject({
      previousRevisionId: 5,
      revisionChanged: true,
    });
    expect([currentRevision(known), known?.publishedAt]).toEqual([revision, HOUR]);
  });

  it.each<[string, JsonObject]>([
    ['null', { currentRevisionId: null, latestRevisionId: null }],
    ['0', { currentRevisionId: 0 }],
    ['empty', { currentRevisionId: '' }],
    ['absent', {}],
  ])('that knows no revision (%s) keeps the one that is known, and its clock', (_, body) => {
    const known = synced({ currentRevisionId: 5, latestRevisionId: 6 }, body);
    expect([currentRevision(known), latestRevision(known), known?.publishedAt, known?.syncedAt]).toEqual([5, 6, 0, HOUR]);
  });

  it('starts the grace period with the first known revision', () => {
    expect(synced({}, { currentRevisionId: 5 }, { packageTitle: 'T' })).toMatchObject({ publishedAt: HOUR, syncedAt: 2 * HOUR });
  });

  it('ignores members that the server sets', () => {
    const body = { publishStatus: 'draft', lastSyncedAt: 'x', revisionPublishedAt: 'x', lastSyncedAtUnix: 1, revisionFirstSyncedAtUnix: 1 };
    expect(decided(null, body)).toMatchObject({ changes: {} });
  });

  it.each<[string, Json, string]>([
    ['no object', [1], '400 INVALID_BODY'],
    ['a fraction', { currentRevisionId: 1.5 }, '400 INVALID_BODY'],
    ['a negative number', { currentRevisionId: -1 }, '400 INVALID_BODY'],
    ['a word', { latestRevisionId: 'new' }, '400 INVALID_BODY'],
    ['a number beyond all', { currentRevisionId: new ExactNumber('99999999999999999999') }, '400 INVALID_BODY'],
    ['too much', { rawBundle: 'x'.repeat(300_000) }, '413 PAYLOAD_TOO_LARGE'],
    ['a little too much', { rawBundle: 'x'.repeat(262_140) }, '413 PAYLOAD_TOO_LARGE'],
  ])('is refused: %s', (_, body, code) => {
    const refused = decided(null, body);
    expect(refused instanceof Refusal ? `${refused.status} ${refused.code}` : refused).toBe(code);
  });

  it('stores a text of digits as a number, because the editor reads only numbers', () => {
    expect(decided(null, { currentRevisionId: '12' })).toMatchObject({ changes: { currentRevisionId: 12 } });
  });

  it('never refuses or throws for members it does not know', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (body) => {
        const { currentRevisionId, latestRevisionId, ...others } = JSON.parse(JSON.stringify(body));
        expect(decided(synced({ currentRevisionId: 5 }), others)).toMatchObject({ previousRevisionId: 5, revisionChanged: false });
      }),
    );
  });

  it('shows its times in both forms, and that it is published', () => {
    const known = syncedPackage(null, { currentRevisionId: 5, publishStatus: 'x' }, 1_760_000_000_999);
    expect(packageBody(known)).toEqual({
      currentRevisionId: 5,
      publishStatus: 'published',
      lastSyncedAt: '2025-10-09T08:53:20.999Z',
      revisionPublishedAt: '2025-10-09T08:53:20.999Z',
      revisionFirstSyncedAtUnix: 1_760_000_000,
      lastSyncedAtUnix: 1_760_000_000,
    });
  });
});

describe('the answer to a game that starts', () => {
  const known = synced({ currentRevisionId: 5 });
  it.each<[string, GamePackage | null, number | null, JsonObject]>([
    ['that it is outdated', known, 4, { playerRevision: 4, currentRevisionId: 5, latestRevisionId: 5, revisionOutdated: true }],
    ['that it is current', known, 5, { playerRevision: 5, currentRevisionId: 5, latestRevisionId: 5, revisionOutdated: false }],
    ['the current one, where it said nothing', known, null, { currentRevisionId: 5, latestRevisionId: 5, revisionOutdated: false }],
    ['nothing but its own, without a package', null, 4, { playerRevision: 4, revisionOutdated: false }],
    ['nothing, where nothing is known', null, null, { revisionOutdated: false }],
  ])('%s', (_, gamePackage, player, told) => {
    expect(revisionInitBody(gamePackage, player)).toEqual({ ok: true, ...told, message: expect.stringMatching(/\w/) });
  });

  it('the latest one apart from the current one', () => {
    expect(revisionInitBody(synced({ currentRevisionId: 5, latestRevisionId: 9 }), null)).toMatchObject({ latestRevisionId: 9 });
  });
});
