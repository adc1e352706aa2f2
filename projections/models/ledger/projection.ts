import type { LedgerEntry, Posting, ProjectEvent } from '../../../src/domain/events.ts';
import { hashText } from '../../../src/kernel/hash.ts';
import { isNumber, type Json, stringifyJson, toDouble } from '../../../src/kernel/json.ts';
import { printedActor } from '../../actor.ts';
import type { Projection } from '../../batch.ts';
import { addToTotals } from './sums.ts';

/**
 * Nothing is looked for that may be there already: an event is written once, because its transaction moves the checkpoint from before it to
 * behind it. Were it not so, the key of the table would refuse the batch, and the totals with it.
 */
const INSERT = `
WITH w AS MATERIALIZED (
SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::double precision[], $13::text[], $14::text[], $15::bigint[], $16::text[], $17::text[], $18::text[])
  AS w (space, collection, player, revision, ordinal, key, field, before, after, delta, amount, source, reason, at, event_id, actor, part)),
written AS (
INSERT INTO {ledger}
       (project, space, collection, player, revision, ordinal, key, field, before, after, delta, amount, source, reason, at, event_id, summed, actor)
SELECT $1, space, collection, player, revision, ordinal, key, field, before::json, after::json, delta::json, amount, source, reason, at, event_id, true, actor::json
FROM w)
${addToTotals('w', '$1')}`;

type Posted = Extract<ProjectEvent, { readonly type: 'ledger.posted' }>;

interface Row {
  readonly event: Posted;
  readonly posting: Posting;
  readonly entry: LedgerEntry;
  /** The entry's place in the event. */
  readonly ordinal: number;
}

export const ledger: Projection = {
  name: 'ledger',
  kind: 'view',
  derived: false,
  async project({ events }, tx) {
    const rows = events.flatMap((event) => (event.type === 'ledger.posted' ? rowsOf(event) : []));
    if (rows.length === 0) return;
    const part = partsOf();
    await tx.run('ledger-insert', INSERT, [
      rows.map(({ event }) => event.data.space),
      rows.map(({ posting }) => posting.collection),
      rows.map(({ posting }) => posting.player),
      rows.map(({ event }) => event.revision),
      rows.map(({ ordinal }) => ordinal),
      rows.map(({ posting }) => posting.key),
      rows.map(({ entry }) => entry.field),
      rows.map(({ entry }) => stringifyJson(entry.before)),
      rows.map(({ entry }) => stringifyJson(entry.after)),
      rows.map(({ entry }) => stringifyJson(entry.delta)),
      rows.map(({ entry }) => amountOf(entry.delta)),
      rows.map(({ entry }) => entry.source),
      rows.map(({ entry }) => entry.reason ?? null),
      rows.map(({ event }) => event.metadata.recordedAt),
      rows.map(({ event }) => event.id),
      rows.map(({ event }) => printedActor(event.metadata.actor)),
      rows.map(({ entry }) => part(entry)),
    ]);
  },
};

function rowsOf(event: Posted): Row[] {
  const placed = event.data.postings.flatMap((posting) => posting.entries.map((entry) => ({ posting, entry })));
  return placed.map(({ posting, entry }, ordinal) => ({ event, posting, entry, ordinal }));
}

/** Field and source in a few bytes, because the texts may be longer than an index accepts. Few are told apart in a batch. */
function partsOf(): (entry: LedgerEntry) => string {
  const known = new Map<string, string>();
  return ({ field, source }) => {
    const text = `${field.length}:${field}${source}`;
    const part = known.get(text) ?? hashText(text);
    known.set(text, part);
    return part;
  };
}

/** The number that sums use. A number that a double cannot hold counts 0, so that it does not spoil them. */
function amountOf(delta: Json): number {
  const amount = isNumber(delta) ? toDouble(delta) : 0;
  return Number.isFinite(amount) ? amount : 0;
}
