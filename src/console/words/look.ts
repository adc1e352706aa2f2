/** What a person looked at, in plain words. */

const PAGES: Readonly<Record<string, string>> = {
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
  readSaveRecordHistory: 'the history of the save slots',
  compareSaveRecords: 'two moments of the save slots',
  readRecord: 'a record',
  appendRecord: 'a record that was appended',
  listCommits: 'what happened',
  explain: 'what an id is',
  readLogs: 'calls',
  listFlags: 'flagged writes',
  readRateLimits: 'rate limits in use',
  runQuery: 'a place on a leaderboard',
  listen: 'live changes',
  restorePlayer: 'what a restore brings back',
  undoCommit: 'what an undo changes',
  correctDocument: 'what a correction makes of a document',
  beginGrant: 'what a grant changes',
  listGrantPlayers: 'players of a grant',
  showGuestAccess: 'devices',
  listLooks: 'who looked',
  callEndpoint: 'a call for the player',
  callNamedEndpoint: 'a call for the player',
  callEndpointByQuery: 'a call for the player',
  testEndpoint: 'a dry run as the player',
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
