import { type StatedWhy, summaryOf } from '../../domain/commit/summary.ts';
import { isCorrectionCause, SOURCE } from '../../domain/correction/causes.ts';
import { windowNamed } from '../../domain/economy/alarms.ts';
import { type Amount, signOf } from '../../domain/economy/amount.ts';
import { dayOf, postedOf } from '../../domain/economy/fold.ts';
import { KeptNames } from '../../domain/economy/names.ts';
import { partsOf } from '../../domain/economy/parts.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import type { AppContext } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { EconomyEntryPage, EconomyEntryRow, EntryPlace } from '../ports/economy.ts';
import type { Project } from '../project/project.ts';

/** The entries of ledgers that a sum of the economy is made of. */

/** Commits of a page whose reasons are read, and of which it is looked up what their entries are: each is one read of the log. */
const REASONED = 50;
const CLASSED = 100;

/** Where a page of entries goes on. Throws 400 `INVALID_REQUEST` for a cursor that no answer held. */
export function placeOf(cursor: string | null): EntryPlace | null {
  if (cursor === null) return null;
  const [, at, revision, ordinal] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (ordinal === undefined) throw invalidCursor('cursor');
  return [Number(at), Number(revision), Number(ordinal)];
}

/** Throws 400 `INVALID_REQUEST` where an alarm is narrowed further: what it counts is one sum. */
export function requireAlone(filter: Readonly<Record<string, string | null>>): void {
  const named = Object.entries(filter).flatMap(([name, value]) => (value === null ? [] : [`\`${name}\``]));
  if (named.length === 0) return;
  throw refusal('INVALID_REQUEST', `An alarm says itself what it counts: leave ${named.join(', ')} out, and name its \`currency\` alone`);
}

/** What the alarm that was raised at a revision counts: all faucet of its day, or what came in for a player within its hour. */
export async function countedBy(past: Past, project: Project, revision: number, currency: string): Promise<Omit<Wanted, 'limit'>> {
  const commit = await past.commitAt(project, revision);
  const event = commit?.events.find((each) => each.revision === revision);
  if (event?.type !== 'alarm.raised' || event.data.currency !== currency)
    throw notFound(
      'alarm',
      `No alarm of ${JSON.stringify(currency.slice(0, 200))} was raised at revision ${revision}: \`economy/alarms\` lists them`,
    );
  const { window, source = null, player = null, counted = revision } = event.data;
  const { from, to } = windowNamed(window);
  return {
    ...{ space: 'live', from: dayOf(from), to: dayOf(from), currency, source, collection: null, field: null, endpoint: null, player },
    ...(player === null ? ({ direction: null, class: 'faucet' } as const) : ({ direction: 'in', class: null } as const)),
    within: { from, to, through: counted },
    // Nothing that came later is looked at.
    before: [event.metadata.recordedAt, revision, 0],
  };
}

/** Whether its commit says why: what was put right, or what a person did, such as press a button. A grant says it once for all. */
function isReasoned({ source, actor }: EconomyEntryRow): boolean {
  return source !== SOURCE.grant && (source === SOURCE.undo || source === SOURCE.restore || actor.kind === 'person');
}

/** A row, with how much of it is of the class that is asked for. */
type ShownRow = EconomyEntryRow & { readonly part?: Amount };

interface Rows<Row extends EconomyEntryRow> {
  readonly rows: readonly Row[];
  /** Where the next page goes on; `null`: at the end. */
  readonly next: EntryPlace | null;
}

/** As much of a page as has so many commits of rows that count; the next one goes on behind it. */
function within<Row extends EconomyEntryRow>({ rows, next }: Rows<Row>, most: number, counts: (row: Row) => boolean): Rows<Row> {
  const commits = new Set<number>();
  const end = rows.findIndex((row) => counts(row) && commits.add(row.revision).size > most);
  const last = end < 0 ? undefined : rows[end - 1];
  return last === undefined ? { rows, next } : { rows: rows.slice(0, end), next: [last.at, last.revision, last.ordinal] };
}

