import { spaceOf } from '../../domain/access/context.ts';
import { playerOf } from '../../domain/access/credential.ts';
import { calledEvent, recordsCalls } from '../../domain/telemetry/endpoint-call.ts';
import { playerIn } from '../../domain/telemetry/space.ts';
import { analyticsSetting } from '../../domain/telemetry/switches.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';

import { actorOfKey } from '../access.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, settingsOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint-request.ts';

/** Records endpoint calls as telemetry of the players, if the project asks for it. Recording never delays an answer or makes it fail. */

/** Records one call. */
export interface CallRecorder {
  /** Notes for whom the call was made, once that is known. */
  setCaller(caller: Caller): void;
  /** Passes the answer or refusal on unchanged, and records its outcome. */
  recordOutcome(answer: Promise<EndpointAnswer>): Promise<EndpointAnswer>;
}

/** Makes the recorder of a call; `null` in projects that do not record calls. */
export function callRecorder(context: AppContext, project: Project, call: EndpointRequest): CallRecorder | null {
  return recordsCalls(analyticsSetting(settingsOf(project).analytics)) ? createCallRecorder(context, project, call) : null;
}

/** How long an event may wait for the log, ms. */
const TIMEOUT_MS = 10_000;

function createCallRecorder({ scheduler, telemetry, platformId }: AppContext, project: Project, call: EndpointRequest): CallRecorder {
  const begun = scheduler.monotonic();
  let called: { readonly caller: Caller; readonly player: string } | null = null;

  const record = (status: number, body: Json) => {
    if (called === null) return;
    const { caller, player } = called;
    const { slug, input, fromQuery } = call;
    const durationMs = scheduler.monotonic() - begun;
    const method = fromQuery ? 'GET' : 'POST';
    const space = spaceOf(settingsOf(project), project.definitions, call.target);
    const fact = calledEvent({ platformId: playerIn(space, player), slug, method, status, durationMs, input, body });
    if (fact === null) return;
    const now = scheduler.now();
    if (project.quotas.reports?.tryTake(now) === false) return;
    const actor = actorOfKey(caller.key);
    // It never rejects, and nobody waits for it.
    telemetry.recorder.record(project.id, fact, { recordedAt: now, actor }, TIMEOUT_MS);
  };

  return {
    setCaller(proven) {
      // The id is checked here as in the call itself: a caller with an impossible id is refused, and is recorded as nobody.
      const player = playerOf(proven, platformId);
      if (!(player instanceof Refusal)) called = { caller: proven, player };
    },

    recordOutcome(answer) {
      const recorded = answer.then(
        ({ status, body }) => record(status, body),
        (error: unknown) => record(error instanceof Refusal ? error.status : 500, null),
      );
      // The call stands even if its record could not be written.
      recorded.catch(() => undefined);
      return answer;
    },
  };
}
