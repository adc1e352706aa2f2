import { type ChangedField, isRestorable, type PlacedCommit } from './commit.ts';
import { isWithin, type Place, stands } from './exchange.ts';
import { isLost } from './lost.ts';
import { isLess } from './value.ts';

/** What a restore brings back unless somebody chooses otherwise: what is less now than it was then. */

interface Line {
  readonly path: string;
  /** It is less now than it was then, or gone: the server says so, by the rule by which it brings back what was lost. */
  readonly lost?: unknown;
}

/** A document that differs. */
interface Differing {
  readonly collection: string;
  readonly key: string;
  /** Those of what was lost come first. */
  readonly changes: readonly Line[];
  /** Changes that the answer leaves out. */
  readonly moreLines?: number;
  /** Of all changes: those of what was lost. */
  readonly lostLines?: number;
}

interface Slot {
  readonly collection: string;
  readonly player: string;
  readonly recordId: string;
  readonly is: string;
}

/** All that differs. */
interface Look {
  readonly documents: readonly Differing[];
  readonly slots: readonly Slot[];
}

/** What comes back is what was lost, but for this. */
export interface Choice {
  /** Collections that stay as they are. */
  readonly out: readonly string[];
  /** Paths that stay as they are. */
  readonly keep: readonly string[];
  /** Paths that go back, too. */
  readonly also: readonly string[];
  /** Collections of which all that differs goes back. */
  readonly whole: readonly string[];
  /** Save slots that stay as they are, with their data. */
  readonly slots: readonly string[];
}

const NO_CHOICE: Choice = { out: [], keep: [], also: [], whole: [], slots: [] };

/** Whether a document holds the data of a slot. */
export function isOfSlot({ collection, key }: { readonly collection: string; readonly key: string }, slot: Slot): boolean {
  return collection === slot.collection && key === `${slot.player}_${slot.recordId}`;
}

/** What comes back at first. A slot that came since stays, with its data. `too`: what goes back besides what was lost. */
export function chosenAtFirst(look: Look, too: readonly Place[] = []): Choice {
  const lines = look.documents.flatMap(linesOf).filter(({ path, lost }) => path !== '' && lost === undefined);
  const unlisted = too.filter((place) => look.documents.some((each) => isAt(each, place) && hasMore(each)));
  const also = [...lines.filter((line) => stands(line, too)), ...unlisted].map(({ path }) => path);
  const slots = look.slots.filter(hasCome).map(({ recordId }) => recordId);
  return { ...NO_CHOICE, also: [...new Set(also)], slots };
}

/** That all goes back that differs. */
export function everything({ documents, slots }: Look): Choice {
  return { ...NO_CHOICE, whole: [...new Set([...documents, ...slots].map(({ collection }) => collection))] };
}

/** As the server is asked for it. */
export function askedFor({ documents, slots }: Look, { out, keep, also, whole, slots: kept }: Choice) {
  const collections = [...new Set([...documents, ...slots].map(({ collection }) => collection))];
  return {
    collections: out.length === 0 ? [] : collections.filter((each) => !out.includes(each)),
    keep,
    keepSlots: kept,
    lost: true as const,
    also,
    alsoCollections: whole,
    alsoSlots: slots.filter((slot) => hasCome(slot) && !kept.includes(slot.recordId)).map(({ recordId }) => recordId),
  };
}

function hasCome({ is }: Slot): boolean {
  return is === 'removed';
}

/** What goes back of a document, before its paths are asked. */
function partOf({ slots }: Look, document: Differing, { out, whole, slots: kept }: Choice): 'nothing' | 'what was lost' | 'all' {
  const slot = slots.find((each) => isOfSlot(document, each));
  if (out.includes(document.collection) || (slot !== undefined && kept.includes(slot.recordId))) return 'nothing';
  return whole.includes(document.collection) || (slot !== undefined && hasCome(slot)) ? 'all' : 'what was lost';
}

/** Whether a line goes back to what it was then. */
export function isBack(look: Look, document: Differing, { path, lost }: Line, choice: Choice): boolean {
  const part = partOf(look, document, choice);
  if (part === 'nothing' || hold(choice.keep, path)) return false;
  return part === 'all' || lost !== undefined || hold(choice.also, path);
}

/** How many lines of a document that are not listed go back, as far as no path names them. */
function unlistedBack(look: Look, document: Differing, choice: Choice): number {
  const part = partOf(look, document, choice);
  return part === 'nothing' ? 0 : part === 'all' ? (document.moreLines ?? 0) : unlistedLost(document);
}

