import type { App } from './app.ts';
import { authenticate } from './authenticate.ts';
import type { AppContext } from './context.ts';
import { createDocuments } from './documents.ts';
import { createEndpoints } from './endpoints.ts';
import { createGamePackage } from './game-package.ts';
import { createHistory } from './history.ts';
import { createManage } from './manage.ts';
import { createPages } from './pages.ts';
import { createQueries } from './queries.ts';
import { createRecords } from './records.ts';
import { createSaveRecords } from './save-records.ts';
import { createSecurityConfig } from './security-config.ts';
import { createSessions } from './sessions.ts';
import { createSettings } from './settings.ts';
import { createTelemetry } from './telemetry.ts';
import { createTests } from './tests.ts';
import { createValues } from './values.ts';

/** All use cases over one context. */
export function createApp(context: AppContext): App {
  return {
    authenticate: (projectId, presented) => authenticate(context, projectId, presented),
    securityConfig: createSecurityConfig(context),
    documents: createDocuments(context),
    records: createRecords(context),
    saveRecords: createSaveRecords(context),
    pages: createPages(context),
    endpoints: createEndpoints(context),
    values: createValues(context),
    queries: createQueries(context),
    gamePackage: createGamePackage(context),
    sessions: createSessions(context),
    manage: createManage(context),
    history: createHistory(context),
    tests: createTests(context),
    settings: createSettings(context),
    telemetry: createTelemetry(context),
  };
}
