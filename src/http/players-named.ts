import type { Shared } from '../app/app.ts';
import { type Naming, namingsOf, PLAYER_QUERIES } from '../contract/looking.ts';
import { type Own, ownAnswer } from '../contract/own.ts';
import type { Route } from '../contract/route.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic, type Topic } from '../domain/live/topic.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { listOf, objectOf, objectsIn } from '../kernel/json-read.ts';
import { type Answer, jsonOf } from './answer.ts';
import { claimOf } from './credentials.ts';
import { type Context, type Exchange, firstQuery, queryOf } from './exchange.ts';

/** Which players a request names, and which an answer shows. */

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

/** Whom an answer shows. */
interface PlayersShown {
  /** Empty: many, or nobody that is named. */
  readonly players: readonly string[];
  /** How many, where they are too many to be named: those that the request names are, all the same. */
  readonly many?: number;
}

/** Whom an answer shows: whom the request names, or whom the answer does; `null`: nobody, it holds nothing of players. */
export function playersShown(page: Page, ctx: Context, answer: Answer, shared: Shared): PlayersShown | null {
  const { route, namings } = page;
  const asked = known(namings.flatMap((naming) => namedByRequest(naming, route, ctx, shared)));
  const isWhole = namings.some((naming) => NAMED_WHOLLY.has(naming)) && !isOfShared(ctx, namings, shared);
  // The answer may be a document of a megabyte, and would say no more.
  if (isWhole && asked.length > 0) return namedUpTo(MANY, asked, []);
  const body = answer.stream === undefined ? jsonOf(answer) : undefined;
  const found = isWhole ? [] : known([...asked, ...namedByAnswer(page, ctx, answer, body ?? null, shared)]);
  const isOpen = namings.includes('topic') ? topicsIn(ctx.state.exchange).some((topic) => isOfPlayers(topic, shared)) : body === undefined;
  const isUnknown = isOpen || route.tag === 'Endpoints';
  if (found.length === 0) return isUnknown ? { players: [] } : null;
  return namedUpTo(namings.includes('answer') ? MANY : FEW, found, asked);
}

/** `always`: named also among too many. */
function namedUpTo(most: number, players: readonly string[], always: readonly string[]): PlayersShown {
  if (players.length <= most) return { players };
  return { players: always.length > MANY ? [] : always, many: players.length };
}

/** No key of a document is longer, so no player's id is: what logic of the game composes may hold anything under the name of one. */
const LONGEST_ID = 256;

export function known(players: readonly string[]): readonly string[] {
  return [...new Set(players)].filter((player) => player !== '' && player !== 'anonymous' && player.length <= LONGEST_ID);
}

/** Whether it is one shared document that is asked for, or the money in such documents, which is under their keys. */
function isOfShared({ params, state }: Context, namings: readonly Naming[], shared: Shared): boolean {
  if (namings.includes('key')) return shared.collection(String(params['collection'] ?? ''));
  const currency = firstQuery(state.exchange, ['currency']) ?? '';
  return shared.collection(currency.slice(0, Math.max(0, currency.lastIndexOf('.'))));
}

/** What logic of the game composes says whom it is about by names of its own: rather too many are read there than too few. */
const COMPOSED: ReadonlySet<string> = new Set(['Endpoints', 'Tests']);

function namedByAnswer({ route, namings }: Page, ctx: Context, { status }: Answer, body: Json, shared: Shared): readonly string[] {
  const { query, held = '' } = ctx.params;
  if (isOfShared(ctx, namings, shared)) return actorsIn(body);
  const hasPlayers = !(typeof query === 'string' && shared.query(query));
  const own = COMPOSED.has(route.tag) ? 'any' : ownAnswer(route, status);
  return playersIn(body, { held: String(held), hasPlayers, shared }, own);
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

/**
 * Whom an answer names, in the order of the answer. `own`: members that are the platform's; what a document holds under such a name may be
 * anything, also personal, or there to hide whose it is.
 */
function playersIn(value: Json, reading: Reading, own: Own | 'any'): readonly string[] {
  if (own === null) return [];
  const ownBelow = (name: string) => (own === 'any' ? own : (own.members.get(name) ?? null));
  if (isArray(value)) return value.flatMap((each) => playersIn(each, reading, itemsOf(own)));
  if (!isObject(value)) return [];
  const { held, hasPlayers, shared } = reading;
  const { key, collection } = value;
  const isOfNobody = typeof collection === 'string' && shared.collection(collection);
  const isAbout = (value['is'] === 'player' || value['is'] === 'guest') && namesPlayer(value, held);
  const isRow = typeof value['rank'] === 'number' || 'queryId' in value;
  // A change of a document, or a row of a query.
  const isKeyed = typeof key === 'string' && ((isArray(value['changes']) && !isOfNobody) || (isRow && hasPlayers));
  const named = Object.entries(value).flatMap(([name, member]) => {
    const isOwn = own === 'any' || own.members.has(name);
    // A ledger names the first part of the key, whosever the document is.
    if (NAMES.has(name)) return isOwn && typeof member === 'string' && !(isOfNobody && name === 'player') ? [member] : [];
    if (name !== 'players' || !isOwn || !isArray(member)) return playersIn(member, reading, ownBelow(name));
    return member.flatMap((each) => (typeof each === 'string' ? [each] : playersIn(each, reading, itemsOf(ownBelow(name)))));
  });
  return [...(isAbout ? [held] : []), ...(isKeyed ? [playerOfKey(String(key))] : []), ...named];
}

function itemsOf(own: Own | 'any'): Own | 'any' {
  return own === null || own === 'any' ? own : (own.items ?? null);
}

/** Whether commits of an id that may be a player's name that player: the first part of a shared document's key is none. */
function namesPlayer({ commits }: JsonObject, player: string): boolean {
  return listOf(commits ?? []).some((commit) => {
    const { players, counts } = objectOf(commit);
    return counts !== undefined || listOf(players ?? []).includes(player);
  });
}
