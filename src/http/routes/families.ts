import { eachFamily, type Family } from '../../contract/families.ts';
import { approvals } from '../../contract/routes/approvals.ts';
import { buttons } from '../../contract/routes/buttons.ts';
import { commits } from '../../contract/routes/commits.ts';
import { corrections } from '../../contract/routes/corrections.ts';
import { definitionHistory } from '../../contract/routes/definition-history.ts';
import {
  collections,
  endpointDefinitions,
  gameValues,
  libraries,
  queryDefinitions,
  rateLimitRules,
  workflows,
} from '../../contract/routes/definitions.ts';
import { documentLists } from '../../contract/routes/document-list.ts';
import { documents, documentViews } from '../../contract/routes/documents.ts';
import { economy } from '../../contract/routes/economy.ts';
import { endpoints } from '../../contract/routes/endpoints.ts';
import { gamePackage } from '../../contract/routes/game-package.ts';
import { globalRecords, globalRecordViews } from '../../contract/routes/global-records.ts';
import { grants } from '../../contract/routes/grants.ts';
import { guests } from '../../contract/routes/guests.ts';
import { documentHistory, saveRecordHistory } from '../../contract/routes/history.ts';
import { live } from '../../contract/routes/live.ts';
import { logs } from '../../contract/routes/logs.ts';
import { looks } from '../../contract/routes/looks.ts';
import { pages } from '../../contract/routes/pages.ts';
import { playerPage } from '../../contract/routes/player-page.ts';
import { securityConfig, sessions } from '../../contract/routes/players.ts';
import { projectFacts } from '../../contract/routes/project.ts';
import { publishing } from '../../contract/routes/publishing.ts';
import { purge } from '../../contract/routes/purge.ts';
import { queries, storageQueries } from '../../contract/routes/queries.ts';
import { home, reference, schemas } from '../../contract/routes/reference.ts';
import { release } from '../../contract/routes/release.ts';
import { saveRecords } from '../../contract/routes/save-records.ts';
import { schedules } from '../../contract/routes/schedules.ts';
import { settings } from '../../contract/routes/settings.ts';
import { support } from '../../contract/routes/support.ts';
import { metrics, system } from '../../contract/routes/system.ts';
import { playerStats, reservedStats, saveFailures, telemetry } from '../../contract/routes/telemetry.ts';
import { tests } from '../../contract/routes/tests.ts';
import { rateLimits, values } from '../../contract/routes/values.ts';
import { answerNotFound, type Serve, serve } from '../dispatch.ts';
import { familyRouters, mountOn, type Routers } from '../handlers.ts';
import { answering } from '../request.ts';
import { approvalHandlers } from './approvals.ts';
import { buttonHandlers } from './buttons.ts';
import { commitHandlers } from './commits.ts';
import { correctionHandlers } from './corrections.ts';
import { documentListHandlers } from './document-list.ts';
import { documentHandlers, documentViewHandlers } from './documents.ts';
import { economyHandlers } from './economy.ts';
import { endpointHandlers } from './endpoints.ts';
import { gamePackageHandlers } from './game-package.ts';
import { globalRecordHandlers, globalRecordViewHandlers } from './global-records.ts';
import { grantHandlers } from './grants.ts';
import { guestHandlers } from './guests.ts';
import { definitionHistoryHandlers, documentHistoryHandlers, saveRecordHistoryHandlers } from './history.ts';
import { homeHandlers } from './home.ts';
import { liveHandlers } from './live.ts';
import { logHandlers } from './logs.ts';
import { lookHandlers } from './looks.ts';
import { gameValuesHandlers, listedAnswers, projectFactHandlers, rateLimitRulesHandlers, unknownManagementRoute } from './management.ts';
import { pageHandlers } from './pages.ts';
import { playerPageHandlers } from './player-page.ts';
import { publishingHandlers } from './publishing.ts';
import { purgeHandlers } from './purge.ts';
import { queryHandlers, storageQueryHandlers } from './queries.ts';
import { referenceHandlers } from './reference.ts';
import { releaseHandlers } from './release.ts';
import { saveRecordHandlers } from './save-records.ts';
import { scheduleHandlers } from './schedules.ts';
import { schemaHandlers } from './schemas.ts';
import { securityConfigHandlers } from './security-config.ts';
import type { Services } from './services.ts';
import { sessionHandlers } from './sessions.ts';
import { settingsHandlers } from './settings.ts';
import { supportHandlers } from './support.ts';
import { metricsHandlers, type SystemParts, serveCanary, systemHandlers } from './system.ts';
import { playerStatsHandlers, saveFailureHandlers, telemetryHandlers } from './telemetry.ts';
import { testHandlers } from './tests.ts';
import { rateLimitHandlers, valueHandlers } from './values.ts';

