import type { App } from '../app/app.ts';
import { tellsOfPlayers } from '../contract/looking.ts';
import { MASK } from '../domain/personal/mask.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { objectOf } from '../kernel/json-read.ts';
import { failurePath } from '../language/failure-path.ts';
import type { Answer } from './answer.ts';
import { type Context, projectIn } from './exchange.ts';
import { maskedAnswer } from './masking.ts';
import { type Page, playersShown } from './players-named.ts';
import { reasonOf } from './reveal.ts';

/** What people are shown of players: recorded first, and without personal values unless revealed. Requests of keys pass by. */

/** What is shown by a page for a person, and why personal values are. */
interface Shown {
  readonly page: Page;
  readonly answer: Answer;
  readonly reason: string | undefined;
}

/**
 * What a person is shown of an answer: without personal values, or with them for the reason that the request gives. Resolves once it is
 * recorded whom it shows. Throws 503 LOOK_NOT_RECORDED and 403 REVEAL_NEEDED: nothing is shown then. What was done by then is answered as
 * done, without what it shows.
 */
export async function shownToPerson(app: Pick<App, 'looks'>, ctx: Context, page: Page, answer: Answer): Promise<Answer> {
  if (!tellsOfPlayers(page.route)) return answer;
  try {
    return await recorded(app, ctx, { page, answer, reason: reasonOf(ctx.state.exchange) });
  } catch (error) {
    answer.stream?.destroy();
    if (error instanceof Refusal && isDone(page, answer)) return withoutData(page, answer);
    throw error;
  }
}

/** What a person is shown of a refusal. An endpoint words its own, of what it has read: they are masked and recorded as its answers are. */
export async function refusedToPerson(app: Pick<App, 'looks'>, ctx: Context, page: Page, thrown: unknown): Promise<unknown> {
  const { call } = ctx.state.exchange;
  if (!(thrown instanceof Refusal) || call === null || failurePath(thrown) === null) return thrown;
  const { status, code, message, extra } = thrown;
  const { error = {}, body = {}, ...facts } = extra;
  try {
    // The body of a pressed button says for whom, and a refusal does not.
    const answer = { body: { body, error: { ...error, message, endpoint: call.slug }, player: call.platformId } };
    const shown = objectOf((await recorded(app, ctx, { page, answer, reason: reasonOf(ctx.state.exchange) })).body ?? null);
    const { message: said = MASK, endpoint: _, ...members } = objectOf(shown['error'] ?? null);
    return new Refusal(status, code, String(said), { ...facts, error: members, body: objectOf(shown['body'] ?? null) });
  } catch (refused) {
    return refused;
  }
}

/** The answer as the person is shown it, once that is recorded. */
async function recorded(app: Pick<App, 'looks'>, ctx: Context, { page, answer, reason }: Shown): Promise<Answer> {
  const shown = reason === undefined ? await maskedAnswer(app, ctx, page.route, answer) : answer;
  await recordLook(app, ctx, { page, answer, reason });
  return shown;
}

async function recordLook(app: Pick<App, 'looks'>, ctx: Context, { page, answer, reason }: Shown): Promise<void> {
  const { exchange } = ctx.state;
  const shared = page.namings.length === 0 ? null : await app.looks.sharedIn(projectIn(ctx));
  const found = shared === null ? null : playersShown(page, ctx, answer, shared);
  if (found === null && reason === undefined) return;
  const person = exchange.caller?.key.keyId ?? (await exchange.person?.())?.id;
  if (person === undefined) throw refusal('LOOK_NOT_RECORDED');
  await app.looks.record({ projectId: projectIn(ctx), person, page: page.route.id, players: [], ...found, reason });
}

/** Whether what was asked for is done by now, so that it must not be answered as refused. */
function isDone({ route }: Page, { body }: Answer): boolean {
  return route.writes === true && objectOf(body ?? null)['dryRun'] !== true;
}

/** The answer to a write, where nobody may be shown what it says: what an endpoint made is left out; of others the numbers stay. */
function withoutData({ route }: Page, { status, headers = {}, body }: Answer): Answer {
  const numbers = Object.entries(objectOf(body ?? null)).filter(([, member]) => typeof member === 'number' || typeof member === 'boolean');
  const left = route.tag === 'Endpoints' ? {} : Object.fromEntries(numbers);
  return { ...(status === undefined ? {} : { status }), headers, body: { ...left, masked: MASK }, done: true };
}
