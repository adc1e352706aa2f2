import type { Family } from '../families.ts';
import type { Route } from '../route.ts';
import { approvals } from './approvals.ts';
import { buttons } from './buttons.ts';
import { commits } from './commits.ts';
import { corrections } from './corrections.ts';
import { definitionHistory } from './definition-history.ts';
import { collections, endpointDefinitions, gameValues, libraries, queryDefinitions, rateLimitRules, workflows } from './definitions.ts';
import { documentLists } from './document-list.ts';
import { documents, documentViews } from './documents.ts';
import { economy } from './economy.ts';
import { endpoints } from './endpoints.ts';
import { gamePackage } from './game-package.ts';
import { globalRecords, globalRecordViews } from './global-records.ts';
import { grants } from './grants.ts';
import { guests } from './guests.ts';
import { documentHistory, saveRecordHistory } from './history.ts';
import { live } from './live.ts';
import { logs } from './logs.ts';
import { looks } from './looks.ts';
import { pages } from './pages.ts';
import { playerPage } from './player-page.ts';
import { securityConfig, sessions } from './players.ts';
import { projectFacts } from './project.ts';
import { publishing } from './publishing.ts';
import { purge } from './purge.ts';
import { queries, storageQueries } from './queries.ts';
import { home, reference, schemas } from './reference.ts';
import { release } from './release.ts';
import { saveRecords } from './save-records.ts';
import { schedules } from './schedules.ts';
import { settings } from './settings.ts';
import { support } from './support.ts';
import { canary, metrics, system } from './system.ts';
import { playerStats, reservedStats, saveFailures, telemetry } from './telemetry.ts';
import { tests } from './tests.ts';
import { rateLimits, values } from './values.ts';

/** Every route. If two of a family match one path with equally many parameters, the first wins. */
export const routes: readonly Route[] = [
  ...[
    telemetry,
    playerStats,
    reservedStats,
    documents,
    documentViews,
    documentHistory,
    saveRecords,
    saveRecordHistory,
    globalRecords,
    globalRecordViews,
    rateLimits,
  ],
  ...[storageQueries, endpoints, queries, values, live, pages, collections, endpointDefinitions, workflows, libraries, queryDefinitions],
  ...[
    gameValues,
    rateLimitRules,
    definitionHistory,
    documentLists,
    projectFacts,
    logs,
    commits,
    publishing,
    release,
    approvals,
    schedules,
    tests,
    purge,
    settings,
    gamePackage,
    sessions,
    guests,
    support,
    playerPage,
    corrections,
    buttons,
    grants,
    economy,
    looks,
  ],
  ...[securityConfig, saveFailures, home, system, schemas, metrics, reference, canary],
].flatMap((group): Route[] => Object.values(group));

/** The routes that a family serves. */
export function routesOf(family: Family): readonly Route[] {
  return routes.filter((route) => route.family === family || route.also?.includes(family));
}
