import type { App } from './app.ts';
import { authenticate } from './authenticate.ts';
import type { AppContext } from './context.ts';
import { createDocuments } from './documents.ts';
import { createEndpoints } from './endpoints.ts';
import { createManage } from './manage.ts';
import { createQueries } from './queries.ts';
import { createRecords } from './records.ts';
import { createSessions } from './sessions.ts';
import { createSettings } from './settings.ts';
import { createValues } from './values.ts';

/** All use cases over one context. */
export function createApp(context: AppContext): App {
  return {
    authenticate: (projectId, presented) => authenticate(context, projectId, presented),
    documents: createDocuments(context),
    records: createRecords(context),
    endpoints: createEndpoints(context),
    values: createValues(context),
    queries: createQueries(context),
    sessions: createSessions(context),
    manage: createManage(context),
    settings: createSettings(context),
  };
}
