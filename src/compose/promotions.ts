import type pg from 'pg';
import type { Logger } from 'pino';
import { projectsWithDuePromotions } from '../../projections/models/releases/read.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { promoteDue } from '../app/management/due-promotion.ts';
import { createPeople } from '../app/people/people.ts';
import type { Config } from '../config/config.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import { realScheduler, type Scheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createWebhooks } from '../outbound/webhooks.ts';
import { createProjects, NO_OBSERVER, watchCheckpoints } from './projects.ts';
import { answersKept } from './serving.ts';

/** Deals with the promotions of all projects whose time has come, and tells of those that did not go live. */
export type WatchPromotions = () => Promise<{ readonly promoted: number; readonly missed: number }>;

interface Watch {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly config: Config;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly scheduler?: Scheduler;
}

/** Projects of one look. The next one comes in a minute. */
const MOST = 100;
const VIEW_WAIT_MS = 5_000;

export function promotionWatch({ pool, log, config, logger, scheduler = realScheduler }: Watch): WatchPromotions {
  return async () => {
    const due = await projectsWithDuePromotions(pool, scheduler.now(), MOST);
    const done = { promoted: 0, missed: 0 };
    if (due.length === 0) return done;
    const reader = createStateReader(pool);
    const projects = createProjects(config, log, reader, logger, NO_OBSERVER);
    const stopWatching = watchCheckpoints(projects, reader, logger);
    const limits = { ...config.limits, viewWaitMs: VIEW_WAIT_MS, answers: answersKept(config) };
    const webhooks = createWebhooks(config.webhookPrefixes);
    const people = createPeople(log, scheduler);
    const context = { projects, views: createViewReader(pool, null), scheduler, people, limits, webhooks };
    const failed: string[] = [];
    try {
      for (const id of due) {
        try {
          const project = await projects.get(id);
          if (project === null || project === undefined) continue;
          const outcome = await promoteDue(context, project);
          if (outcome.is === 'none') continue;
          done[outcome.is] += 1;
          if (outcome.is === 'promoted') logger.info({ project: id, unseen: outcome.unseen }, 'a scheduled promotion went live');
          else logger.warn({ project: id, code: outcome.code, reason: outcome.reason }, 'a scheduled promotion did not go live');
        } catch (error) {
          failed.push(`${id}: ${errorMessage(error)}`);
        }
      }
    } finally {
      await stopWatching();
      await projects.close();
    }
    if (failed.length > 0) throw new Error(`could not promote what is due in ${failed.join('; ')}`);
    return done;
  };
}
