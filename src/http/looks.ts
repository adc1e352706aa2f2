import type { App, LiveEvent } from '../app/app.ts';
import { BASES } from '../contract/families.ts';
import { type Naming, namingsOf, PLAYER_QUERIES, showsPlayers } from '../contract/looking.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes/index.ts';
import { missingReveal } from '../domain/access/refusals.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic } from '../domain/live/topic.ts';
import type { Personal } from '../domain/personal/fields.ts';
import { MASK, masked } from '../domain/personal/mask.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { refusal } from '../kernel/errors.ts';
import { isArray, isObject, type Json, parseJson, stringifyJson, tryParseJson } from '../kernel/json.ts';
import type { Answer } from './answer.ts';
import { claimOf } from './credentials.ts';
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

/** Routes that show what all players have: that is recorded, too, of none by name. */
const EXPORTS: ReadonlySet<string> = new Set(['exportDocuments']);

/** More players than this are many: an answer that names them is about none of them. */
const MANY = 50;

/**
 * What a person is shown of an answer: without personal values, or with them for the reason that the request gives. Resolves once it is recorded whom it
 * shows. Throws 503 LOOK_NOT_RECORDED and 403 REVEAL_NEEDED: nothing is shown then.
 */
export async function shownToPerson(app: Pick<App, 'looks'>, ctx: Context, answer: Answer): Promise<Answer> {
  const page = PAGES.get(ctx.state.exchange.route);
  if (page === undefined || !showsPlayers(page.route)) return answer;
  try {
    const reason = reasonOf(ctx.state.exchange);
    const shown = reason === undefined ? await maskedAnswer(app, ctx, page, answer) : answer;
    await recordLook(app, ctx, page, answer, reason);
    return shown;
  } catch (error) {
    answer.stream?.destroy();
    throw error;
  }
}

async function recordLook(app: Pick<App, 'looks'>, ctx: Context, page: Page, answer: Answer, reason: string | undefined): Promise<void> {
  const { exchange } = ctx.state;
  const named = playersShown(page, ctx, answer);
  const players = named.length > MANY ? [] : named;
  if (players.length === 0 && reason === undefined && !EXPORTS.has(page.route.id)) return;
  const person = exchange.caller?.key.keyId ?? (await exchange.person?.())?.id;
  if (person === undefined) return;
  await app.looks.record({ projectId: projectIn(ctx), person, page: page.route.id, players, reason });
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
  const collection = ctx.params['collection'];
  const place = {
    collections: typeof collection === 'string' ? [collection] : [],
    isFree: route.tag === 'Endpoints' || route.tag === 'Tests',
  };
  return { ...rest, body: masked(body, personal, place) };
}

/** What is masked for whoever asks; `null`: nothing is, for a key, or because it is revealed. */
export async function hiddenFrom(app: Pick<App, 'looks'>, exchange: Exchange, project: string): Promise<Personal | null> {
  return exchange.person === null || reasonOf(exchange) !== undefined ? null : app.looks.personalIn(project);
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

/** What a person is shown of the events of a stream. */
export function shownEvents(app: Pick<App, 'looks'>, exchange: Exchange, project: string): (event: LiveEvent) => LiveEvent {
  if (exchange.person === null || reasonOf(exchange) !== undefined) return (event) => event;
  return (event) => (event.event === undefined ? { ...event, data: maskedEvent(app, project, event.data) } : event);
}

function maskedEvent(app: Pick<App, 'looks'>, project: string, data: string): string {
  const personal = app.looks.personal(project);
  const message = personal === null ? undefined : tryParseJson(data);
  if (personal === null || !isObject(message)) return data;
  const { kind, of } = readTopic(String(message['topic']));
  const value = message['value'] ?? null;
  const isOrdered = kind === 'query' && personal.isShownBy(of);
  return stringifyJson({
    ...message,
    value: isOrdered ? MASK : masked(value, personal, { collections: kind === 'query' ? [] : [of], isFree: false }),
  });
}

function playersShown({ namings }: Page, ctx: Context, answer: Answer): readonly string[] {
  const named = namings.flatMap((naming) => namedBy(naming, ctx, answer));
  return [...new Set(named)].filter((player) => player !== '' && player !== 'anonymous');
}

function namedBy(naming: Naming, ctx: Context, { body, text }: Answer): readonly string[] {
  const { exchange } = ctx.state;
  const inPath = (name: string) => String(ctx.params[name] ?? '');
  switch (naming) {
    case 'player':
      return [inPath('player')];
    case 'key':
      return [playerOfKey(inPath('key'))];
    case 'query':
      return PLAYER_QUERIES.map((name) => firstQuery(exchange, memberSpellings(name)) ?? '');
    case 'claim':
      return [exchange.caller?.platformId ?? '', exchange.caller?.onBehalfOf ?? ''];
    case 'topic':
      return topicsOf(exchange);
    case 'answer':
      return playersIn(body ?? (typeof text === 'string' ? parseJson(text) : null), inPath('held'));
  }
}

function topicsOf(exchange: Exchange): readonly string[] {
  const own = claimOf(exchange) ?? '';
  return [queryOf(exchange)['topic'] ?? []]
    .flat()
    .map((text) => readTopic(text))
    .flatMap(({ key, options }) => [key === null ? own : playerOfKey(key), options.get('platformId') ?? '']);
}

/** Members of answers that name a player. */
const NAMES: ReadonlySet<string> = new Set(['player', 'platformId', '_writerId']);

/** Whom an answer names, in the order of the answer. `held`: the id that was asked about, which may be a player's. */
function playersIn(value: Json, held: string): readonly string[] {
  if (isArray(value)) return value.flatMap((each) => playersIn(each, held));
  if (!isObject(value)) return [];
  const isAbout = value['is'] === 'player' || value['is'] === 'guest';
  const isDocument = typeof value['key'] === 'string' && isArray(value['changes']);
  const named = Object.entries(value).flatMap(([name, member]) => {
    if (NAMES.has(name)) return typeof member === 'string' ? [member] : [];
    if (name !== 'players' || !isArray(member)) return playersIn(member, held);
    return member.flatMap((each) => (typeof each === 'string' ? [each] : playersIn(each, held)));
  });
  return [...(isAbout ? [held] : []), ...(isDocument ? [playerOfKey(String(value['key']))] : []), ...named];
}
