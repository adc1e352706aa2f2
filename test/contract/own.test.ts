import { expect, test } from 'vitest';
import { z } from 'zod';
import { tellsOfPlayers } from '../../src/contract/looking.ts';
import { type Own, ownIn } from '../../src/contract/own.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { anyJson, anyObject } from '../../src/contract/values.ts';
import type { Personal } from '../../src/domain/personal/fields.ts';
import { MASK, masked } from '../../src/domain/personal/mask.ts';
import { namesPersonal } from '../../src/domain/personal/names.ts';
import { isArray, isObject, type Json } from '../../src/kernel/json.ts';

/** What the platform calls itself is no field of a document, whatever personal fields are called. */

const own = (shape: z.core.$ZodLooseShape) => ownIn(z.strictObject(shape));
const at = (of: Own, ...path: readonly string[]) => path.reduce<Own>((each, name) => each?.members.get(name) ?? null, of);
const names = (of: Own) => [...(of?.members.keys() ?? [])];

test('declared members are its own, at any depth; JSON of a game below them and records by name are not', () => {
  const item = z.strictObject({ name: z.string().optional(), any: anyJson, more: z.looseObject({ name: z.string().nullable() }) });
  const found = own({ items: z.array(item), cells: z.record(z.string(), z.string()), data: anyObject, count: z.int().default(0) });
  const items = at(found, 'items')?.items ?? null;
  expect([names(found), names(items), names(at(items, 'more'))]).toEqual([
    ['items', 'cells', 'data', 'count'],
    ['name', 'any', 'more'],
    ['name'],
  ]);
  expect([at(found, 'cells'), at(found, 'data'), at(items, 'any')]).toEqual([null, null, null]);
});

test('of what may be one thing or another a name is its own only where no document may have it in its place', () => {
  const one = z.strictObject({ name: z.string(), said: z.string() });
  const found = ownIn(z.union([one, z.strictObject({ said: anyJson, list: z.array(one) }), z.null()]));
  expect([names(found), names(at(found, 'list')?.items ?? null)]).toEqual([
    ['name', 'said', 'list'],
    ['name', 'said'],
  ]);
  expect(names(ownIn(z.union([one, z.looseObject({ said: z.string() })])))).toEqual(['said']);
  expect(ownIn(z.union([one, anyObject]))).toBe(null);
});

/** Names of members, at any depth. */
function namesIn(value: Json): readonly string[] {
  if (isArray(value)) return value.flatMap(namesIn);
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)]) : [];
}

/** Fields of these names, in any collection. */
const called = (names: readonly string[]): Personal => ({
  in: () => names.map((name) => [name]),
  isNamedIn: () => false,
  isOpen: () => false,
  isShownBy: () => false,
  isHandledBy: () => false,
  isCurrency: () => false,
  isFollowedIn: () => false,
  isCountedBy: () => false,
});

/** Paths of masks in an answer. */
function masksIn(value: Json, path = ''): readonly string[] {
  if (value === MASK) return [path];
  if (isArray(value)) return value.flatMap((each) => masksIn(each, path));
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => masksIn(member, `${path}/${name}`)) : [];
}

test('of the examples of all answers that is masked which a game named, though every member is called as a personal field is', () => {
  const found = routes
    .filter((route) => tellsOfPlayers(route) && !['Endpoints', 'Tests'].includes(route.tag))
    .flatMap((route) => {
      const { answer, status = 200 } = route.example ?? {};
      const schema = route.answers[status];
      if (answer === undefined || schema === undefined) return [];
      const value: Json = JSON.parse(JSON.stringify(answer));
      // The number that the examples are about would be no example of a board.
      const personal = called(namesIn(value).filter((name) => name !== 'gold'));
      return [...new Set(masksIn(masked(value, personal, { collections: [], isFree: false, own: ownIn(schema) })))].map(
        (path) => `${route.id} ${path}`,
      );
    });
  expect(found).toEqual([
    'readDocument /name',
    'readLedger /summary/sources/direct',
    'readDocumentHistory /changes/actor/keyId',
    'readDocumentHistory /changes/actor/label',
    'compareSaveRecords /fields/after/recordName',
    'compareSaveRecords /fields/after/createdAt',
    ...['appendRecord /record/text', 'listRecords /records/text', 'readRecord /text'],
    'readRateLimits /collections/saves',
    'runQuery /entries/data/name',
    'listDocuments /documents/cells/name',
    'explain /meanings/links/calls',
    'showPlayer /documents/items/document/name',
    'showPlayer /links/commits',
    'showTimeline /items/report/payload/message',
    'listLooks /called/76561198000000001',
  ]);
});

test('a body names a field by a member that the contract leaves open, or by the path of an operation', () => {
  const body = ownIn(z.strictObject({ device: z.string(), ops: z.array(z.strictObject({ path: z.string(), value: anyJson })) }));
  const isNamed = (value: Json) => namesPersonal(value, [['device'], ['path']], body);
  expect([{ device: 'd' }, { ops: [{ path: 'gold', value: 1 }] }].map(isNamed)).toEqual([false, false]);
  const naming = [{ ops: [{ path: 'device', value: 1 }] }, { ops: [{ path: 'x', value: { device: 1 } }] }, { other: { device: 1 } }];
  expect(naming.map(isNamed)).toEqual([true, true, true]);
});