export type Families = Readonly<Record<Family, Serve>>;

export function buildFamilies(services: Services, parts: SystemParts): Families {
  const routers = buildRouters(services, parts);
  const canary = serveCanary(services.settings);
  return eachFamily((family) => {
    // One handler answers every path of the canary.
    if (family === 'canary') return canary;
    return serve(routers[family], family === 'manage' ? (ctx) => unknownManagementRoute(ctx, services) : answerNotFound);
  });
}

/** Every route of the contract with its handler. If two match a path with equally many parameters, the first one answers. */
function buildRouters(services: Services, parts: SystemParts): Routers {
  const routers = familyRouters();
  const mount = mountOn(routers, services.app);
  mount(telemetry, telemetryHandlers(services));
  mount(playerStats, playerStatsHandlers(services));
  mount(reservedStats, { read: answerNotFound });
  mount(documents, documentHandlers(services));
  mount(documentViews, documentViewHandlers(services));
  mount(documentHistory, documentHistoryHandlers(services));
  mount(saveRecords, saveRecordHandlers(services));
  mount(saveRecordHistory, saveRecordHistoryHandlers(services));
  mount(globalRecords, globalRecordHandlers(services));
  mount(globalRecordViews, globalRecordViewHandlers(services));
  mount(rateLimits, rateLimitHandlers(services));
  mount(storageQueries, storageQueryHandlers(services));

  mount(endpoints, endpointHandlers(services));
  mount(queries, queryHandlers(services));
  mount(values, valueHandlers(services));
  mount(live, liveHandlers(services));
  mount(pages, pageHandlers(services));
  mount(sessions, sessionHandlers(services));
  mount(guests, guestHandlers(services));
  mount(support, supportHandlers(services));
  mount(playerPage, playerPageHandlers(services));
  mount(securityConfig, securityConfigHandlers(services));
  mount(saveFailures, saveFailureHandlers(services));

  mount(collections, answering(services, collections, listedAnswers(services, 'collection')));
  mount(endpointDefinitions, answering(services, endpointDefinitions, listedAnswers(services, 'endpoint')));
  mount(workflows, answering(services, workflows, listedAnswers(services, 'workflow')));
  mount(libraries, answering(services, libraries, listedAnswers(services, 'library')));
  mount(queryDefinitions, answering(services, queryDefinitions, listedAnswers(services, 'query')));
  mount(gameValues, gameValuesHandlers(services));
  mount(rateLimitRules, rateLimitRulesHandlers(services));
  mount(definitionHistory, definitionHistoryHandlers(services));
  mount(documentLists, documentListHandlers(services));
  mount(projectFacts, projectFactHandlers(services));
  mount(logs, logHandlers(services));
  mount(commits, commitHandlers(services));
  mount(publishing, publishingHandlers(services));
  mount(release, releaseHandlers(services));
  mount(tests, testHandlers(services));
  mount(purge, purgeHandlers(services));
  mount(corrections, correctionHandlers(services));
  mount(buttons, buttonHandlers(services));
  mount(approvals, approvalHandlers(services));
  mount(schedules, scheduleHandlers(services));
  mount(grants, grantHandlers(services));
  mount(economy, economyHandlers(services));
  mount(looks, lookHandlers(services));
  mount(settings, settingsHandlers(services));
  mount(gamePackage, gamePackageHandlers(services));

  mount(home, homeHandlers(parts));
  mount(system, systemHandlers(parts));
  mount(schemas, schemaHandlers());
  if (services.settings.apiDocs) mount(reference, referenceHandlers(services.settings.version));
  if (parts.exposition !== null) mount(metrics, metricsHandlers(services.settings, parts.exposition));
  return routers;
}
