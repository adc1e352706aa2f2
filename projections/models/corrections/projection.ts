import { evolveGrant } from '../../../src/domain/correction/grant.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { GrantPlayerState, GrantState } from '../../../src/domain/states.ts';
import { type Json, parseStored, stringifyJson } from '../../../src/kernel/json.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

/** The outcome of a player whom a grant has not served yet. */
export const LISTED = 'listed';

const UNDONE = `
INSERT INTO {undone_commits} (project, commit, undone, revision)
SELECT $1, commit, undone, revision FROM unnest($2::bigint[], $3::boolean[], $4::bigint[]) AS w (commit, undone, revision)
ON CONFLICT (project, commit) DO UPDATE SET undone = excluded.undone, revision = excluded.revision`;

const BEFORE = 'SELECT body::text AS body FROM {grants} WHERE project = $1 AND grant_id = $2';

const SAVE = `
INSERT INTO {grants} (project, grant_id, phase, body, begun, revision) VALUES ($1, $2, $3, $4::json, $5, $5)
ON CONFLICT (project, grant_id) DO UPDATE SET phase = excluded.phase, body = excluded.body, revision = excluded.revision`;

const LIST = `
INSERT INTO {grant_players} (project, grant_id, player, place, outcome, revision)
SELECT $1, $2, player, $4::bigint + ordinal - 1, '${LISTED}', $5 FROM unnest($3::text[]) WITH ORDINALITY AS w (player, ordinal)`;

const SERVE = `
UPDATE {grant_players} p SET outcome = w.outcome, told = w.told::json, given = coalesce(w.given, p.given), revision = w.revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) AS w (grant_id, player, outcome, told, given, revision)
WHERE p.project = $1 AND p.grant_id = w.grant_id AND p.player = w.player`;

/** What support put right. */
export const corrections: Projection = {
  name: 'corrections',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const undone = [...undoneIn(events)];
    if (undone.length > 0) {
      await tx.run('corrections-undone', UNDONE, [
        undone.map(([commit]) => commit),
        undone.map(([, state]) => state.undone),
        undone.map(([, state]) => state.revision),
      ]);
    }
    // Whoever is served was listed before.
    for (const event of events.filter(changesGrants)) await projectGrant(event, tx);
    await projectServed([...servedIn(events).values()], tx);
  },
};

function undoneIn(events: readonly ProjectEvent[]): ReadonlyMap<number, { readonly undone: boolean; readonly revision: number }> {
  const commits = new Map<number, { readonly undone: boolean; readonly revision: number }>();
  for (const { type, data, revision } of events) {
    if (type === 'correction.made') for (const [commit, undone] of data.undone ?? []) commits.set(commit, { undone, revision });
  }
  return commits;
}

type GrantChange = Extract<ProjectEvent, { readonly type: 'grant.begun' | 'grant.listed' | 'grant.moved' }>;

function changesGrants(event: ProjectEvent): event is GrantChange {
  return event.type === 'grant.begun' || event.type === 'grant.listed' || event.type === 'grant.moved';
}

/** Grants begin and move rarely, so they are written one by one. */
async function projectGrant(event: GrantChange, tx: Transaction): Promise<void> {
  const { type, data, revision } = event;
  if (type === 'grant.listed') return void (await tx.run('grants-list', LIST, [data.grant, data.players, data.first, revision]));
  const [row] = type === 'grant.begun' ? [] : await tx.run<{ body: string }>('grants-before', BEFORE, [data.grant]);
  const state = evolveGrant(row === undefined ? null : grantFrom(row.body), event);
  if (state !== null) await tx.run('grants-save', SAVE, [data.grant, state.phase, stringifyJson(state as unknown as Json), revision]);
}

type Served = Extract<ProjectEvent, { readonly type: 'grant.served' }>;

interface ServedPlayer {
  readonly event: Served;
  /** The revision at which the player got it, if these events say it. */
  readonly given: number | null;
}

/** What became last of each player whom these events serve. */
function servedIn(events: readonly ProjectEvent[]): ReadonlyMap<string, ServedPlayer> {
  const players = new Map<string, ServedPlayer>();
  for (const event of events) {
    if (event.type !== 'grant.served') continue;
    const name = `${event.data.grant}/${event.data.player}`;
    players.set(name, { event, given: event.data.is === 'given' ? event.revision : (players.get(name)?.given ?? null) });
  }
  return players;
}

async function projectServed(served: readonly ServedPlayer[], tx: Transaction): Promise<void> {
  if (served.length === 0) return;
  await tx.run('grants-serve', SERVE, [
    served.map(({ event }) => event.data.grant),
    served.map(({ event }) => event.data.player),
    served.map(({ event }) => event.data.is),
    served.map(({ event: { data } }) => toldBy(data)),
    served.map(({ given }) => given),
    served.map(({ event }) => event.revision),
  ]);
}

function toldBy({ code, why, shortfalls, left }: Served['data']): string | null {
  const told = { code, why, shortfalls, left };
  return Object.values(told).every((each) => each === undefined) ? null : stringifyJson(told as unknown as Json);
}

/** A grant, from its row. */
export function grantFrom(body: string): GrantState {
  // The type is asserted and not checked, because the projection stored the state.
  return parseStored(body) as unknown as GrantState;
}

/** What a grant did for a player, from its row, for which the same holds. */
export function grantOutcomeFrom(outcome: string): GrantPlayerState['is'] {
  return outcome as GrantPlayerState['is'];
}
