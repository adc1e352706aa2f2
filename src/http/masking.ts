import type { App, LiveEvent } from '../app/app.ts';
import { type Own, ownAnswer, ownIn } from '../contract/own.ts';
import type { Route } from '../contract/route.ts';
import { documentViews } from '../contract/routes/documents.ts';
import { LoggedRequest } from '../contract/routes/logs.ts';
import { queries } from '../contract/routes/queries.ts';
import { release } from '../contract/routes/release.ts';
import { saveRecords } from '../contract/routes/save-records.ts';
import { readTopic, type Topic } from '../domain/live/topic.ts';
import type { Personal } from '../domain/personal/fields.ts';
import { MASK, masked, withoutSums } from '../domain/personal/mask.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { Refusal, refusable, refusal } from '../kernel/errors.ts';
import { type Json, type JsonObject, stringifyJson, tryParseJson } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { type Answer, jsonOf } from './answer.ts';
import { type Context, type Exchange, firstQuery, projectIn } from './exchange.ts';
import { isMasked } from './reveal.ts';

/** Answers, and events of streams, without personal values. */

/** Streams whose events are masked where they are sent, or hold no document. */
const MASKED_STREAMS: ReadonlySet<string> = new Set(['listen', 'readLogs', 'exportDocuments']);

/** The answer without personal values. Throws 403 REVEAL_NEEDED for one in which they cannot be told apart. */
export async function maskedAnswer(app: Pick<App, 'looks'>, ctx: Context, route: Route, answer: Answer): Promise<Answer> {
  const personal = await app.looks.personalIn(projectIn(ctx));
  if (personal === null) return answer;
  const { call } = ctx.state.exchange;
  if (answer.stream !== undefined) {
    if (MASKED_STREAMS.has(route.id)) return answer;
    throw refusal('REVEAL_NEEDED');
  }
  const body = jsonOf(answer);
  if (body === undefined) throw refusal('REVEAL_NEEDED');
  const { text: _, ...rest } = answer;
  if (route.family === 'endpoints' && call !== null && personal.isHandledBy(call.slug)) return { ...rest, body: { masked: MASK } };
  const collection = ctx.params['collection'];
  const own = ownAnswer(route, answer.status);
  const place = { collections: typeof collection === 'string' ? [collection] : [], isFree: MADE_BY_GAMES.has(route.tag), own };
  const shown = masked(body, personal, place);
  const isSummed = route.id === documentViews.ledger.id && isOfAllFields(firstQuery(ctx.state.exchange, memberSpellings('field')));
  return { ...rest, body: isSummed && personal.isFollowedIn(String(collection)) ? withoutSums(shown) : shown };
}

/** Whether a ledger is asked for whole; `field`: as the request names it. */
function isOfAllFields(field: string | null | undefined): boolean {
  return (field ?? 'all') === 'all';
}

/** What the game itself composes: endpoints and queries give values names of their own. */
const MADE_BY_GAMES: ReadonlySet<string> = new Set(['Endpoints', 'Tests', 'Queries and values']);

/** What is masked for whoever asks; `null`: nothing is, for a key, or because it is revealed. */
export async function hiddenFrom(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<Personal | null> {
  return isMasked(exchange) ? app.looks.personalIn(project) : null;
}

/** What a person is shown of the events of a stream. Throws as `Looks.personalIn`. */
export async function shownEvents(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<(event: LiveEvent) => LiveEvent> {
  if (!isMasked(exchange)) return (event) => event;
  const personalNow = await follow(app, project);
  return (event) => (event.event === undefined ? maskedEvent(personalNow(), event) : event);
}

function maskedEvent(personal: Personal | null, event: LiveEvent): LiveEvent {
  if (personal === null) return event;
  const message = objectOf(tryParseJson(event.data) ?? null);
  const { kind, of, options } = readTopic(String(message['topic']));
  const place = { ...(kind === 'query' ? { collections: [], isFree: true } : { collections: [of], isFree: false }), own: ownTopic(kind) };
  const whole = kind === 'query' && personal.isShownBy(of) ? MASK : masked(message['value'] ?? null, personal, place);
  const isSummed = kind === 'ledger' && isOfAllFields(options.get('field')) && personal.isFollowedIn(of);
  const value = isSummed ? withoutSums(whole) : whole;
  return { ...event, data: stringifyJson({ ...message, value }) };
}

/** A message of a topic is what its plain read answers. */
function ownTopic(kind: Topic['kind']): Own {
  const read = TOPICS[kind];
  return read === undefined ? null : ownAnswer(read);
}

const TOPICS: Partial<Record<Topic['kind'], Route>> = {
  ledger: documentViews.ledger,
  records: saveRecords.list,
  query: queries.run,
  publishes: release.publishes,
};

/** What a person is shown of requests that are told as they happen. Throws as `Looks.personalIn`. */
export async function shownRequests(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<(request: JsonObject) => Json> {
  if (!isMasked(exchange)) return (request) => request;
  const personalNow = await follow(app, project);
  const own = ownIn(LoggedRequest);
  return (request) => {
    const personal = personalNow();
    return personal === null ? request : masked(request, personal, { collections: [], isFree: false, own });
  };
}

/** What is masked for whoever asks, of what goes on for long: each time anew. Throws as `Looks.personalIn`. */
export async function hiddenNow(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<() => Personal | null> {
  return isMasked(exchange) ? follow(app, project) : () => null;
}

/** What is personal in a project, each time anew; as it was last where the project is not open any more. */
async function follow(app: Pick<App, 'looks'>, project: string): Promise<() => Personal | null> {
  let last = await app.looks.personalIn(project);
  return () => {
    const found = refusable(() => app.looks.personal(project));
    if (!(found instanceof Refusal)) last = found;
    return last;
  };
}
