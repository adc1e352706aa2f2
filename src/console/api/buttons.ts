import { queryOptions } from '@tanstack/react-query';
import { LOOK_REASON, type Why, whyOf } from './acts.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { View } from './view.ts';

/** Buttons of the game's own: what they are, what one would do, and pressing it. */

export type GameButton = api.Button;
export type Pressed = api.Pressed;

export function buttonsQuery({ project, target }: View, page: GameButton['page']) {
  return queryOptions({
    queryKey: [project, 'buttons', page, target],
    queryFn: () => answerOf(api.listButtons({ project, page, xNsPublishTarget: target })),
    staleTime: 30_000,
  });
}

export interface PressAsked {
  readonly endpoint: string;
  /** `null`: of the first page, for nobody. */
  readonly player: string | null;
  readonly input: Readonly<Record<string, unknown>>;
}

function bodyOf({ player, input }: PressAsked) {
  return { input, ...(player === null ? {} : { player }) };
}

export function lookAtPress({ project, target }: View, asked: PressAsked) {
  const body = { ...bodyOf(asked), reason: LOOK_REASON, dryRun: true };
  return answerOf(api.pressButton({ project, slug: asked.endpoint, xNsPublishTarget: target, body }));
}

/** `confirm`: what was asked and agreed to. */
export function press({ project, target }: View, asked: PressAsked, confirm: string | null, why: Why, intent: string) {
  const body = { ...bodyOf(asked), ...whyOf(why), ...(confirm === null ? {} : { confirm }) };
  return answerOf(api.pressButton({ project, slug: asked.endpoint, xNsPublishTarget: target, idempotencyKey: intent, body }));
}
