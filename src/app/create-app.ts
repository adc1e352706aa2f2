import type { App } from './app.ts';
import type { AppContext } from './context.ts';
import { createButtons } from './correction/buttons.ts';
import { createCorrections } from './correction/corrections.ts';
import { createGrants } from './correction/grants.ts';
import { createEconomy } from './economy/economy.ts';
import { createEndpoints } from './endpoints/endpoints.ts';
import { createCommits } from './history/commits.ts';
import { createDefinitionHistory } from './history/definition-history.ts';
import { createExplain } from './history/explain.ts';
import { createFindNames } from './history/named.ts';
import { createPastReads } from './history/past-reads.ts';
import { createShowPlayer } from './history/player.ts';
import { createSaveRecordHistory } from './history/save-record-history.ts';
import { createShowTimeline } from './history/timeline.ts';
import { createLive } from './live/live.ts';
import { createLooks } from './looking/looks.ts';
import { createApprovals } from './management/approvals.ts';
import { EarlierLiveSearches } from './management/earlier-live.ts';
import { createGamePackage } from './management/game-package.ts';
import { createHistory } from './management/history.ts';
import { createManage } from './management/manage.ts';
import { createManifest } from './management/manifest.ts';
import { createPurge } from './management/purge.ts';
import { createSchedules } from './management/schedules.ts';
import { createSettings } from './management/settings.ts';
import { createTests } from './management/tests.ts';
import { createPast } from './past/past.ts';
import { authenticate } from './security/authenticate.ts';
import { createGuests } from './security/guests.ts';
import { createSecurityConfig } from './security/security-config.ts';
import { createSessions } from './security/sessions.ts';
import { createSupport } from './security/support.ts';
import { createDocumentLists } from './storage/document-list.ts';
import { createDocuments } from './storage/documents.ts';
import { createFlags } from './storage/flags.ts';
import { createPages } from './storage/pages.ts';
import { createQueries } from './storage/queries.ts';
import { createRecords } from './storage/records.ts';
import { createSaveRecords } from './storage/save-records.ts';
import { createValues } from './storage/values.ts';
import { createTelemetry } from './telemetry/telemetry.ts';

/** All use cases over one context. */
export function createApp(context: AppContext): App {
  const queries = createQueries(context);
  // One for all who read the past: its slots and what it keeps folded are shared.
  const past = createPast(context);
  const history = { ...context, past };
  const endpoints = createEndpoints(context);
  const looks = createLooks(context);
  const commits = createCommits(context, past);
  const searches = new EarlierLiveSearches(context);
  const telling = { ...context, personalIn: looks.personalIn };
  return {
    authenticate: (projectId, presented) => authenticate(context, projectId, presented),
    securityConfig: createSecurityConfig(context),
    documents: createDocuments(context),
    documentLists: createDocumentLists(context, past),
    past: createPastReads(history),
    saveRecordHistory: createSaveRecordHistory(history),
    definitionHistory: createDefinitionHistory(history),
    records: createRecords(context),
    saveRecords: createSaveRecords(context),
    pages: createPages(context),
    endpoints,
    values: createValues(context),
    queries,
    live: createLive({ context, queries, names: context.live.names }),
    gamePackage: createGamePackage(context),
    sessions: createSessions(context),
    guests: createGuests(context),
    support: createSupport(context),
    manage: createManage(telling),
    flags: createFlags(context),
    commits,
    explain: createExplain(context, past),
    findNames: createFindNames(context),
    showPlayer: createShowPlayer(history),
    showTimeline: createShowTimeline(history, commits),
    economy: createEconomy(context, past),
    looks,
    history: createHistory(telling, searches),
    approvals: createApprovals(context, searches),
    schedules: createSchedules(context),
    manifest: createManifest(context),
    tests: createTests(context),
    purge: createPurge(context),
    corrections: createCorrections(telling, past),
    buttons: createButtons(context, endpoints),
    grants: createGrants(context, past, queries),
    settings: createSettings(context),
    telemetry: createTelemetry(context),
  };
}
