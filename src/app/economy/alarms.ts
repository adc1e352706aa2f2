import type { EconomyAlarm } from '../../contract/resources/settings.ts';
import { type AlarmWindow, dayThreshold, MEDIAN_DAYS, windowsOf } from '../../domain/economy/alarms.ts';
import { dayOf } from '../../domain/economy/fold.ts';
import type { AlarmRaised } from '../../domain/events.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { AUTHORITY, alarmSubject } from '../../domain/subjects.ts';
import type { ViewReader } from '../ports/readers.ts';
import { newCommandId } from '../project/commit.ts';
import type { Project } from '../project/project.ts';

/** Looks at the alarms of projects, and raises those that are due. */

export type { AlarmRaised };

type Views = Pick<ViewReader, 'economyFlows' | 'economyHour'>;

/**
 * Raises the alarms of a project whose windows hold too much, in live, at this time. Each is raised once for a window, however many look:
 * the log decides. Resolves to those that this look raised.
 */
export async function raiseAlarms(project: Project, views: Views, now: number): Promise<readonly AlarmRaised[]> {
  const raised: AlarmRaised[] = [];
  const { economyAlarms } = projectSettings(project.authority?.settings ?? {});
  for (const alarm of economyAlarms) {
    for (const window of windowsOf(alarm, now)) {
      if ((await project.read(alarmSubject(alarm.name, window.name))).state !== null) continue;
      const found = await judge(project.id, views, alarm, window);
      if (found !== null && (await raise(project, found))) raised.push(found);
    }
  }
  return raised;
}

function judge(projectId: string, views: Views, alarm: EconomyAlarm, window: AlarmWindow): Promise<AlarmRaised | null> {
  return alarm.overMedian === undefined ? judgeHour(projectId, views, alarm, window) : judgeDay(projectId, views, alarm, window);
}

async function judgeDay(projectId: string, views: Views, alarm: EconomyAlarm, window: AlarmWindow): Promise<AlarmRaised | null> {
  const { currency, source = null, overMedian = 1 } = alarm;
  const day = dayOf(window.from);
  const filter = { currency, source, collection: null, field: null, endpoint: null };
  const range = { space: 'live', from: day - MEDIAN_DAYS, to: day } as const;
  const { rows, revision: counted } = await views.economyFlows(projectId, {
    ...range,
    ...filter,
    by: 'day',
    after: null,
    limit: MEDIAN_DAYS + 1,
  });
  const amount = Number(rows.find((row) => row.day === day)?.faucet ?? 0);
  const threshold = dayThreshold(
    overMedian,
    rows.filter((row) => row.day !== day).map(({ faucet }) => Number(faucet)),
  );
  return threshold === null || amount <= threshold ? null : { ...about(alarm, window), amount, threshold, counted };
}

async function judgeHour(projectId: string, views: Views, alarm: EconomyAlarm, window: AlarmWindow): Promise<AlarmRaised | null> {
  const { currency, source = null, perPlayerHour: threshold = 0 } = alarm;
  const { from, to } = window;
  const { rows, revision: counted } = await views.economyHour(projectId, { currency, source, day: dayOf(from), from, to, over: threshold });
  const [top] = rows;
  return top === undefined ? null : { ...about(alarm, window), player: top.player, amount: Number(top.amount), threshold, counted };
}

function about({ name, currency, source }: EconomyAlarm, window: AlarmWindow) {
  return { alarm: name, window: window.name, currency, ...(source === undefined ? {} : { source }) };
}

/** Whether this command raised it, and no other did before. */
async function raise(project: Project, data: AlarmRaised): Promise<boolean> {
  const { answer } = await project.execute<boolean>({
    commandId: newCommandId(),
    cause: 'alarm.raise',
    actor: { kind: 'operator' },
    decide(ctx) {
      const isThere = ctx.read(AUTHORITY)?.deleted === false;
      const isNew = ctx.read(alarmSubject(data.alarm, data.window)) === null;
      return isThere && isNew ? { events: [{ type: 'alarm.raised', data }], answer: true } : { events: [], answer: false };
    },
  });
  return answer;
}
