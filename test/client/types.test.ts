import { expectTypeOf, test } from 'vitest';
import { createClient, inc, push, type Result, set } from '../../src/client/index.ts';

/** The types of a client with a game's types. The compiler checks these lines; they are not run. */

interface Game {
  readonly documents: { readonly heroes: { name: string; gold: number; items: string[]; stats?: { xp: number } } };
  readonly endpoints: {
    readonly buy: { readonly input: { item: string }; readonly answer: { left: number }; readonly refusals: 'TOO_POOR' | 'NO_ITEM' };
    readonly rest: { readonly input: { hours?: number }; readonly answer: { ok: true } };
  };
  readonly queries: { readonly top: { name: string } };
  readonly values: { readonly shop: { axe: number } };
}

const client = createClient<Game>();
const heroes = client.documents('heroes');

test('names, inputs and answers are the game’s', () => {
  const right = async () => {
    expectTypeOf(await client.call('buy', { item: 'axe' })).toEqualTypeOf<{ left: number }>();
    await client.call('rest');
    expectTypeOf(await client.tryCall('buy', { item: 'axe' })).toEqualTypeOf<Result<{ left: number }, 'TOO_POOR' | 'NO_ITEM'>>();
    expectTypeOf((await heroes.get())?.gold).toEqualTypeOf<number | undefined>();
    expectTypeOf((await client.leaderboard('top')).entries[0]?.data.name).toEqualTypeOf<string | undefined>();
    expectTypeOf((await client.values()).constants.shop.axe).toEqualTypeOf<number>();
    await heroes.update([inc('gold', 5), inc('stats.xp'), set('name', 'Ada'), push('items', 'axe')]);
  };
  expectTypeOf(right).toBeFunction();
});

test('wrong names and types do not compile', () => {
  const wrong = async () => {
    // @ts-expect-error no such endpoint
    await client.call('bay', { item: 'axe' });
    // @ts-expect-error the input needs an item
    await client.call('buy');
    // @ts-expect-error an item is a text
    await client.call('buy', { item: 7 });
    // @ts-expect-error no such collection
    client.documents('villains');
    // @ts-expect-error no such field
    await heroes.update(inc('silver', 5));
    // @ts-expect-error a name is no number
    await heroes.update(inc('name', 5));
    // @ts-expect-error gold is a number
    await heroes.update(set('gold', 'much'));
    // @ts-expect-error no list
    await heroes.update(push('gold', 1));
    // @ts-expect-error no such query
    await client.leaderboard('bottom');
  };
  expectTypeOf(wrong).toBeFunction();
});

test('a game without types accepts everything', () => {
  const any = async () => {
    const anything = createClient();
    const { left } = await anything.call('whatever', { item: 1 });
    expectTypeOf(left).toBeAny();
    await anything.documents('any').update([inc('a.b'), set('c', [1])]);
  };
  expectTypeOf(any).toBeFunction();
});
