import type { App } from '../app/app.ts';
import { BASES } from '../contract/families.ts';
import { type Naming, namingsOf, PLAYER_QUERIES } from '../contract/looking.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes/index.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic } from '../domain/live/topic.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { isArray, isObject, type Json, parseJson } from '../kernel/json.ts';
import type { Answer } from './answer.ts';
import { claimOf } from './credentials.ts';
import { type Context, type Exchange, firstQuery, queryOf } from './exchange.ts';

/** Records whose data a person is shown, before the answer leaves. Requests of keys pass by. */

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

/** More players than this are many: an answer that names them is about none of them. */
const MANY = 50;

/** Resolves once it is recorded whom the answer shows. Throws 503 LOOK_NOT_RECORDED: nothing is shown then. */
export async function recordLook(app: Pick<App, 'looks'>, ctx: Context, answer: Answer): Promise<void> {
  const { exchange } = ctx.state;
  const { person: signedIn } = exchange;
  const page = PAGES.get(exchange.route);
  if (page === undefined || !signedIn) return;
  const players = playersShown(page, ctx, answer);
  if (players.length === 0 || players.length > MANY) return;
  try {
    const person = exchange.caller?.key.keyId ?? (await signedIn()).id;
    await app.looks.record({
      projectId: exchange.caller?.projectId ?? String(ctx.params['project']),
      person,
      page: page.route.id,
      players,
    });
  } catch (error) {
    answer.stream?.destroy();
    throw error;
  }
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
