import type { App, LiveEvent, Shared } from '../app/app.ts';
import { BASES } from '../contract/families.ts';
import { type Naming, namingsOf, PLAYER_QUERIES, showsPlayers } from '../contract/looking.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes/index.ts';
import { missingReveal } from '../domain/access/refusals.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic, type Topic } from '../domain/live/topic.ts';
import type { Personal } from '../domain/personal/fields.ts';
import { MASK, masked } from '../domain/personal/mask.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { Refusal, refusable, refusal } from '../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson, tryParseJson } from '../kernel/json.ts';
import { listOf, objectOf, objectsIn } from '../kernel/json-read.ts';
import { failurePath } from '../language/failure-path.ts';
import type { Answer } from './answer.ts';
import { claimOf } from './credentials.ts';
import type { EventStream } from './event-stream.ts';
import { type Context, type Exchange, firstQuery, headerText, queryOf } from './exchange.ts';

/** What a person is shown of players: recorded before the answer leaves, and without personal values unless they are revealed. Requests of keys pass by. */

interface Page {
  readonly route: Route;
  readonly namings: readonly Naming[];
}

/** What is recorded of each route, by its pattern. */
const PAGES: ReadonlyMap<string, Page> = new Map(
  routes.flatMap((route) =>
    [route.family, ...(route.also ?? [])].map((family): [string, Page] => [
      `${route.method} ${BASES[family]}${route.path}`,
      { route, namings: namingsOf(route) },
    ]),
  ),
);

/** More players than this are many: an answer that names them is about none of them. Of lists few are enough. */
const MANY = 50;
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
 * What a person is shown of an answer: without personal values, or with them for the reason that the request gives. Resolves once it is recorded whom it
 * shows. Throws 503 LOOK_NOT_RECORDED and 403 REVEAL_NEEDED: nothing is shown then. What was done by then is answered as done, without what it shows.
 */
export async function shownToPerson(app: Pick<App, 'looks'>, ctx: Context, answer: Answer): Promise<Answer> {
  const page = pageOf(ctx);
  if (page === null) return answer;
  try {
    return await recorded(app, ctx, { page, answer, reason: reasonOf(ctx.state.exchange) });
  } catch (error) {
    answer.stream?.destroy();
    if (error instanceof Refusal && isDone(page, answer)) return withoutData(page, answer);
    throw error;
  }
}