function unlistedLost({ changes, lostLines = 0 }: Differing): number {
  return Math.max(lostLines - changes.filter(({ lost }) => lost !== undefined).length, 0);
}

/** Whether something of a document goes back. */
export function isTicked(look: Look, document: Differing, choice: Choice): boolean {
  const { changes } = document;
  if (changes.length === 0 && !hasMore(document)) return partOf(look, document, choice) !== 'nothing';
  return unlistedBack(look, document, choice) > 0 || changes.some((line) => isBack(look, document, line, choice));
}

/** Whether anything goes back. */
export function isAnyTicked(look: Look, choice: Choice): boolean {
  const { out, slots: kept } = choice;
  return (
    look.slots.some(({ collection, recordId }) => !out.includes(collection) && !kept.includes(recordId)) ||
    look.documents.some((document) => isTicked(look, document, choice))
  );
}

/** Whether all goes back that differs. */
export function isAllTicked(look: Look, choice: Choice): boolean {
  const isWhole = (document: Differing) =>
    unlistedBack(look, document, choice) === (document.moreLines ?? 0) &&
    document.changes.every((line) => isBack(look, document, line, choice));
  const { out, keep, slots } = choice;
  return out.length === 0 && keep.length === 0 && slots.length === 0 && look.documents.every(isWhole);
}

/** What is said below a document of which not all lines are listed. */
export function unlistedText(look: Look, document: Differing, choice: Choice): string {
  const { moreLines = 0 } = document;
  const back = unlistedBack(look, document, choice);
  const rest = `Of ${moreLines} more`;
  if (back === 0) return `${rest}, which are not listed here, none goes back.`;
  if (back === moreLines) return `${rest}, which are not listed here, all go back.`;
  return `${rest}, which are not listed here, ${back} were lost and go back; the others stay.`;
}

/** After the box of a line was clicked. The name of a field counts for all documents that have it. */
export function withLine(look: Look, document: Differing, line: Line, choice: Choice): Choice {
  const { path } = line;
  if (isBack(look, document, line, choice))
    return { ...choice, keep: [...choice.keep, path], also: choice.also.filter((each) => each !== path) };
  const ticked = { ...choice, keep: choice.keep.filter((each) => !isWithin(path, each)) };
  return isBack(look, document, line, ticked) ? ticked : { ...ticked, also: [...ticked.also, path] };
}

/** After the box of a document was clicked. A document of which nothing goes back gets all of it. */
export function withCollection(look: Look, collection: string, choice: Choice): Choice {
  const own = look.documents.filter((each) => each.collection === collection);
  const isAnyOwn = (chosen: Choice) => own.some((each) => isTicked(look, each, chosen));
  if (isAnyOwn(choice)) return { ...choice, out: [...choice.out, collection] };
  const within = { ...choice, out: choice.out.filter((each) => each !== collection) };
  if (isAnyOwn(within)) return within;
  const rows = own.flatMap(({ changes }) => changes.map(({ path }) => path));
  const keep = within.keep.filter((each) => !rows.some((path) => isWithin(path, each)));
  return { ...within, keep, whole: [...within.whole.filter((each) => each !== collection), collection] };
}

function linesOf({ collection, key, changes }: Differing): readonly (Place & Line)[] {
  return changes.map((change) => ({ collection, key, ...change }));
}

function placeOf({ collection, key }: Differing): Place {
  return { collection, key, path: '' };
}

function isAt(document: Differing, { collection, key }: Place): boolean {
  return document.collection === collection && document.key === key;
}

function hasMore({ moreLines = 0 }: Differing): boolean {
  return moreLines > 0;
}

/** Where a player has less now than then, or nothing any more. Of lines that are not listed the document stands for all. */
export function placesLost({ documents }: Look): readonly Place[] {
  const unlisted = documents.filter((each) => unlistedLost(each) > 0).map(placeOf);
  return [...documents.flatMap(linesOf).filter(({ lost }) => lost !== undefined), ...unlisted];
}

interface Back {
  /** What goes back to what it was then. */
  readonly places: readonly Place[];
  /** Documents of which more goes back than is listed. */
  readonly unlisted: readonly Place[];
}

