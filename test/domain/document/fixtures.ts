import type { WriteCommand } from '../../../src/domain/document/decide.ts';
import { evolveDocument, evolvePosted, isDocumentEvent } from '../../../src/domain/document/evolve.ts';
import { withPosting } from '../../../src/domain/document/posting.ts';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { CollectionModel } from '../../../src/domain/model.ts';
import type { DocumentState, WindowState } from '../../../src/domain/states.ts';
import { type Json, type JsonObject, stringifyJson } from '../../../src/kernel/json.ts';

/** Wednesday, 2024-05-15 13:45:30.250 UTC. */
export const NOW = Date.UTC(2024, 4, 15, 13, 45, 30, 250);

export function collection(schema: Json = {}, changes: Partial<CollectionModel> = {}): CollectionModel {
  return {
    id: 'players',
    name: 'Players',
    type: 'per-platformid',
    access: { read: 'public', write: 'public', records: 'public' },
    publicAppend: false,
    allowRecordDelete: true,
    ownHistory: false,
    requireSaveVersion: false,
    maxRecords: 1,
    dailyLimit: null,
    schema: compileSchema(schema),
    hash: 'definition-hash',
    definition: {},
    ...changes,
  };
}

/** `balances`: those of its ledger. */
export function stored(document: JsonObject | null, version = 3, balances?: JsonObject): DocumentState {
  return {
    document,
    version,
    createdAt: NOW - 5000,
    updatedAt: NOW - 1000,
    ...(balances === undefined ? {} : { balances: stringifyJson(balances) }),
  };
}

/** A plain write of `{}` by player `p1` to a missing document, unless said otherwise. */
export function write(changes: Partial<WriteCommand> = {}): WriteCommand {
  return {
    collection: collection(),
    space: 'live',
    key: 'p1',
    current: null,
    now: NOW,
    source: 'direct',
    body: { kind: 'replace', document: {} },
    player: 'caller',
    saveVersion: null,
    strictSaveVersion: false,
    fillDefaults: true,
    rules: [],
    isCorrection: false,
    windowOf: () => null,
    maxBytes: 65_536,
    checkSchema: true,
    sortedFields: [],
    ...changes,
  };
}

/** Windows with counts, by counter. */
export function windows(used: Readonly<Record<string, WindowState>>): (counter: string) => WindowState | null {
  return (counter) => used[counter] ?? null;
}

/** The document after these events and the posting of their money, as readers of the log fold them. */
export function folded(state: DocumentState | null, events: readonly DomainEvent[], now: number): DocumentState | null {
  let after = state;
  for (const event of withPosting(events)) {
    if (isDocumentEvent(event)) after = evolveDocument(after, event, now);
    if (event.type !== 'ledger.posted' || after === null) continue;
    for (const posting of event.data.postings) after = evolvePosted(after, posting);
  }
  return after;
}
