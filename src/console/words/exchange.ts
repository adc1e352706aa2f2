import { becameText, type ChangedField, isCorrection, isRestorable, ownerIn, type PlacedCommit } from './commit.ts';
import { isLost } from './lost.ts';
import { typeOf } from './value.ts';

/** What a player got for what was lost: whoever brings back the one and leaves the other makes it out of nothing. */

export interface Place {
  readonly collection: string;
  readonly key: string;
  readonly path: string;
}

interface Gain extends Place {
  /** What it was and became. */
  readonly text: string;
  readonly isNumber: boolean;
}

/** A commit in which something of the player became less, and something else more. */
export interface Exchange<C> {
  readonly commit: C;
  readonly took: readonly Place[];
  readonly gave: readonly Gain[];
}

interface ToldCommit extends PlacedCommit {
  readonly revision: number;
  readonly cause: string;
  readonly players: readonly string[];
  readonly money: readonly { readonly collection: string; readonly key: string; readonly field: string }[];
  readonly undone?: unknown;
  readonly documents: readonly (PlacedCommit['documents'][number] & {
    readonly collection: string;
    readonly fields?: readonly ChangedField[];
    readonly more?: number;
  })[];
}

/** Causes of commits whose logic is the game's: what one of them gives, it gives for what it takes. */
const CALLS = ['endpoint.call', 'button.press'];

/**
 * Those of these commits that gave the player something for something, as far as their fields are told. A document that was saved as a
 * whole may have changed here and there by chance: of it, only money counts as given.
 */
export function exchangesIn<C extends ToldCommit>(commits: readonly C[], player: string): readonly Exchange<C>[] {
  return commits.flatMap((commit) => {
    if (commit.undone !== undefined || isCorrection(commit) || !isRestorable(commit, player)) return [];
    const changed = ownDocuments(commit, player).flatMap(({ collection, key, fields = [] }) =>
      fields.filter(isKnown).map((field) => ({ collection, key, ...field })),
    );
    const took = changed.filter(({ before, value }) => isLost(value ?? undefined, before ?? undefined));
    const isCall = CALLS.includes(commit.cause);
    const gave = changed
      .filter(({ before, value }) => isLost(before ?? undefined, value ?? undefined))
      .filter((place) => isCall || isMoney(commit, place));
    const told = gave.map((each) => ({ ...each, text: becameText(each), isNumber: typeOf(each.value) === 'number' }));
    return took.length > 0 && gave.length > 0 ? [{ commit, took, gave: told }] : [];
  });
}

function ownDocuments<C extends ToldCommit>({ documents }: C, player: string): C['documents'] {
  return documents.filter(({ space, key }) => space === 'live' && ownerIn([player], key) !== undefined);
}

function isMoney({ money }: ToldCommit, { collection, key, path }: Place): boolean {
  return money.some((each) => each.collection === collection && each.key === key && each.field === path);
}

function isKnown(field: ChangedField): boolean {
  return 'value' in field && 'before' in field;
}

/** Those of which a part comes back. `back`: the places that do. */
export function ofWhatComesBack<C>(exchanges: readonly Exchange<C>[], back: readonly Place[]): readonly Exchange<C>[] {
  return exchanges.filter(({ took }) => took.some((place) => stands(place, back)));
}

/** What the player got by these and keeps. `back`: the places that go back to what they were. */
export function keptOf<C>(exchange: Exchange<C>, back: readonly Place[]): readonly Gain[] {
  return exchange.gave.filter((place) => !stands(place, back));
}

interface Since<C> {
  /** Commits since the moment that name the player. */
  readonly commits: readonly C[];
  /** There are no more of them. */
  readonly isAll: boolean;
}

/**
 * Numbers that the player got for what was lost, which go back with it: where nothing else has touched either side since, so that to bring
 * back both is to undo these exchanges, and nobody else has a part in them. `lost`: the places that are less now than they were then.
 */
export function goesBackToo<C extends ToldCommit>({ commits, isAll }: Since<C>, player: string, lost: readonly Place[]): readonly Place[] {
  const exchanges = ofWhatComesBack(exchangesIn(commits, player), lost);
  const sides = exchanges.flatMap(({ took, gave }) => [...took, ...gave]);
  const own = new Set(exchanges.map(({ commit }) => commit));
  const isOthers = [...own].some(({ players }) => players.some((each) => each !== player));
  const isTold = commits.every((commit) =>
    ownDocuments(commit, player).every(({ fields, more = 0 }) => fields !== undefined && more === 0),
  );
  const isTouched = commits.some((commit) => !own.has(commit) && placesOf(commit, player).some((place) => stands(place, sides)));
  return isAll && isTold && !isOthers && !isTouched ? exchanges.flatMap(({ gave }) => gave.filter(({ isNumber }) => isNumber)) : [];
}

function placesOf(commit: ToldCommit, player: string): readonly Place[] {
  return ownDocuments(commit, player).flatMap(({ collection, key, fields = [] }) => fields.map(({ path }) => ({ collection, key, path })));
}

/** Whether a place is one of these, lies within one, or around one. */
export function stands({ collection, key, path }: Place, places: readonly Place[]): boolean {
  return places.some(
    (each) => each.collection === collection && each.key === key && (isWithin(path, each.path) || isWithin(each.path, path)),
  );
}

/** Whether a path is another one, or lies within it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || outer === '' || path.startsWith(`${outer}.`);
}
