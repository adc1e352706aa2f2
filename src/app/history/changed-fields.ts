import { foldCommit, goesOn, type KnownDocument, knownFrom, type StoredDocumentEvent } from '../../domain/commit/document-fold.ts';
import { type Difference, differences } from '../../domain/correction/differences.ts';
import { isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import { Refusal } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { isLargerThan } from '../../kernel/json-size.ts';
import type { AppContext } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';

/** Documents that are read as they were for one page: each once, and anew where a filter left commits between out. */
const READS = 30;
/** A change of more bytes is not compared. A document of more counts as so many where it is read or compared: both hold the node. */
const LARGE_BYTES = 128 * 1024;
const LARGE_COUNTS = 10;
/** Documents that are read at a time. */
const AT_ONCE = 5;
/** Documents of one commit that are told where they are anybody's. */
const DOCUMENTS = 12;

/** What a commit changed of a document. `null`: that is not known; `undefined`: it is not told. */
export type ChangedFields = (commit: Commit, document: Address) => readonly Difference[] | null | undefined;

interface Address {
  readonly space: string;
  readonly collection: string;
  readonly key: string;
}

/** What a commit wrote of one document. */
interface Written {
  readonly commit: Commit;
  readonly name: string;
  readonly first: StoredDocumentEvent;
  readonly events: readonly StoredDocumentEvent[];
}

/**
 * What commits changed of a player's documents, save slots included; of `player` `null` of anybody's, and of shared ones. `commits`: newest
 * first. Where there are too many to be read, the newest are told.
 */
export async function changedFields(
  { roundRobin }: Pick<AppContext, 'roundRobin'>,
  past: Past,
  project: Project,
  commits: readonly Commit[],
  player: string | null,
): Promise<ChangedFields> {
  const all = commits.flatMap((commit) => writtenBy(commit, player));
  const written = all.filter(({ events }) => !events.some(isLarge));
  const sizes = new Sizes(roundRobin, project.id);
  const { states, counted } = await statesBefore(past, project, written, sizes);
  const told = new Map<string, readonly Difference[] | null>(all.map(({ commit, name }) => [toldAs(commit, name), null]));
  let left = READS - counted;
  for (const { commit, name, first, events } of written.toReversed()) {
    if (!goesOn(states.get(name), first) && left > 0) {
      const state = await documentBefore(past, project, { commit, first });
      states.set(name, state);
      left -= await sizes.countOf(name, state?.document);
    }
    const { after, documents } = foldCommit(states.get(name), events);
    states.set(name, after);
    const counts = await sizes.countOf(name, documents?.after);
    const isTold = documents !== null && (counts === 1 || left > 0);
    if (counts > 1) left -= counts;
    const compared = isTold ? await roundRobin.run(project.id, () => differences(documents.before, documents.after)) : null;
    told.set(toldAs(commit, name), compared);
  }
  return (commit, document) => told.get(toldAs(commit, nameOf(document)));
}

/** Data of stored events is JSON. */
function isLarge({ data }: StoredDocumentEvent): boolean {
  return isLargerThan(data as JsonObject, LARGE_BYTES);
}

function toldAs({ last }: Commit, name: string): string {
  return `${last} ${name}`;
}

function writtenBy(commit: Commit, player: string | null): readonly Written[] {
  const written = commit.events.filter(isDocumentEvent).filter((event) => player === null || playerOfKey(keyOf(event)) === player);
  const groups = [...groupBy(written, (event) => nameOf(addressOf(event)))].slice(0, player === null ? DOCUMENTS : undefined);
  return groups.flatMap(([name, events]) => (events[0] === undefined ? [] : [{ commit, name, first: events[0], events }]));
}

interface Before {
  readonly states: Map<string, KnownDocument>;
  /** What reading them counts. */
  readonly counted: number;
}

/** The documents as they were before the oldest of these, which are newest first: of those that were written last. */
async function statesBefore(past: Past, project: Project, written: readonly Written[], sizes: Sizes): Promise<Before> {
  const names = new Set([...new Set(written.map(({ name }) => name))].slice(0, READS));
  const oldest = new Map(written.filter(({ name }) => names.has(name)).map((each) => [each.name, each]));
  const all = [...oldest.values()];
  const states = new Map<string, KnownDocument>();
  let counted = 0;
  for (let from = 0; from < all.length && counted < READS; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((each) => documentBefore(past, project, each)));
    for (const [place, { name }] of some.entries()) {
      states.set(name, read[place]);
      counted += await sizes.countOf(name, read[place]?.document);
    }
  }
  return { states, counted };
}

/** How large documents are. To say it of one that is nearly large means to print it, so each is asked once for a page. */
class Sizes {
  readonly #turns: AppContext['roundRobin'];
  readonly #project: string;
  readonly #known = new Map<string, number>();

  constructor(turns: AppContext['roundRobin'], project: string) {
    this.#turns = turns;
    this.#project = project;
  }

  /** As what reading or comparing a document counts. */
  async countOf(name: string, document: JsonObject | null | undefined): Promise<number> {
    if (document == null) return 1;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const counts = await this.#turns.run(this.#project, () => (isLargerThan(document, LARGE_BYTES) ? LARGE_COUNTS : 1));
    this.#known.set(name, counts);
    return counts;
  }
}

function addressOf(event: StoredDocumentEvent) {
  const { space, collection } = event.data;
  return { space, collection, key: keyOf(event) };
}

function nameOf({ space, collection, key }: Address): string {
  return `${space}/${collection}/${key}`;
}

/** What cannot be had, or not now, is not told; the rest of the page is. */
async function documentBefore(past: Past, project: Project, { commit, first }: Pick<Written, 'commit' | 'first'>): Promise<KnownDocument> {
  if (goesOn(null, first)) return null;
  try {
    return knownFrom(await past.documentAt(project, addressOf(first), commit.first - 1));
  } catch (error) {
    if (error instanceof Refusal && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['REDACTED', 'BUSY', 'BEHIND', 'PAST_TIMEOUT']);
