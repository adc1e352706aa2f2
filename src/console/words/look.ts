/** What a person looked at, in plain words. */

/** Which looks a list shows. */
export interface LooksAsked {
  readonly player?: string | undefined;
  /** Only looks that name a player, or only those at lists and files, which name none. */
  readonly of?: 'one' | 'many' | undefined;
  readonly person?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const PAGES: Readonly<Record<string, string>> = {
  findPlayers: 'players by name, or who played last',
  showPlayer: 'the player’s page',
  showTimeline: 'what happened to the player',
  readPlayerStats: 'when the player was last seen',
  listDocuments: 'a table of documents',
  exportDocuments: 'all documents of a collection, as a file',
  readDocument: 'a document',
  probeDocument: 'whether there is a document',
  readDocumentHistory: 'the history of a document',
  compareDocument: 'two moments of a document',
  writeDocument: 'a document that was changed',
  deleteDocument: 'a document that was deleted',
  readLedger: 'the ledger',
  listSaveRecords: 'the save slots',
  createSaveRecord: 'a save slot that was made',
  renameSaveRecord: 'a save slot that was renamed',
  deleteSaveRecord: 'a save slot that was deleted',
  readSaveRecordHistory: 'the history of the save slots',
  compareSaveRecords: 'two moments of the save slots',
  listRecords: 'records',
  readRecord: 'a record',
  appendRecord: 'a record that was appended',
  listCommits: 'what happened',
  explain: 'what an id is',
  readLogs: 'calls',
  listFlags: 'flagged writes',
  readRateLimits: 'rate limits in use',
  runQuery: 'a place on a leaderboard',
  listen: 'live changes',
  restorePlayer: 'what a restore would do',
  undoCommit: 'what an undo changes',
  correctDocument: 'what a correction makes of a document',
  beginGrant: 'what a grant changes',
  listGrants: 'grants',
  readGrant: 'a grant',
  stopGrant: 'a grant that was stopped',
  resumeGrant: 'a grant that went on',
  undoGrant: 'what undoing a grant changes',
  listGrantPlayers: 'players of a grant',
  showGuestAccess: 'devices',
  findNames: 'what has a name',
  issueGuestCodeForSupport: 'a recovery code that was made',
  unlinkGuestForSupport: 'an account that was unlinked',
  revokeGuestDeviceForSupport: 'a device that was signed out',
  listLooks: 'who looked',
  callEndpoint: 'a call for the player',
  callNamedEndpoint: 'a call for the player',
  callEndpointByQuery: 'a call for the player',
  testEndpoint: 'a dry run as the player',
  autoTest: 'dry runs of an endpoint',
  runTests: 'how the game’s tests come out',
  trackEvent: 'a report for the player',
  sendHeartbeat: 'that the player plays, as a report',
  readEconomy: 'days of a currency',
  readEconomySupply: 'how much there is of a currency',
  listEconomyFlows: 'where a currency came from and went to',
  listEconomyPlayers: 'who moved most of a currency',
  listEconomyEntries: 'entries of a currency',
  sync: 'whether documents fit what was pushed',
  preflight: 'whether documents fit what was to be pushed',
  promote: 'whether documents fit what was staged',
  pressButton: 'what a button does for the player',
};

/**
 * A route by the name of its operation, as what it shows. One that is not known here is told by its words: `readFooBar` is `read foo bar`.
 */
export function lookedAt(page: string): string {
  return PAGES[page] ?? page.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Pages of one thing: where no player is named, there is none, or none is said. */
const OF_ONE = /^(?:read|probe|compare|write|delete)(?:Document|Ledger|Record)|^call|^test|^pressButton$|^listen$/;

/** Whose data it was, where no one player is named. */
export function manyText(players: number | undefined, page: string): string {
  if (players !== undefined) return players === 1 ? '1 player' : `${players} players`;
  return OF_ONE.test(page) ? 'nobody by name' : 'many players';
}

interface Looked {
  readonly at: string;
  readonly person: string;
  readonly player?: string;
  readonly page: string;
  readonly reason?: string;
}

/** What one person was shown of one player within a minute of the clock: one visit, which several routes tell of. */
export interface Visit<T> {
  /** The newest. */
  readonly look: T;
  /** When it began. */
  readonly began: string;
  /** What was seen, each once. */
  readonly saw: readonly string[];
}

const VISIT_MS = 60_000;

/**
 * Looks, newest first, as visits: by the minute of the clock, so that what comes changes none of before. What names nobody stands for
 * itself, and so do personal values that were shown for another reason. `isMore`: there are older ones; the visits that these may belong
 * to are left out until they are there.
 */
export function visitsOf<T extends Looked>(looks: readonly T[], isMore = false): readonly Visit<T>[] {
  const visits = new Map<string, { readonly look: T; began: string; readonly saw: Set<string> }>();
  for (const [place, look] of looks.entries()) {
    const { at, person, player, page, reason } = look;
    const key = JSON.stringify([player === undefined ? place : minuteOf(at), person, player, reason]);
    const visit = visits.get(key) ?? { look, began: at, saw: new Set() };
    visit.began = at;
    visit.saw.add(lookedAt(page));
    visits.set(key, visit);
  }
  const all = [...visits.values()].map(({ look, began, saw }) => ({ look, began, saw: [...saw] }));
  const oldest = looks.at(-1);
  if (!isMore || oldest === undefined) return all;
  const whole = all.filter(({ look }) => minuteOf(look.at) !== minuteOf(oldest.at));
  return whole.length > 0 ? whole : all;
}

function minuteOf(at: string): number {
  return Math.floor(Date.parse(at) / VISIT_MS);
}

interface Act {
  readonly revision: number;
  readonly at: string;
  readonly actor: { readonly person?: string };
  readonly why?: { readonly reason: string; readonly ticket?: string };
}

/** How close an act is to the looks that may belong to it. */
export const SAME_CASE_MS = 15 * 60_000;

/**
 * What the same person did last before a visit and first from its beginning on, and gave a reason for, where that is close by: once known,
 * neither becomes another.
 */
export function actsAround<T extends Act>({ look, began }: Visit<Pick<Looked, 'at' | 'person'>>, acts: readonly T[]): readonly T[] {
  const start = Date.parse(began);
  const close = acts
    .filter((act) => act.why !== undefined && act.actor.person === look.person && Math.abs(Date.parse(act.at) - start) <= SAME_CASE_MS)
    .sort((one, other) => one.revision - other.revision);
  const before = close.findLast((act) => Date.parse(act.at) < start);
  const after = close.find((act) => Date.parse(act.at) >= start);
  return [before, after].flatMap((act) => act ?? []);
}

/** How long after a visit something was done, or before: `2 min later`, `20 s before`. */
export function whenText(began: string, at: string): string {
  const ms = Date.parse(at) - Date.parse(began);
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds === 0) return 'right then';
  return `${seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} ${ms < 0 ? 'before' : 'later'}`;
}

/** That some looks name no player: how many they were, where another page says which. */
export function unnamedText({ looks, isMore }: { readonly looks: number; readonly isMore: boolean }, isWithin: boolean): string {
  const when = isWithin ? ' in this time' : '';
  if (looks === 0 && !isMore) return `Looks at lists and files name no player: there were none${when}.`;
  return `Looks at lists and files name no player, and may have shown this one: ${looks}${isMore ? ' or more' : ''}${when}.`;
}

/** Whether any of these looks was at personal values, for which a reason is asked. */
export function isAnyExplained(looks: readonly { readonly reason?: string }[]): boolean {
  return looks.some(({ reason }) => reason !== undefined);
}
