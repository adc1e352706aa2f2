import type { Family } from '../aliases.ts';
import { nothing, type Serve, serve } from '../dispatch.ts';
import { documentRoutes, documentViewRoutes } from './documents.ts';
import { endpointRoutes } from './endpoints.ts';
import { gamePackageRoutes } from './game-package.ts';
import { managementRoutes, unknownManagementRoute } from './management.ts';
import { manifestRoutes } from './manifest.ts';
import { pageRoutes } from './pages.ts';
import { queryRoutes, storageQueryRoutes } from './queries.ts';
import { appendRoute, recordViewRoutes } from './records-global.ts';
import { saveRecordRoutes } from './save-records.ts';
import { securityConfigRoutes } from './security-config.ts';
import { familyRouter, type Routes, type Services } from './services.ts';
import { sessionRoutes } from './sessions.ts';
import { settingsRoutes } from './settings.ts';
import { syncRoutes } from './sync.ts';
import { type SystemParts, serveCanary, systemRoutes } from './system.ts';
import { saveFailureRoute, statsRoute, telemetryRoutes } from './telemetry.ts';
import { testRoutes } from './tests.ts';
import { rateLimitRoutes, valueRoutes } from './values.ts';

export type Families = Readonly<Record<Family, Serve>>;
/** The route table. The canary has no router: it answers whatever is under it. */
type Routers = Readonly<Record<Exclude<Family, 'canary'>, Routes>>;

export function buildFamilies(services: Services, system: SystemParts): Families {
  const { manage, ...routers } = buildRouters(services, system);
  return {
    storage: serve(routers.storage),
    'storage-api': serve(routers['storage-api']),
    'storage-v1': serve(routers['storage-v1']),
    canary: serveCanary(services.settings),
    endpoints: serve(routers.endpoints),
    queries: serve(routers.queries),
    values: serve(routers.values),
    manage: serve(manage, (ctx) => unknownManagementRoute(ctx, services)),
    'security-config': serve(routers['security-config']),
    system: serve(routers.system),
    sessions: serve(routers.sessions),
    pages: serve(routers.pages),
    'save-failure': serve(routers['save-failure']),
  };
}

/** One router per family, so that a request is matched against few patterns (a router tries them one by one). */
export function buildRouters(services: Services, system: SystemParts): Routers {
  const storage = familyRouter('/v3/storage');
  telemetryRoutes(storage, services);
  statsRoute(storage, services);
  documentRoutes(storage, services);
  documentViewRoutes(storage, services);
  saveRecordRoutes(storage, services);
  appendRoute(storage, services);
  recordViewRoutes(storage, services);
  rateLimitRoutes(storage, services);

  const storageApi = familyRouter('/api/storage');
  telemetryRoutes(storageApi, services);
  // Never reaches a collection, whether or not it is served (runtime-storage 1.2).
  storageApi.get('/:project/stats/:player', nothing);
  documentRoutes(storageApi, services);
  saveRecordRoutes(storageApi, services);
  appendRoute(storageApi, services);
  storageQueryRoutes(storageApi, services);

  const storageV1 = familyRouter('/v1/storage');
  saveRecordRoutes(storageV1, services);
  rateLimitRoutes(storageV1, services);

  const endpoints = familyRouter('/v3/endpoints');
  endpointRoutes(endpoints, services);
  const queries = familyRouter('/v3/queries');
  queryRoutes(queries, services);
  const values = familyRouter('/v3/values');
  valueRoutes(values, services);
  const pages = familyRouter('/pages');
  pageRoutes(pages, services);
  const manage = familyRouter('/v3/manage');
  managementRoutes(manage, services);
  syncRoutes(manage, services);
  manifestRoutes(manage, services);
  testRoutes(manage, services);
  settingsRoutes(manage, services);
  gamePackageRoutes(manage, services);
  const sessions = familyRouter('/v3/auth-sessions');
  sessionRoutes(sessions, services);
  const securityConfig = familyRouter('/v3/security-config');
  securityConfigRoutes(securityConfig, services);
  const saveFailure = familyRouter('/api/network-storage');
  saveFailureRoute(saveFailure, services);
  const systemRouter = familyRouter('');
  systemRoutes(systemRouter, system);

  return {
    storage,
    'storage-api': storageApi,
    'storage-v1': storageV1,
    endpoints,
    queries,
    values,
    manage,
    'security-config': securityConfig,
    system: systemRouter,
    sessions,
    pages,
    'save-failure': saveFailure,
  };
}