/** What a person is shown of a refusal. An endpoint words its own, of what it has read: they are masked and recorded as its answers are. */
export async function refusedToPerson(app: Pick<App, 'looks'>, ctx: Context, thrown: unknown): Promise<unknown> {
  const page = pageOf(ctx);
  const { call } = ctx.state.exchange;
  if (page === null || !(thrown instanceof Refusal) || call === null || failurePath(thrown) === null) return thrown;
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

function pageOf(ctx: Context): Page | null {
  const page = PAGES.get(ctx.state.exchange.route);
  return page !== undefined && showsPlayers(page.route) ? page : null;
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

/** The answer to what is done, where nobody may be shown what it says: what an endpoint made is left out as a whole, of all others the numbers stay. */
function withoutData({ route }: Page, { status, headers = {}, body }: Answer): Answer {
  const numbers = Object.entries(objectOf(body ?? null)).filter(([, member]) => typeof member === 'number' || typeof member === 'boolean');
  const left = route.tag === 'Endpoints' ? {} : Object.fromEntries(numbers);
  return { ...(status === undefined ? {} : { status }), headers, body: { ...left, masked: MASK }, done: true };
}

function projectIn(ctx: Context): string {
  return ctx.state.exchange.caller?.projectId ?? String(ctx.params['project'] ?? '');
}

/** Checks, before a person's request does anything, that whoever gives a reason may see personal values. Throws 400 INVALID_REQUEST and 403 FORBIDDEN. */
export async function requireReveal(exchange: Exchange): Promise<void> {
  if (reasonOf(exchange) === undefined) return;
  const project = decodeURIComponent(exchange.location.slice(BASES[exchange.family].length).split('/')[1] ?? '');
  const person = await exchange.person?.();
  const refused = missingReveal(person?.permissionsIn(project));
  if (refused !== null) throw refused;
}

/** What a person asks for that tells of personal values, though it shows none. */
interface Probe {
  readonly at: { readonly project: string; readonly page: string; readonly collection: string; readonly key: string };
  /** Why, where the header does not say it. */
  readonly reason: string | undefined;
  names(personal: Personal): boolean;
}

/**
 * Records who tries what a personal field may become, before it is known whether it may: what is refused, and what changes nothing, says what
 * stands there. Throws 403 REVEAL_NEEDED and FORBIDDEN, 503 LOOK_NOT_RECORDED.
 */
export async function recordProbe(app: Pick<App, 'looks'>, exchange: Exchange, { at, reason: given, names }: Probe): Promise<void> {
  if (exchange.person === null) return;
  const { project, page, collection, key } = at;
  const personal = await app.looks.personalIn(project);
  if (personal === null || !names(personal)) return;
  const reason = reasonOf(exchange) ?? given;
  if (reason === undefined)
    throw refusal('REVEAL_NEEDED', 'What a personal field would become tells what it is: it takes a reason in the header x-ns-reveal');
  const person = (await exchange.person?.()) ?? null;
  const refused = missingReveal(person?.permissionsIn(project));
  if (refused !== null) throw refused;
  if (person === null) throw refusal('LOOK_NOT_RECORDED');
  const shared = await app.looks.sharedIn(project);
  await app.looks.record({
    projectId: project,
    person: person.id,
    page,
    players: shared.collection(collection) ? [] : [playerOfKey(key)],
    reason,
  });
}

const LONGEST_REASON = 256;

/** Why the person asks for personal values, percent-encoded in the header; `undefined`: it does not ask. */
function reasonOf(exchange: Exchange): string | undefined {
  const sent = headerText(exchange, 'x-ns-reveal');
  if (sent === null) return undefined;
  const reason = decoded(sent)?.trim() ?? '';
  if (reason === '' || reason.length > LONGEST_REASON)
    throw refusal('INVALID_REQUEST', `x-ns-reveal is a reason of 1 to ${LONGEST_REASON} characters, percent-encoded`);
  return reason;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Streams whose events are masked where they are sent, or hold no document. */
const MASKED_STREAMS: ReadonlySet<string> = new Set(['listen', 'readLogs', 'exportDocuments']);

async function maskedAnswer(app: Pick<App, 'looks'>, ctx: Context, { route }: Page, answer: Answer): Promise<Answer> {
  const personal = await app.looks.personalIn(projectIn(ctx));
  if (personal === null) return answer;
  const { call } = ctx.state.exchange;
  const query = ctx.params['query'];
  if ((typeof query === 'string' && personal.isShownBy(query)) || asksFor(ctx.state.exchange, route, personal))
    throw refusal('REVEAL_NEEDED');
  if (answer.stream !== undefined) {
    if (MASKED_STREAMS.has(route.id)) return answer;
    throw refusal('REVEAL_NEEDED');
  }
  const body = jsonOf(answer);
  if (body === undefined) throw refusal('REVEAL_NEEDED');
  const { text: _, ...rest } = answer;
  if (route.family === 'endpoints' && call !== null && personal.isHandledBy(call.slug)) return { ...rest, body: { masked: MASK } };
  if (expects(body, personal)) throw refusal('REVEAL_NEEDED');
  const collection = ctx.params['collection'];
  const place = { collections: typeof collection === 'string' ? [collection] : [], isFree: MADE_BY_GAMES.has(route.tag) };
  return { ...rest, body: masked(body, personal, place) };
}

/** What the game itself composes: endpoints and queries give values names of their own. */
const MADE_BY_GAMES: ReadonlySet<string> = new Set(['Endpoints', 'Tests', 'Queries and values']);

/** Whether a test asks for a personal field: whether it passes tells of it. */
function expects(report: Json, personal: Personal): boolean {
  const { expect, passed } = objectOf(report);
  return typeof passed === 'boolean' && isObject(expect ?? null) && personal.isNamedIn(stringifyJson(expect ?? null));
}

/** What is masked for whoever asks; `null`: nothing is, for a key, or because it is revealed. */
export async function hiddenFrom(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<Personal | null> {
  return isMasked(exchange) ? app.looks.personalIn(project) : null;
}

/** Routes of which one parameter says by which field documents are chosen. Others are values and columns, which are masked. */
const CHOOSING: Readonly<Record<string, string>> = { listDocuments: 'by', exportDocuments: 'by' };

/** Whether a parameter names a personal field: rows that are chosen or ordered by it tell of it. */
function asksFor(exchange: Exchange, { tag, id }: Route, personal: Personal): boolean {
  if (tag === 'Endpoints') return false;
  const choosing = CHOOSING[id];
  if (choosing !== undefined) return personal.isNamedIn(firstQuery(exchange, [choosing]) ?? '');
  const values = Object.entries(queryOf(exchange)).flatMap(([name, value]) => [
    ...(name.includes('.') ? [name] : []),
    ...[value ?? ''].flat(),
  ]);
  return values.some((value) => personal.isNamedIn(value));
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
  const { kind, of } = readTopic(String(message['topic']));
  const place = kind === 'query' ? { collections: [], isFree: true } : { collections: [of], isFree: false };
  const value = kind === 'query' && personal.isShownBy(of) ? MASK : masked(message['value'] ?? null, personal, place);
  return { ...event, data: stringifyJson({ ...message, value }) };
}

/** What a person is shown of requests that are told as they happen. Throws as `Looks.personalIn`. */
export async function shownRequests(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<(request: JsonObject) => Json> {
  if (!isMasked(exchange)) return (request) => request;
  const personalNow = await follow(app, project);
  return (request) => {
    const personal = personalNow();
    return personal === null ? request : masked(request, personal, { collections: [], isFree: false });
  };
}

/** Whether a person is shown personal values for a reason, which is recorded with the answer. */
export function isRevealed(exchange: Exchange): boolean {
  return exchange.person !== null && reasonOf(exchange) !== undefined;
}

function isMasked(exchange: Exchange): boolean {
  return exchange.person !== null && reasonOf(exchange) === undefined;
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

/** How long a stream shows personal values for one reason, ms. Then whoever follows it gives the reason anew, which is recorded. */
const REVEALED_MS = 10 * 60_000;

/** Ends a stream in time that shows personal values. */
export function endRevealedInTime(exchange: Exchange, stream: EventStream): void {
  if (exchange.person === null || isMasked(exchange)) return;
  const timer = setTimeout(() => stream.end(), REVEALED_MS).unref();
  stream.body.once('close', () => clearTimeout(timer));
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
  const asked = namings.flatMap((naming) => namedByRequest(naming, route, ctx, shared));
  const body = answer.stream === undefined ? jsonOf(answer) : undefined;
  const isWhole = namings.some((naming) => NAMED_WHOLLY.has(naming)) && !isOfShared(ctx, namings, shared);
  const found = known([...asked, ...(isWhole ? [] : namedByAnswer(ctx, namings, body ?? null, shared))]);
  const isOpen = namings.includes('topic') ? topicsIn(ctx.state.exchange).some((topic) => isOfPlayers(topic, shared)) : body === undefined;
  const isUnknown = isOpen || route.tag === 'Endpoints';
  if (found.length === 0) return isUnknown ? { players: [] } : null;
  return found.length > (isWhole || namings.includes('answer') ? MANY : FEW) ? { players: [], many: found.length } : { players: found };
}

function known(players: readonly string[]): readonly string[] {
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

function namedByRequest(naming: Naming, { query = {} }: Route, ctx: Context, shared: Shared): readonly string[] {
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
