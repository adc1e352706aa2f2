import type pg from 'pg';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { createCallTable } from '../../projections/call-log.ts';
import { projectsWithAlarms } from '../../projections/models/alarms/read.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { type AlarmRaised, raiseAlarms } from '../app/economy/alarms.ts';
import { newCommandId } from '../app/project/commit.ts';
import type { Config } from '../config/config.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import { realScheduler, type Scheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createWebhooks } from '../outbound/webhooks.ts';
import { createProjects, NO_OBSERVER } from './projects.ts';

/** Looks at the economies of all projects that have alarms, and tells of those that are raised. */
export type WatchEconomies = () => Promise<{ readonly raised: number }>;

interface Watch {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly config: Config;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly scheduler?: Pick<Scheduler, 'now' | 'sleep'>;
}

const WEBHOOK_TIMEOUT_MS = 5_000;
/** Pauses before a webhook that failed is sent again. */
const AGAIN_AFTER_MS = [1_000, 5_000];

export function economyWatch({ pool, log, config, logger, registry, scheduler = realScheduler }: Watch): WatchEconomies {
  const count = new Counter({
    name: 'savepoint_economy_alarms_total',
    help: 'Alarms of economies that this process raised',
    registers: [registry],
  });
  const calls = createCallTable(pool, (_, read) => read());
  const url = config.alarmWebhookUrl;
  const webhooks = createWebhooks(url === null ? [] : [url]);

  async function post(project: string, alarm: AlarmRaised): Promise<void> {
    if (url === null) return;
    for (const again of [...AGAIN_AFTER_MS, null]) {
      const delivery = await webhooks.post(project, url, { event: 'economy.alarm', project, ...alarm }, WEBHOOK_TIMEOUT_MS);
      if (delivery.ok) return;
      // Of the address only the host is logged: its path is the password of many chats.
      const about = { project, alarm: alarm.alarm, host: new URL(url).host, problem: delivery.error };
      if (again === null) logger.warn(about, 'an economy alarm was not delivered');
      else await scheduler.sleep(again);
    }
  }

  async function tell(project: string, alarm: AlarmRaised): Promise<void> {
    count.inc();
    const { player = null, ...neutral } = alarm;
    logger.warn({ project, ...neutral }, 'an economy alarm was raised');
    const at = scheduler.now();
    const request = {
      ...{
        at,
        slug: null,
        method: 'ALARM',
        path: `/v3/manage/${project}/economy/alarms`,
        route: 'alarm',
        status: 200,
        code: 'ECONOMY_ALARM',
      },
      ...{
        message: sentenceOf(alarm),
        step: null,
        ms: 0,
        platformId: player,
        target: 'live' as const,
        requestId: newCommandId(),
        revision: null,
      },
    };
    await calls
      .append([{ project, request, missed: 0, at, isProven: true }])
      .catch((error: unknown) => logger.warn({ err: error, project }, 'an economy alarm is missing in the call log'));
    await post(project, alarm);
  }

  return async () => {
    const reader = createStateReader(pool);
    const projects = createProjects(config, log, reader, logger, NO_OBSERVER);
    const views = createViewReader(pool, null);
    const failed: string[] = [];
    let raised = 0;
    try {
      for (const projectId of await projectsWithAlarms(pool)) {
        try {
          const project = await projects.get(projectId);
          await project?.refresh();
          if (!project) continue;
          for (const alarm of await raiseAlarms(project, views, scheduler.now())) {
            raised += 1;
            await tell(projectId, alarm);
          }
        } catch (error) {
          failed.push(`${projectId}: ${errorMessage(error)}`);
        }
      }
    } finally {
      await projects.close();
    }
    if (failed.length > 0) throw new Error(`could not look at the economies of ${failed.join('; ')}`);
    return { raised };
  };
}

/** What is wrong, in one sentence. */
function sentenceOf({ alarm, window, currency, source, player, amount, threshold }: AlarmRaised): string {
  const who = player === undefined ? '' : ` for one player`;
  const from = source === undefined ? '' : ` from ${source}`;
  return `${alarm}: ${amount} ${currency}${from} came in${who} in ${window}, more than ${threshold}`;
}
