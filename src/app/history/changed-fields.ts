import { foldCommit, goesOn, type KnownDocument, knownFrom, type StoredDocumentEvent } from '../../domain/commit/document-fold.ts';
import { type Difference, differences } from '../../domain/correction/differences.ts';
import { isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import { Refusal } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import type { AppContext } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';

/** Documents that are read as they were for one page: each once, and anew where a filter left commits between out. */
const READS = 12;

/** What a commit changed of a document; `undefined`: it is not known, or not told. */
export type ChangedFields = (commit: Commit, document: Address) => readonly Difference[] | undefined;

interface Address {
  readonly space: string;
  readonly collection: string;
  readonly key: string;
}

/** Whose document it is. */
export function isOf(player: string, { key }: Pick<Address, 'key'>): boolean {
  return playerOfKey(key) === player;
}

/** What commits changed of a player's documents, save slots included. `commits`: newest first. */
export async function changedFields(
  { roundRobin }: Pick<AppContext, 'roundRobin'>,
  past: Past,
  project: Project,
  commits: readonly Commit[],
  player: string,
): Promise<ChangedFields> {
  const states = new Map<string, KnownDocument>();
  const told = new Map<string, readonly Difference[]>();
  let reads = 0;
  for (const { first, last, events } of commits.toReversed()) {
    const own = events.filter(isDocumentEvent).filter((event) => isOf(player, { key: keyOf(event) }));
    for (const [name, written] of groupBy(own, (event) => nameOf(addressOf(event)))) {
      const [begins] = written;
      if (begins === undefined) continue;
      if (!goesOn(states.get(name), begins)) {
        if (reads < READS) states.set(name, await documentBefore(past, project, begins, first));
        reads += 1;
      }
      const { after, documents } = foldCommit(states.get(name), written);
      states.set(name, after);
      if (documents === null) continue;
      const changed = await roundRobin.run(project.id, () => differences(documents.before, documents.after));
      told.set(`${last} ${name}`, changed);
    }
  }
  return ({ last }, document) => told.get(`${last} ${nameOf(document)}`);
}

function addressOf(event: StoredDocumentEvent) {
  const { space, collection } = event.data;
  return { space, collection, key: keyOf(event) };
}

function nameOf({ space, collection, key }: Address): string {
  return `${space}/${collection}/${key}`;
}

/** What was redacted is not told; the rest of the page is. */
async function documentBefore(past: Past, project: Project, event: StoredDocumentEvent, first: number): Promise<KnownDocument> {
  try {
    return knownFrom(await past.documentAt(project, addressOf(event), first - 1));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'REDACTED') return undefined;
    throw error;
  }
}
