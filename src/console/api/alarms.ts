import { queryOptions } from '@tanstack/react-query';
import { type AlarmSet, alarmsIn } from '../words/alarms.ts';
import { publishWhyOf, type Why } from './acts.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import type { View } from './view.ts';

/** The alarms of the economy. */

const RAISED = 20;

/** Alarms that were raised, the newest first. */
export function raisedQuery({ project }: View) {
  return queryOptions({
    queryKey: [project, 'economy', 'raised'],
    queryFn: () => answerOf(api.listEconomyAlarms({ project, limit: RAISED })),
  });
}

/** The alarms that are set, and the revision that this is of. */
export function alarmsQuery({ project }: View) {
  return queryOptions({
    queryKey: [project, 'economy', 'alarms'],
    queryFn: async () => {
      const { body, revision } = await datedAnswerOf(api.readSettings({ project }));
      return { alarms: alarmsIn(body.settings), base: revision };
    },
  });
}

interface AlarmsAsked {
  readonly project: string;
  readonly alarms: readonly AlarmSet[];
  /** The revision that they were read at. */
  readonly base: number;
  readonly why: Why;
}

/** Sets all alarms, or none where somebody changed settings meanwhile. */
export function setAlarms({ project, alarms, base, why }: AlarmsAsked, intent: string) {
  const about = { project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent };
  return answerOf(api.changeSettings({ ...about, body: { economyAlarms: alarms } }));
}
