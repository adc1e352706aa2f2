import type { ProjectEvent } from '../src/domain/events.ts';
import type { DefinitionsState } from '../src/domain/states.ts';
import type { Batch, Projection } from './batch.ts';
import { type Catalog, catalogOf } from './catalog.ts';
import { advance } from './checkpoints.ts';
import { foldDefinitions } from './models/definitions/projection.ts';
import { foldDocuments, loadTouched } from './models/documents/projection.ts';
import type { Transaction } from './tables.ts';

/** What the next batch of a project needs beside the rows. It belongs to one revision. */
export interface Memory {
  readonly definitions: DefinitionsState | null;
  readonly catalog: Catalog;
}

export const NOTHING: Memory = { definitions: null, catalog: catalogOf(null) };

/**
 * Writes one batch into some projections: first their checkpoints, so that a rival fails here, then their rows. All of them must be at the
 * revision before the batch. Runs inside the session's transaction and returns the memory after the batch. `atOnce`: see
 * {@link Batch.atOnce}.
 */
export async function writeBatch(
  tx: Transaction,
  projections: readonly Projection[],
  events: readonly ProjectEvent[],
  memory: Memory,
  atOnce = Number.POSITIVE_INFINITY,
): Promise<Memory> {
  if (events.length === 0) return memory;
  await move(tx, projections, events);
  const { batch, after } = await fold(tx, projections, events, memory, atOnce);
  await project(tx, projections, batch);
  return after;
}

/** How a batch went for the views that were written with the state tables. */
export interface InStep {
  readonly memory: Memory;
  /** Why the batch was not written into the views; `null` when it was. */
  readonly failure: unknown;
  /** How long state tables and views took, ms. */
  readonly stateMs: number;
  readonly viewsMs: number;
}

/**
 * Writes one batch into the state tables, and then into the views that are at the same revision. The views get `timeoutMs`; what they do
 * not finish by then is rolled back. The state tables are written in any case.
 */
export async function writeInStep(
  tx: Transaction,
  { states, views }: { readonly states: readonly Projection[]; readonly views: readonly Projection[] },
  events: readonly ProjectEvent[],
  memory: Memory,
  { timeoutMs, atOnce }: { readonly timeoutMs: number; readonly atOnce: number },
): Promise<InStep> {
  const began = performance.now();
  await move(tx, states, events);
  const { batch, after } = await fold(tx, [...states, ...views], events, memory, atOnce);
  await project(tx, states, batch);
  const apart = performance.now();
  const write = async () => {
    await move(tx, views, events);
    await project(tx, views, batch);
  };
  const failure = views.length === 0 ? null : await tx.apart(timeoutMs, write);
  return { memory: after, failure, stateMs: apart - began, viewsMs: performance.now() - apart };
}

/**
 * Catches derived views up with events that they missed. They read the present rows of the documents that these events changed. Those rows
 * may be newer than the events; the later events then write the same documents again. So the views are exact once they reach the checkpoint
 * of the state tables. `catalog` must not be older than the events.
 */
export async function writeTouched(
  tx: Transaction,
  views: readonly Projection[],
  all: readonly ProjectEvent[],
  catalog: Catalog,
  atOnce: number,
): Promise<void> {
  await move(tx, views, all);
  const { wiped, events } = afterDeletion(all);
  const documents = await loadTouched(tx, events);
  const definitions = { before: null, after: null };
  await project(tx, views, { all, events, wiped, documents, definitions, catalog: { before: null, after: catalog }, atOnce });
}

/** Builds a derived view that shows nothing of the project yet from the present rows of the state tables. */
export async function writeAnew(tx: Transaction, view: Projection, catalog: Catalog, atOnce: number): Promise<void> {
  const definitions = { before: null, after: null };
  const nothing = { all: [], events: [], wiped: true, documents: [], definitions };
  await project(tx, [view], { ...nothing, catalog: { before: null, after: catalog }, atOnce });
}

/** Moves the checkpoints of `projections` from before the first event to the last. */
async function move(tx: Transaction, projections: readonly Projection[], events: readonly ProjectEvent[]): Promise<void> {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return;
  const names = projections.map(({ name }) => name);
  await advance(tx, names, first.revision - 1, { revision: last.revision, hash: last.hash });
}

async function project(tx: Transaction, projections: readonly Projection[], batch: Batch): Promise<void> {
  for (const projection of projections) {
    if (batch.wiped && projection.name !== 'authority') await tx.wipe(projection.name);
    await projection.project(batch, tx);
  }
}

async function fold(
  tx: Transaction,
  projections: readonly Projection[],
  all: readonly ProjectEvent[],
  memory: Memory,
  atOnce: number,
): Promise<{ batch: Batch; after: Memory }> {
  const { wiped, events } = afterDeletion(all);
  const withDocuments = projections.some(({ name }) => name === 'documents');
  const before = memory.definitions;
  // Definitions are folded only where a projection needs them: a page of events that a single view reads may contain publishes whose
  // sources were stored long before.
  const after = projections.some(needsDefinitions) ? foldDefinitions(wiped ? null : before, events) : before;
  const catalog = after === before ? memory.catalog : catalogOf(after);
  const batch: Batch = {
    all,
    events,
    wiped,
    documents: withDocuments ? await foldDocuments(tx, events, { fresh: wiped, exactly: catalog.globals }) : [],
    definitions: { before, after },
    catalog: { before: memory.catalog, after: catalog },
    atOnce,
  };
  return { batch, after: { definitions: after, catalog } };
}

function afterDeletion(all: readonly ProjectEvent[]): { readonly wiped: boolean; readonly events: readonly ProjectEvent[] } {
  const deletion = all.findLastIndex((event) => event.type === 'project.deleted');
  return deletion === -1 ? { wiped: false, events: all } : { wiped: true, events: all.slice(deletion + 1) };
}

/** Whether a projection needs the definitions: they say what a derived view shows. */
function needsDefinitions({ name, derived }: Projection): boolean {
  return derived || name === 'definitions';
}
