import type { CollectionModel, FieldModel } from '../../domain/model.ts';
import { ownCollections, storedAt } from './player-data.ts';
import type { Looked, Shown } from './player-part.ts';

/** What a player is called. */

/** Names of fields that hold what somebody is called, without regard to letter case and what joins their words. */
const NAMES: ReadonlySet<string> = new Set(['name', 'displayname', 'playername', 'nickname', 'nick', 'username', 'handle']);
/** Documents that are read for it. */
const READS = 4;
const LONGEST = 80;

interface Candidate {
  readonly collection: string;
  readonly field: string;
  readonly rank: number;
}

/**
 * As the game reported it last, else what a document of the player holds in a field that is called so, or of which each value is one
 * player's. Fields that are personal do not count.
 */
export async function nameOf(looked: Looked): Promise<Shown> {
  const reported = looked.moment === null ? await reportedName(looked) : null;
  if (reported !== null) return { name: { text: reported } };
  return { name: looked.readsDocuments ? await nameInDocuments(looked) : null };
}

async function reportedName({ context, project, player }: Looked): Promise<string | null> {
  const { reader, heartbeats } = context.telemetry;
  const { profile } = await reader.player(project.id, player);
  return profile === null ? null : heartbeats.profileWith(project.id, player, profile).playerName;
}

async function nameInDocuments(looked: Looked): Promise<NonNullable<Shown['name']> | null> {
  const candidates = ownCollections(looked)
    .flatMap(candidatesIn)
    .sort((one, other) => one.rank - other.rank);
  const collections = [...new Set(candidates.map(({ collection }) => collection))].slice(0, READS);
  const documents = new Map(
    await Promise.all(
      collections.map(async (collection) => [collection, await storedAt(looked, { collection, key: looked.player })] as const),
    ),
  );
  for (const { collection, field } of candidates) {
    const text = documents.get(collection)?.document?.[field];
    if (typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST) return { text, collection, field };
  }
  return null;
}

/** Texts that every document of the collection has at its root. */
function candidatesIn({ id, schema }: CollectionModel): readonly Candidate[] {
  return [...(schema.root?.properties ?? [])].flatMap(([field, model]) => {
    const rank = rankOf(field, model);
    return rank === null ? [] : [{ collection: id, field, rank }];
  });
}

function rankOf(field: string, { type, personal, unique }: FieldModel): number | null {
  if (type !== 'string' || personal) return null;
  const isName = NAMES.has(field.toLowerCase().replace(/[^a-z]/g, ''));
  if (unique !== null) return isName ? 0 : 2;
  return isName ? 1 : null;
}
