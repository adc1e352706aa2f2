import type { ProjectEvent } from '../src/domain/events.ts';
import type { DefinitionsState } from '../src/domain/states.ts';
import type { Batch, Projection } from './batch.ts';
import { type Catalog, catalogOf } from './catalog.ts';
import { advance } from './checkpoints.ts';
import { foldDefinitions } from './models/definitions/project.ts';
import { foldDocuments } from './models/documents/project.ts';
import type { Session } from './tables.ts';

/** What the next batch of a project builds on, beside its rows. Belongs to one revision. */
export interface Memory {
  readonly definitions: DefinitionsState | null;
  readonly catalog: Catalog;
}

export const NOTHING: Memory = { definitions: null, catalog: catalogOf(null) };

/**
 * Writes one batch into some projections: their checkpoints first, so that a rival stops here, then their rows. All of them must
 * stand right before the batch. Runs inside the session's transaction; the answer is the memory after the batch.
 */
export async function writeBatch(
  session: Session,
  projections: readonly Projection[],
  events: readonly ProjectEvent[],
  memory: Memory,
): Promise<Memory> {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return memory;
  const names = projections.map(({ name }) => name);
  await advance(session, names, first.revision - 1, { revision: last.revision, hash: last.hash });

  const { batch, after } = await fold(session, projections, events, memory);
  for (const projection of projections) {
    if (batch.wiped && projection.name !== 'authority') await session.wipe(projection.name);
    await projection.project(batch, session);
  }
  return after;
}

async function fold(
  session: Session,
  projections: readonly Projection[],
  all: readonly ProjectEvent[],
  memory: Memory,
): Promise<{ batch: Batch; after: Memory }> {
  const deletion = all.findLastIndex((event) => event.type === 'project.deleted');
  const wiped = deletion !== -1;
  const events = wiped ? all.slice(deletion + 1) : all;
  const withDocuments = projections.some(({ name }) => name === 'documents');
  const before = memory.definitions;
  // Who needs none is given none: a page that a view reads by itself may speak of sources that were stored long before it.
  const after = projections.some(needsDefinitions) ? foldDefinitions(wiped ? null : before, events) : before;
  const catalog = after === before ? memory.catalog : catalogOf(after);
  const batch: Batch = {
    all,
    events,
    wiped,
    documents: withDocuments ? await foldDocuments(session, events, { fresh: wiped, exactly: catalog.globals }) : [],
    definitions: { before, after },
    catalog: { before: memory.catalog, after: catalog },
  };
  return { batch, after: { definitions: after, catalog } };
}

/** A derived view follows what the definitions ask of it. */
function needsDefinitions({ name, derived }: Projection): boolean {
  return derived || name === 'definitions';
}