/** Where something goes back to what it was then. */
export function placesBack(look: Look, choice: Choice): Back {
  const listed = look.documents.flatMap((document) => linesOf(document).filter((line) => isBack(look, document, line, choice)));
  const some = look.documents.filter((each) => hasMore(each) && partOf(look, each, choice) === 'what was lost');
  const whole = look.documents.filter((each) => hasMore(each) && partOf(look, each, choice) === 'all').map(placeOf);
  const named = some.flatMap((each) => choice.also.map((path) => ({ ...placeOf(each), path })));
  return { places: [...listed, ...whole, ...named], unlisted: some.filter((each) => unlistedLost(each) > 0).map(placeOf) };
}

/** Whether anything is less now than it was then, or gone. */
export function isAnythingLost({
  documents,
  slots,
}: {
  readonly documents: readonly Pick<Differing, 'lostLines'>[];
  readonly slots: readonly Pick<Slot, 'is'>[];
}): boolean {
  return slots.some(({ is }) => is === 'made') || documents.some(({ lostLines = 0 }) => lostLines > 0);
}

/** Whether one of these is the path, or lies around it. */
function hold(paths: readonly string[], path: string): boolean {
  return paths.some((each) => isWithin(path, each));
}

interface ChangingCommit extends PlacedCommit {
  readonly undone?: unknown;
  readonly documents: readonly (PlacedCommit['documents'][number] & {
    readonly collection?: string;
    readonly fields?: readonly ChangedField[];
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

/** The commit that changed a place last, with what the place became, where that is told alone. `commits`: newest first. */
export function lastChangeOf<C extends ChangingCommit>(commits: readonly C[], { collection, key, path }: Place) {
  for (const commit of commits) {
    const document = commit.documents.find((each) => each.space === 'live' && each.collection === collection && each.key === key);
    const fields = (document?.fields ?? []).filter((field) => isWithin(field.path, path) || isWithin(path, field.path));
    if (fields.length > 0) return { commit, field: fields.find((field) => field.path === path) };
  }
  return undefined;
}

function takesSomething({ documents }: ChangingCommit): boolean {
  return documents.some(({ fields = [] }) =>
    fields.some((field) => 'value' in field && isLost(field.value ?? undefined, field.before ?? undefined)),
  );
}

interface Moves {
  readonly documents: readonly { readonly collection: string; readonly key: string }[];
  readonly coins: readonly { readonly player: string; readonly delta: unknown }[];
  readonly shortfalls: readonly unknown[];
}

/** Whether an undo takes money, or something of several players: somebody would pay. `shared`: collections whose documents are nobody's. */
export function undoCosts({ documents, coins, shortfalls }: Moves, shared: readonly string[]): boolean {
  return coins.some(({ delta }) => isLess(delta)) || shortfalls.length > 0 || ownersOf(documents, shared).size > 1;
}

/** Whether a restore that takes back what others got since would take it from anybody: else nobody is to be asked who pays. */
export function othersPay({ documents, coins }: Moves, player: string, shared: readonly string[]): boolean {
  return coins.some((each) => each.player !== player) || ownersOf([...documents, { collection: '', key: player }], shared).size > 1;
}

function ownersOf(documents: Moves['documents'], shared: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(documents.filter(({ collection }) => !shared.includes(collection)).map(({ key }) => key.split('_', 1)[0]));
}

/** Names that are told of what happened since. */
const TOLD = 5;

/** What an undo leaves as it is. `since`: later commits that name the player. `taken`: paths that the undo changes. */
export function staysText(since: readonly LaterCommit[], isAll: boolean, taken: readonly string[] = []): string {
  if (since.length === 0) return 'Nothing of this player changed since.';
  const moved = since.flatMap(({ money }) => money.map(({ field }) => field));
  const changed = since.flatMap(({ documents }) => documents.flatMap(({ fields = [] }) => fields.map(({ path }) => path)));
  const names = [...new Set([...moved, ...changed.filter((path) => !hold(taken, path))])];
  const what = names.length < new Set([...moved, ...changed]).size ? 'What else happened since stays' : 'What happened since stays';
  const commits = `${isAll ? '' : 'more than '}${since.length} later ${since.length === 1 ? 'commit' : 'commits'}`;
  if (names.length === 0) return `${what}: ${commits}.`;
  const more = names.length > TOLD ? ` and ${names.length - TOLD} more` : '';
  return `${what}: ${names.slice(0, TOLD).join(', ')}${more} (${commits}).`;
}

interface LaterCommit {
  readonly money: readonly { readonly field: string }[];
  readonly documents: readonly { readonly fields?: readonly { readonly path: string }[] }[];
}
