import type { App, LiveEvent, Shared } from '../app/app.ts';
import { type Naming, namingsOf, PLAYER_QUERIES, tellsOfPlayers } from '../contract/looking.ts';
import { type Own, ownIn } from '../contract/own.ts';
import type { Route } from '../contract/route.ts';
import { documentViews } from '../contract/routes/documents.ts';
import { LoggedRequest } from '../contract/routes/logs.ts';
import { queries } from '../contract/routes/queries.ts';
import { release } from '../contract/routes/release.ts';
import { saveRecords } from '../contract/routes/save-records.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic, type Topic } from '../domain/live/topic.ts';
import type { Personal } from '../domain/personal/fields.ts';
import { MASK, masked, withoutSums } from '../domain/personal/mask.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { Refusal, refusable, refusal } from '../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson, tryParseJson } from '../kernel/json.ts';
import { listOf, objectOf, objectsIn } from '../kernel/json-read.ts';
import { failurePath } from '../language/failure-path.ts';
import type { Answer } from './answer.ts';
import { claimOf } from './credentials.ts';
import { type Context, type Exchange, firstQuery, queryOf } from './exchange.ts';
import { isMasked, reasonOf } from './reveal.ts';

/** What people are shown of players: recorded first, and without personal values unless revealed. Requests of keys pass by. */

/** A route, and where its requests and answers name whose data it shows. */
export interface Page {
  readonly route: Route;
  readonly namings: readonly Naming[];
}

export function pageOf(route: Route): Page {
  return { route, namings: namingsOf(route) };
}

/** More players than this are many: an answer that names them is about none of them. Of lists few are enough. */
export const MANY = 50;
const FEW = 5;
/** What alone says whom a route shows, whomever its answer names beside. */
const NAMED_WHOLLY: ReadonlySet<Naming> = new Set(['player', 'key', 'topic']);

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
  const shown = reason === undefined ? await maskedAnswer(app, ctx, page, answer) : answer;
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
  return route.writes === true && !(isObject(body ?? null) && objectOf(body)['dryRun'] === true);
}

/** The answer to a write, where nobody may be shown what it says: what an endpoint made is left out; of others the numbers stay. */
function withoutData({ route }: Page, { status, headers = {}, body }: Answer): Answer {
  const numbers = Object.entries(objectOf(body ?? null)).filter(([, member]) => typeof member === 'number' || typeof member === 'boolean');
  const left = route.tag === 'Endpoints' ? {} : Object.fromEntries(numbers);
  return { ...(status === undefined ? {} : { status }), headers, body: { ...left, masked: MASK }, done: true };
}

export function projectIn(ctx: Context): string {
  return ctx.state.exchange.caller?.projectId ?? String(ctx.params['project'] ?? '');
}

/** Streams whose events are masked where they are sent, or hold no document. */
const MASKED_STREAMS: ReadonlySet<string> = new Set(['listen', 'readLogs', 'exportDocuments']);

