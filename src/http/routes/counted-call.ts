import type { PublishTarget } from '../../domain/events.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import type { Json } from '../../kernel/json.ts';
import { failurePath } from '../../language/failure-path.ts';
import { type CallReporter, codeIn, messageIn } from '../call-reporter.ts';
import { refusalOf } from '../errors.ts';
import type { Exchange } from '../exchange.ts';

/** Whose call it is, and of what. */
interface Called {
  readonly project: string;
  readonly slug: string;
  readonly target: PublishTarget;
  readonly platformId: string | null;
}

/** What an endpoint answered, and the revision that the call made or read. */
interface Came {
  readonly status: number;
  readonly body: Json;
  readonly revision: number | null;
}

/** Runs a call, and counts and times it under its slug, whatever the outcome. `cameOf`: what the endpoint answered. */
export async function countedCall<Answer>(
  calls: CallReporter,
  exchange: Exchange,
  { project, slug, target, platformId }: Called,
  run: () => Awaitable<Answer>,
  cameOf: (answer: Answer) => Came,
): Promise<Answer> {
  try {
    const answer = await run();
    const { status, body, revision } = cameOf(answer);
    const code = codeIn(status, body);
    const message = code === null ? null : messageIn(body);
    // One literal: a spread with more members behind it takes longer than the rest of the chain.
    calls.note(exchange, { project, slug, target, platformId, status, answered: true, code, message, step: null, revision });
    return answer;
  } catch (error) {
    const refused = refusalOf(error);
    const { status, code, message } = refused;
    const step = failurePath(refused);
    calls.note(exchange, { project, slug, target, platformId, status, answered: false, code, message, step, revision: null });
    throw error;
  }
}