type Wanted = Parameters<AppContext['views']['economyEntries']>[1];

/** A page of entries; of a class, those of it, as far as {@link CLASSED} commits of theirs go. */
export async function entriesOf(
  context: AppContext,
  past: Past,
  project: Project,
  currency: string,
  wanted: Wanted,
): Promise<Rows<ShownRow> & { readonly hasOthers: boolean }> {
  if (wanted.class === null) {
    const { entries, ...page } = await context.views.economyEntries(project.id, wanted);
    return { ...page, ...within({ ...page, rows: entries }, REASONED, isReasoned) };
  }
  const asked = { class: wanted.class, currency };
  const rows: ShownRow[] = [];
  const looked = new Set<number>();
  let { before } = wanted;
  for (;;) {
    const { entries, names, hasOthers, ...page } = await context.views.economyEntries(project.id, { ...wanted, before });
    const found = within({ ...page, rows: entries }, Math.max(1, CLASSED - looked.size), () => true);
    for (const { revision } of found.rows) looked.add(revision);
    rows.push(...(await ofClass(past, project, found.rows, names, asked)));
    before = found.next;
    if (before !== null && rows.length < wanted.limit && looked.size < CLASSED) continue;
    const last = rows[wanted.limit - 1];
    const isMore = rows.length > wanted.limit && last !== undefined;
    const whole = { rows: rows.slice(0, wanted.limit), next: isMore ? placeIn(last) : before };
    return { ...within(whole, REASONED, isReasoned), hasOthers };
  }
}

function placeIn({ at, revision, ordinal }: EconomyEntryRow): EntryPlace {
  return [at, revision, ordinal];
}

/** The rows of which something is of a class, as their commits say. */
async function ofClass(
  past: Past,
  project: Project,
  rows: readonly EconomyEntryRow[],
  full: EconomyEntryPage['names'],
  wanted: Parameters<typeof partsOf>[2],
): Promise<readonly ShownRow[]> {
  const revisions = [...new Set(rows.map(({ revision }) => revision))];
  const parts = new Map(
    await inTurns(revisions, async (revision) => {
      const commit = await past.commitAt(project, revision);
      const event = commit?.events.find((each) => each.revision === revision);
      if (event?.type !== 'ledger.posted') return [revision, []] as const;
      const posted = postedOf(event, isCorrectionCause(event.metadata.cause));
      const names = new KeptNames(full.filter(({ day }) => day === dayOf(posted.at)));
      return [revision, partsOf(posted, names, wanted)] as const;
    }),
  );
  return rows.flatMap((row) => {
    const part = parts.get(row.revision)?.[row.ordinal] ?? 0;
    return signOf(part) === 0 ? [] : [{ ...row, part }];
  });
}

/** Why the corrections among these were made, by revision. */
export async function reasonsOf(past: Past, project: Project, rows: readonly EconomyEntryRow[]): Promise<ReadonlyMap<number, StatedWhy>> {
  const revisions = [...new Set(rows.filter(isReasoned).map(({ revision }) => revision))];
  const found = await inTurns(revisions, async (revision) => {
    const commit = await past.commitAt(project, revision);
    const why = commit === null ? null : summaryOf(commit.events).why;
    return why === null ? [] : [[revision, why] as const];
  });
  return new Map(found.flat());
}

/** An entry as it is answered. */
export function entryOf({ ordinal: _, reason, label, actor, at, ...row }: ShownRow, currency: string, why: StatedWhy | undefined) {
  const { endpoint, ...who } = actor;
  return {
    ...row,
    currency,
    at: new Date(at).toISOString(),
    ...(reason === null ? {} : { reason }),
    ...(endpoint === undefined ? {} : { endpoint }),
    actor: { ...who, ...(label === null ? {} : { label }) },
    ...(why === undefined ? {} : { why }),
  };
}