async function maskedAnswer(app: Pick<App, 'looks'>, ctx: Context, { route }: Page, answer: Answer): Promise<Answer> {
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

/** Which members of an answer are the platform's own. */
function ownAnswer({ answers }: Route, status = 200): Own {
  const schema = answers[status];
  return schema === undefined ? null : ownIn(schema);
}

/** What the game itself composes: endpoints and queries give values names of their own. */
const MADE_BY_GAMES: ReadonlySet<string> = new Set(['Endpoints', 'Tests', 'Queries and values']);

/** What is masked for whoever asks; `null`: nothing is, for a key, or because it is revealed. */
export async function hiddenFrom(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<Personal | null> {
  return isMasked(exchange) ? app.looks.personalIn(project) : null;
}

/** The answer as JSON; `undefined`: it is of another form. */
function jsonOf({ body, text, contentType }: Answer): Json | undefined {
  if (contentType !== undefined && !contentType.includes('json')) return undefined;
  return text === undefined ? (body ?? null) : tryParseJson(text.toString());
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

/** Whom an answer shows. */
interface PlayersShown {
  /** Empty: many, or nobody that is named. */
  readonly players: readonly string[];
  /** How many, where they are too many to be named. */
  readonly many?: number;
}

/** Whom an answer shows: whom the request names, or whom the answer does; `null`: nobody, it holds nothing of players. */
function playersShown({ route, namings }: Page, ctx: Context, answer: Answer, shared: Shared): PlayersShown | null {
  const asked = known(namings.flatMap((naming) => namedByRequest(naming, route, ctx, shared)));
  const isWhole = namings.some((naming) => NAMED_WHOLLY.has(naming)) && !isOfShared(ctx, namings, shared);
  // The answer may be a document of a megabyte, and would say no more.
  if (isWhole && asked.length > 0) return namedUpTo(MANY, asked);
  const body = answer.stream === undefined ? jsonOf(answer) : undefined;
  const found = isWhole ? [] : known([...asked, ...namedByAnswer(ctx, namings, body ?? null, shared)]);
  const isOpen = namings.includes('topic') ? topicsIn(ctx.state.exchange).some((topic) => isOfPlayers(topic, shared)) : body === undefined;
  const isUnknown = isOpen || route.tag === 'Endpoints';
  if (found.length === 0) return isUnknown ? { players: [] } : null;
  return namedUpTo(namings.includes('answer') ? MANY : FEW, found);
}

function namedUpTo(most: number, players: readonly string[]): PlayersShown {
  return players.length > most ? { players: [], many: players.length } : { players };
}

export function known(players: readonly string[]): readonly string[] {
  return [...new Set(players)].filter((player) => player !== '' && player !== 'anonymous');
}

/** Whether it is one shared document that is asked for, or the money in such documents, which is under their keys. */
function isOfShared({ params, state }: Context, namings: readonly Naming[], shared: Shared): boolean {
  if (namings.includes('key')) return shared.collection(String(params['collection'] ?? ''));
  const currency = firstQuery(state.exchange, ['currency']) ?? '';
  return shared.collection(currency.slice(0, Math.max(0, currency.lastIndexOf('.'))));
}

function namedByAnswer(ctx: Context, namings: readonly Naming[], body: Json, shared: Shared): readonly string[] {
  const { query, held = '' } = ctx.params;
  if (isOfShared(ctx, namings, shared)) return actorsIn(body);
  const hasPlayers = !(typeof query === 'string' && shared.query(query));
  return playersIn(body, { held: String(held), hasPlayers, shared });
}

/** The players who did what an answer lists. What a shared document holds says nothing of whose it is. */
function actorsIn(body: Json): readonly string[] {
  const { changes, entries } = objectOf(body);
  return [...objectsIn(changes), ...objectsIn(entries)].flatMap(({ actor, who }) => {
    const { player } = objectOf(actor ?? who ?? null);
    return typeof player === 'string' ? [player] : [];
  });
}

export function namedByRequest(naming: Naming, { query = {} }: Route, ctx: Context, shared: Shared): readonly string[] {
  const { exchange } = ctx.state;
  const inPath = (name: string) => String(ctx.params[name] ?? '');
  switch (naming) {
    case 'player':
      return [inPath('player')];
    case 'key':
      return shared.collection(inPath('collection')) ? [] : [playerOfKey(inPath('key'))];
    case 'query':
      return PLAYER_QUERIES.filter((name) => Object.hasOwn(query, name))
        .flatMap((name) => memberSpellings(name))
        .flatMap((spelled) => queryOf(exchange)[spelled] ?? []);
    case 'claim':
      return [exchange.caller?.platformId ?? '', exchange.caller?.onBehalfOf ?? ''];
    case 'topic':
      return topicsOf(exchange, shared);
    case 'answer':
    case 'list':
      return [];
  }
}

function topicsOf(exchange: Exchange, shared: Shared): readonly string[] {
  const own = claimOf(exchange) ?? '';
  return topicsIn(exchange)
    .filter((topic) => isOfPlayers(topic, shared))
    .flatMap(({ key, options }) => [key === null ? own : playerOfKey(key), options.get('platformId') ?? '']);
}

function topicsIn(exchange: Exchange): readonly Topic[] {
  return [queryOf(exchange)['topic'] ?? []].flat().map((text) => readTopic(text));
}

/** Whether a topic is of what players have. */
function isOfPlayers({ kind, of }: Topic, shared: Shared): boolean {
  if (kind === 'values' || kind === 'publishes') return false;
  return kind === 'query' ? !shared.query(of) : !shared.collection(of);
}

/** Members of answers that name a player. */
const NAMES: ReadonlySet<string> = new Set(['player', 'platformId', '_writerId']);

/** How an answer is read for players. */
interface Reading {
  /** The id that was asked about, which may be a player's. */
  readonly held: string;
  /** Rows of a query are under the keys of players. */
  readonly hasPlayers: boolean;
  readonly shared: Shared;
}

/** Whom an answer names, in the order of the answer. */
function playersIn(value: Json, reading: Reading): readonly string[] {
  if (isArray(value)) return value.flatMap((each) => playersIn(each, reading));
  if (!isObject(value)) return [];
  const { held, hasPlayers, shared } = reading;
  const { key, collection } = value;
  const isOfNobody = typeof collection === 'string' && shared.collection(collection);
  const isAbout = (value['is'] === 'player' || value['is'] === 'guest') && namesPlayer(value, held);
  const isRow = typeof value['rank'] === 'number' || 'queryId' in value;
  // A change of a document, or a row of a query.
  const isKeyed = typeof key === 'string' && ((isArray(value['changes']) && !isOfNobody) || (isRow && hasPlayers));
  const named = Object.entries(value).flatMap(([name, member]) => {
    // A ledger names the first part of the key, whosever the document is.
    if (NAMES.has(name)) return typeof member === 'string' && !(isOfNobody && name === 'player') ? [member] : [];
    if (name !== 'players' || !isArray(member)) return playersIn(member, reading);
    return member.flatMap((each) => (typeof each === 'string' ? [each] : playersIn(each, reading)));
  });
  return [...(isAbout ? [held] : []), ...(isKeyed ? [playerOfKey(String(key))] : []), ...named];
}

/** Whether commits of an id that may be a player's name that player: the first part of a shared document's key is none. */
function namesPlayer({ commits }: JsonObject, player: string): boolean {
  return listOf(commits ?? []).some((commit) => {
    const { players, counts } = objectOf(commit);
    return counts !== undefined || listOf(players ?? []).includes(player);
  });
}
