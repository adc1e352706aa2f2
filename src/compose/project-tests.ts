import type pg from 'pg';
import type { Logger } from 'pino';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createProjectTests, type ProjectTests } from '../app/operator/project-tests.ts';
import type { Projects } from '../app/project/projects.ts';
import type { Config } from '../config/config.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createWebhooks } from '../outbound/webhooks.ts';
import { createProjects, NO_OBSERVER } from './projects.ts';

export function projectTestsOn(config: Config, projects: Projects): ProjectTests {
  const { webhookPrefixes, limits } = config;
  const webhooks = createWebhooks(webhookPrefixes);
  return createProjectTests({ projects, scheduler: realScheduler, webhooks, limits });
}

/** Runs projects' tests for jobs. A node that runs jobs need not serve projects, so they are opened for each run. */
export function projectTestsPerRun(config: Config, pool: pg.Pool, log: Log, logger: Logger): ProjectTests {
  return {
    async run(projectId, target, onProgress) {
      const projects = createProjects(config, log, createStateReader(pool), logger, NO_OBSERVER);
      try {
        return await projectTestsOn(config, projects).run(projectId, target, onProgress);
      } finally {
        await projects.close();
      }
    },
  };
}
