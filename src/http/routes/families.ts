import type { Family } from '../aliases.ts';
import { nothing, type Serve, serve } from '../dispatch.ts';
import { documentRoutes, documentViewRoutes } from './documents.ts';
import { endpointRoutes } from './endpoints.ts';
import { managementRoutes, unknownManagementRoute } from './management.ts';
import { queryRoutes, storageQueryRoutes } from './queries.ts';
import { appendRoute, recordViewRoutes } from './records-global.ts';
import { familyRouter, type Routes, type Services } from './services.ts';
import { sessionRoutes } from './sessions.ts';
import { settingsRoutes } from './settings.ts';
import { type SystemParts, securityConfigRoutes, serveCanary, systemRoutes } from './system.ts';
import { rateLimitRoutes, valueRoutes } from './values.ts';

export type Families = Readonly<Record<Family, Serve>>;

/** One router per family, so that a request is matched against few patterns (a router tries them one by one). */
export function buildFamilies(services: Services, system: SystemParts): Families {
  const storage = familyRouter('/v3/storage');
  reservedStorageRoutes(storage);
  documentRoutes(storage, services);
  documentViewRoutes(storage, services);
  appendRoute(storage, services);
  recordViewRoutes(storage, services);
  rateLimitRoutes(storage, services);

  const storageApi = familyRouter('/api/storage');
  reservedStorageRoutes(storageApi);
  documentRoutes(storageApi, services);
  appendRoute(storageApi, services);
  storageQueryRoutes(storageApi, services);

  const storageV1 = familyRouter('/v1/storage');
  rateLimitRoutes(storageV1, services);

  const endpoints = familyRouter('/v3/endpoints');
  endpointRoutes(endpoints, services);
  const queries = familyRouter('/v3/queries');
  queryRoutes(queries, services);
  const values = familyRouter('/v3/values');
  valueRoutes(values, services);
  const manage = familyRouter('/v3/manage');
  managementRoutes(manage, services);
  settingsRoutes(manage, services);
  const sessions = familyRouter('/v3/auth-sessions');
  sessionRoutes(sessions, services);
  const securityConfig = familyRouter('/v3/security-config');
  securityConfigRoutes(securityConfig);
  const systemRouter = familyRouter('');
  systemRoutes(systemRouter, system);

  return {
    storage: serve(storage),
    'storage-api': serve(storageApi),
    'storage-v1': serve(storageV1),
    canary: serveCanary(services.settings),
    endpoints: serve(endpoints),
    queries: serve(queries),
    values: serve(values),
    manage: serve(manage, (ctx) => unknownManagementRoute(ctx, services)),
    'security-config': serve(securityConfig),
    system: serve(systemRouter),
    sessions: serve(sessions),
    pages: nothing,
    'save-failure': nothing,
  };
}

/** Pairs that never reach a collection, whether or not the server answers them yet (runtime-storage 1.2). */
function reservedStorageRoutes(router: Routes): void {
  router.post('/:project/analytics/events', nothing);
  router.post('/:project/stats/heartbeat', nothing);
  router.get('/:project/stats/:player', nothing);
}
