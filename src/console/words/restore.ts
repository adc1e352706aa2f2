import { isRestorable, type PlacedCommit } from './commit.ts';
import { type Place, stands } from './exchange.ts';
import { isLost } from './lost.ts';

/** What a restore brings back unless somebody chooses otherwise: what is less now than it was then. */

interface Difference {
  readonly path: string;
  /** Now. */
  readonly from?: unknown;
  /** Then. */
  readonly to?: unknown;
}

/** A document that differs. */
interface Differing {
  readonly collection: string;
  readonly changes: readonly Difference[];
}

interface Restorable {
  readonly documents: readonly (Differing & { readonly key: string })[];
  readonly slots: readonly Slot[];
}

interface Slot {
  readonly collection: string;
  readonly player: string;
  readonly recordId: string;
  readonly is: string;
}

export interface Unticked {
  /** Collections that stay as they are. */
  readonly out: readonly string[];
  /** Paths that stay as they are. */
  readonly keep: readonly string[];
  /** Save slots that stay as they are, with their data. */
  readonly slots: readonly string[];
}

/** Whether a document holds the data of a slot. */
export function isOfSlot({ collection, key }: { readonly collection: string; readonly key: string }, slot: Slot): boolean {
  return collection === slot.collection && key === `${slot.player}_${slot.recordId}`;
}

/**
 * What stays as it is at first. A path counts for all documents that have it, so it is brought back only where each of them lost there.
 * `too`: what goes back besides what was lost.
 */
export function untickedAtFirst({ documents, slots }: Restorable, too: readonly Place[] = []): Unticked {
  // A slot that came since stays, with its data.
  const came = slots.filter(({ is }) => is === 'removed');
  const others = documents.filter((document) => !came.some((slot) => isOfSlot(document, slot)));
  const all = others.flatMap(linesOf);
  const stays = all.filter((line) => !isLost(line.from, line.to) && !stands(line, too));
  const out = stays.filter(({ path }) => path === '').map(({ collection }) => collection);
  const keep = [...new Set(stays.map(({ path }) => path))].filter((path) => path !== '');
  return { out: [...new Set(out)], keep, slots: came.map(({ recordId }) => recordId) };
}

function linesOf({ collection, key, changes }: Differing & { readonly key: string }): readonly (Place & Difference)[] {
  return changes.map((change) => ({ collection, key, ...change }));
}

/** Where a player has less now than then, or nothing any more. */
export function placesLost({ documents }: Restorable): readonly Place[] {
  return documents.flatMap(linesOf).filter(({ from, to }) => isLost(from, to));
}

/** What goes back to what it was then. */
export function placesBack({ documents, slots }: Restorable, { out, keep, slots: kept }: Unticked): readonly Place[] {
  const stays = new Set(keep);
  const keptSlots = slots.filter(({ recordId }) => kept.includes(recordId));
  const ticked = documents.filter((document) => !out.includes(document.collection) && !keptSlots.some((slot) => isOfSlot(document, slot)));
  return ticked.flatMap(linesOf).filter(({ path }) => !stays.has(path));
}

interface Documents {
  readonly documents: readonly Differing[];
}

/** Whether anything is less now than it was then, or gone. */
export function isAnythingLost({ documents, slots }: Documents & { readonly slots: readonly Pick<Slot, 'is'>[] }): boolean {
  return slots.some(({ is }) => is === 'made') || documents.some(({ changes }) => changes.some(({ from, to }) => isLost(from, to)));
}

type Staying = Pick<Unticked, 'out' | 'keep'>;

/** Whether something of a document comes back. */
export function isTicked({ collection, changes }: Differing, { out, keep }: Staying): boolean {
  const kept = new Set(keep);
  return !out.includes(collection) && (changes.length === 0 || changes.some(({ path }) => !kept.has(path)));
}

/** After the box of a document was clicked. A document whose rows all stay gets all of them. */
export function withCollection({ documents }: Documents, collection: string, { out, keep }: Staying): Staying {
  const own = documents.filter((each) => each.collection === collection);
  if (own.some((each) => isTicked(each, { out, keep }))) return { out: [...out, collection], keep };
  const rows = new Set(own.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const left = new Set(rows);
  for (const path of keep) left.delete(path);
  return { out: out.filter((each) => each !== collection), keep: left.size > 0 ? keep : keep.filter((path) => !rows.has(path)) };
}

interface ChangingCommit extends PlacedCommit {
  readonly undone?: unknown;
  readonly documents: readonly (PlacedCommit['documents'][number] & {
    readonly fields?: readonly { readonly path: string; readonly before?: unknown; readonly value?: unknown }[];
  })[];
}

/** Changes that are offered as the one before which the player still had something. */
const OFFERED = 8;

/** The last commits that changed something of the player and are not undone, newest first: those that left something less go before. */
export function changesToLookBefore<C extends ChangingCommit>(commits: readonly C[], player: string): readonly C[] {
  const own = commits.filter((commit) => commit.undone === undefined && isRestorable(commit, player));
  const chosen = [...own.filter(takesSomething), ...own.filter((commit) => !takesSomething(commit))].slice(0, OFFERED);
  return own.filter((commit) => chosen.includes(commit));
}

/** The last commit after which something of the player was less. */
export function lastLoss<C extends ChangingCommit>(commits: readonly C[], player: string): C | undefined {
  return commits.find((commit) => commit.undone === undefined && isRestorable(commit, player) && takesSomething(commit));
}

function takesSomething({ documents }: ChangingCommit): boolean {
  return documents.some(({ fields = [] }) =>
    fields.some((field) => 'value' in field && isLost(field.value ?? undefined, field.before ?? undefined)),
  );
}

interface Moves {
  readonly documents: readonly { readonly key: string }[];
  readonly coins: readonly unknown[];
  readonly shortfalls: readonly unknown[];
}

/** Whether somebody may have to pay: money moves, or documents of several owners change. */
export function mayCostSomebody({ documents, coins, shortfalls }: Moves): boolean {
  const owners = new Set(documents.map(({ key }) => key.split('_', 1)[0]));
  return coins.length > 0 || shortfalls.length > 0 || owners.size > 1;
}

/** Names that are told of what happened since. */
const TOLD = 5;

/** What an undo leaves as it is. `since`: later commits that name the player. */
export function staysText(since: readonly LaterCommit[], isAll: boolean): string {
  if (since.length === 0) return 'Nothing happened to this player since.';
  const moved = since.flatMap(({ money }) => money.map(({ field }) => field));
  const changed = since.flatMap(({ documents }) => documents.flatMap(({ fields = [] }) => fields.map(({ path }) => path)));
  const names = [...new Set([...moved, ...changed])];
  const commits = `${isAll ? '' : 'more than '}${since.length} later ${since.length === 1 ? 'commit' : 'commits'}`;
  if (names.length === 0) return `What happened since stays: ${commits}.`;
  const more = names.length > TOLD ? ` and ${names.length - TOLD} more` : '';
  return `What happened since stays: ${names.slice(0, TOLD).join(', ')}${more} (${commits}).`;
}

interface LaterCommit {
  readonly money: readonly { readonly field: string }[];
  readonly documents: readonly { readonly fields?: readonly { readonly path: string }[] }[];
}
