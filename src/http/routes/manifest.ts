import type { Answer } from '../answer.ts';
import { authenticate, EVERYTHING_READ, managementKeys, targetOf } from '../credentials.ts';
import { param } from '../exchange.ts';
import { managed, type Routes, type Services } from './services.ts';

const READS_SETTINGS = managementKeys('r', 'settings');

/** What tools ask of a project as a whole (management 4.7, 4.8). */
export function manifestRoutes(router: Routes, { app }: Services): void {
  router.get('/:project/agent-manifest', async (ctx): Promise<Answer> => {
    return managed(await app.manifest.read(await authenticate(app, ctx, EVERYTHING_READ), targetOf(ctx.state.exchange)));
  });

  router.get('/:project/sync-jobs/:job', async (ctx): Promise<Answer> => {
    return managed(await app.manifest.job(await authenticate(app, ctx, READS_SETTINGS), param(ctx, 'job')));
  });
}
