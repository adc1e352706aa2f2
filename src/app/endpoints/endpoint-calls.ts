import { calledEvent, recordsCalls } from '../../domain/telemetry/endpoint-call.ts';
import { playerIn } from '../../domain/telemetry/space.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { playerOf, spaceOf } from '../access.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, settingsOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint-request.ts';

/** Endpoint calls as players' telemetry, where a project asks for it (endpoint-language 19). It never delays or fails an answer. */

/** Sees a call through. */
export interface CallWatch {
  /** Whom the call turned out to be for. */
  identified(caller: Caller): void;
  /** The same answer or refusal; what came of the call is recorded as it passes. */
  told(answer: Promise<EndpointAnswer>): Promise<EndpointAnswer>;
}

/** `null` in projects that do not ask for it: their calls take no notice of this. */
export function watchOf(context: AppContext, project: Project, call: EndpointRequest): CallWatch | null {
  return recordsCalls(settingsOf(project).analytics) ? watch(context, project, call) : null;
}

/** How long an event may wait for the log. */
const PATIENCE_MS = 10_000;

function watch({ scheduler, telemetry, platformId }: AppContext, project: Project, call: EndpointRequest): CallWatch {
  const begun = scheduler.monotonic();
  let caller: Caller | null = null;

  const record = (status: number, body: Json) => {
    if (caller === null) return;
    const { slug, input, fromQuery } = call;
    const durationMs = scheduler.monotonic() - begun;
    const method = fromQuery ? 'GET' : 'POST';
    const space = spaceOf(settingsOf(project), project.definitions, call.target);
    const fact = calledEvent({ platformId: playerIn(space, playerOf(caller, platformId)), slug, method, status, durationMs, input, body });
    if (fact === null) return;
    const now = scheduler.now();
    if (project.quotas.reports?.takes(now) === false) return;
    const actor = { kind: caller.key.kind, keyId: caller.key.keyId };
    // It never rejects, and nobody waits for it.
    telemetry.recorder.record(project.id, fact, { recordedAt: now, actor }, PATIENCE_MS);
  };

  return {
    identified(proven) {
      // Checked here, as the call itself will: whoever claims an impossible id is refused, and is nobody.
      if (proven.onBehalfOf === null || proven.verified !== undefined || platformId.test(proven.onBehalfOf)) caller = proven;
    },

    told(answer) {
      const recorded = answer.then(
        ({ status, body }) => record(status, body),
        (error: unknown) => record(error instanceof Refusal ? error.status : 500, null),
      );
      // Whatever is wrong with the record, the call stands.
      recorded.catch(() => undefined);
      return answer;
    },
  };
}
