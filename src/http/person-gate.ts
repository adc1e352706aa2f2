import type { App } from '../app/app.ts';
import { askingOf, choosingIn, namesFields, takesReason, tellsOfPlayers } from '../contract/looking.ts';
import { ownIn } from '../contract/own.ts';
import type { Route } from '../contract/route.ts';
import { missingReveal } from '../domain/access/refusals.ts';
import { playerOfKey } from '../domain/document/key.ts';
import { readTopic } from '../domain/live/topic.ts';
import type { Personal } from '../domain/personal/fields.ts';
import { holdsMask, MASK } from '../domain/personal/mask.ts';
import { namesPersonal } from '../domain/personal/names.ts';
import { inputOfPayload } from '../domain/security/call-body.ts';
import { sealedIn } from '../domain/security/envelope.ts';
import { isReservedQuery } from '../domain/security/reserved-queries.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import { isArray, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts';
import { objectOf, stringOf } from '../kernel/json-read.ts';
import type { Answer } from './answer.ts';
import { invalidBody } from './body.ts';
import { authenticate } from './credentials.ts';
import type { Serve } from './dispatch.ts';
import { type Context, type Exchange, firstQuery, projectIn, queryOf, queryText } from './exchange.ts';
import { refusedToPerson, shownToPerson } from './looks.ts';
import { known, MANY, namedByRequest, type Page, pageOf } from './players-named.ts';
import { reasonIn, reasonOf, requireReveal } from './reveal.ts';

/**
 * What every request of a person passes, whatever its route: before it does anything, who asks for what tells of a personal field says why,
 * and is recorded with it. Whether a change of one is refused, or a guess finds anything, tells what stands there. Games, servers and keys
 * pass by.
 */

type Looking = Pick<App, 'looks' | 'authenticate'>;

/** A route as it is served to keys and to people. No route is served otherwise. */
export function gated(app: Looking, route: Route, handle: Serve): Serve {
  const page = pageOf(route);
  return (ctx) => (ctx.state.exchange.person === null ? handle(ctx) : serve(app, ctx, page, handle));
}

async function serve(app: Looking, ctx: Context, page: Page, handle: Serve): Promise<Answer> {
  const { exchange } = ctx.state;
  await requireReveal(exchange, projectIn(ctx));
  if (tellsOfPlayers(page.route)) {
    await passed(app, ctx, page, undefined);
    exchange.gate = (body) => passed(app, ctx, page, body);
  } else if (takesReason(page.route)) await recordPublisher(app, ctx, page);
  const began = performance.now();
  let answer: Answer;
  try {
    answer = await handle(ctx);
    if (performance.now() - began > LONG_MS) await requireStill(app, ctx, page, answer);
  } catch (error) {
    throw await refusedToPerson(app, ctx, page, error);
  }
  return shownToPerson(app, ctx, page, answer);
}

/** An answer that took longer is shown to whoever is signed in behind it, and still may see it, ms. */
const LONG_MS = 1_000;

/** Throws 401 SIGNED_OUT and 403 FORBIDDEN. What was done is answered as done, and a stream asks for itself. */
async function requireStill(app: Looking, ctx: Context, { route }: Page, { stream }: Answer): Promise<void> {
  const { keys, writes = false } = route;
  if (writes || stream !== undefined || keys === null) return;
  await requireReveal(ctx.state.exchange, projectIn(ctx));
  await authenticate(app, ctx, { ...route, keys });
}

/**
 * Resolves once whoever asks may be told what comes of it, and is recorded if that tells of personal values. `body`: `undefined` while it
 * is not read. Throws 400 INVALID_BODY for a mask that is sent back, 403 REVEAL_NEEDED and FORBIDDEN, 503 LOOK_NOT_RECORDED.
 */
async function passed(app: Looking, ctx: Context, page: Page, body: Json | undefined): Promise<void> {
  if (body !== undefined && holdsMask(body)) throw invalidBody(`${MASK} stands for a value that was not shown; leave it out`);
  const project = projectIn(ctx);
  const personal = await app.looks.personalIn(project);
  const need = personal === null ? null : needOf(ctx, page, personal, body);
  if (need === null) return;
  const { exchange } = ctx.state;
  const person = (await exchange.person?.()) ?? null;
  const permissions = person?.permissionsIn(project);
  // Whoever has no role there is not told what is personal: the route refuses.
  if (person === null || permissions === undefined) return;
  const reason = reasonOf(exchange) ?? statedReason(page, exchange, body);
  const refused = missingReveal(permissions);
  if (reason === undefined) throw refused === null ? need : refusal('REVEAL_NEEDED', `${need.message}. ${NO_REVEAL}`);
  if (refused !== null) throw refused;
  const asked = await playersAsked(app, ctx, page, body);
  await app.looks.record({
    projectId: project,
    person: person.id,
    page: page.route.id,
    reason,
    ...(asked.length > MANY ? { players: [], many: asked.length } : { players: asked }),
  });
}

const NO_REVEAL = 'Your role sees no personal values, so it needs a person whose role does, such as an owner';

/** Who publishes for a reason is told how stored documents fit, whatever personal fields they hold: those of many. */
async function recordPublisher(app: Looking, ctx: Context, { route }: Page): Promise<void> {
  const { exchange } = ctx.state;
  const reason = reasonOf(exchange);
  const person = reason === undefined ? null : await exchange.person?.();
  if (person) await app.looks.record({ projectId: projectIn(ctx), person: person.id, page: route.id, players: [], reason });
}

/** The refusal of a request that gives no reason, where it takes one; `null`: it tells of no personal field. */
function needOf(ctx: Context, { route }: Page, personal: Personal, body: Json | undefined): Refusal | null {
  const { query } = ctx.params;
  if (body === undefined && typeof query === 'string' && personal.isShownBy(query)) return refusal('REVEAL_NEEDED');
  if (askingOf(route) === 'run') return runs(ctx, route, personal, body);
  if (body === undefined)
    return isAskedFor(ctx.state.exchange, route, personal, stringOf(ctx.params['collection'])) ? refusal('REVEAL_NEEDED') : null;
  // A grant to whom a leaderboard shows tells who they are.
  const whom = stringOf(objectOf(body)['query']);
  if (whom !== undefined && personal.isShownBy(whom)) return refusal('REVEAL_NEEDED');
  const own = route.body === undefined ? null : ownIn(route.body.schema);
  return namesFields(route) && namesPersonal(body, personal.in(collectionOf(ctx, body)), own) ? becoming() : null;
}

function becoming(): Refusal {
  return refusal('REVEAL_NEEDED', 'What a personal field would become tells what it is: it takes a reason in the header x-ns-reveal');
}

/** Parameters that name a field. */
const NAMING: ReadonlySet<string> = new Set(['by', 'field']);
/** What is no field there: key and time of a document, and all fields of a ledger. */
const NO_FIELD: ReadonlySet<string> = new Set(['', '_key', '_time', 'all']);

/**
 * Whether a parameter names a personal field: rows that are chosen or ordered by it tell of it, and so do sums of it. `collection`: that of
 * the path; `undefined`: it names none.
 */
export function isAskedFor(exchange: Exchange, route: Route, personal: Personal, collection: string | undefined): boolean {
  const choosing = choosingIn(route);
  const isFieldOf = (where: string | undefined, name: string, text: string) =>
    where !== undefined && NAMING.has(name) && !NO_FIELD.has(text) && personal.isOpen(where);
  if (choosing !== null)
    return choosing.some((name) => {
      const text = firstQuery(exchange, memberSpellings(name)) ?? '';
      return personal.isNamedIn(text) || isFieldOf(collection, name, text);
    });
  const where = collection ?? firstQuery(exchange, memberSpellings('collection')) ?? undefined;
  return Object.entries(queryOf(exchange)).some(([name, value]) => {
    const texts = [value ?? ''].flat();
    if (name === 'currency' && texts.some((text) => personal.isCurrency(text))) return true;
    if (texts.some((text) => isFieldOf(where, name, text))) return true;
    const topics = name === 'topic' ? texts.map(readTopic) : [];
    if (topics.some(({ of, options }) => isFieldOf(of, 'field', options.get('field') ?? ''))) return true;
    const named = [...texts, ...topics.flatMap(({ options }) => [...options.values()])];
    return [...(name.includes('.') ? [name] : []), ...named].some((text) => personal.isNamedIn(text));
  });
}

/** The same of logic that runs: it compares its input with what is stored, and how it ends tells of both. */
function runs(ctx: Context, { method }: Route, personal: Personal, body: Json | undefined): Refusal | null {
  const sent = body === undefined ? (method === 'GET' ? inputInQuery(ctx.state.exchange) : {}) : objectOf(body);
  // A name may be sent as a text: logic reads the field that its input names.
  const asked = Object.fromEntries(Object.entries(sent).filter(([name]) => !SAID_BESIDE.has(name)));
  if (personal.isNamedIn(stringifyJson(asked))) return becoming();
  const slug = slugIn(ctx, sent);
  if (!personal.isHandledBy(slug) || !sendsInput(ctx, sent)) return null;
  return refusal(
    'REVEAL_NEEDED',
    `The endpoint ${JSON.stringify(slug)} handles personal values: how it ends with this input tells of them, so it takes a reason in the header x-ns-reveal`,
  );
}

/** Members that say which endpoint it is, and why. */
const SAID_BESIDE: ReadonlySet<string> = new Set(['slug', 'endpoint', '_endpointSlug', 'testId', 'reason', 'ticket']);

function inputInQuery(exchange: Exchange): JsonObject {
  const members = Object.entries(queryOf(exchange)).filter(([name]) => !isReservedQuery(name));
  return Object.fromEntries(members.map(([name, value]) => [name, [value ?? ''].flat()[0] ?? '']));
}

/** The endpoint that a path or a body names. */
function slugIn({ params }: Context, sent: JsonObject): string {
  const named = [params['slug'], sent['endpoint'], sent['slug'], sent['_endpointSlug']];
  return named.map((name) => stringOf(name)?.trim() ?? '').find((name) => name !== '') ?? '';
}

function sendsInput({ state }: Context, sent: JsonObject): boolean {
  const isEmpty = (value: Json | undefined) => Object.keys(objectOf(value ?? null)).length === 0;
  // What is sealed is not known before it is opened.
  if (state.exchange.family !== 'manage') return sealedIn(sent) !== null || !isEmpty(inputOfPayload(sent));
  // A test compares what is answered with the body that it expects; how it ended is told anyway.
  return !isEmpty(sent['input']) || !isEmpty(sent['seed']) || Object.hasOwn(objectOf(sent['expect'] ?? null), 'body');
}

/** Whose documents are asked about; `null`: of any collection. */
function collectionOf({ params }: Context, body: Json): string | null {
  return stringOf(params['collection']) ?? stringOf(objectOf(body)['collection']) ?? null;
}

/** Why it is done, as the body of an act of support says; a look says it in the header alone. */
function statedReason({ route }: Page, exchange: Exchange, body: Json | undefined): string | undefined {
  const { reason, dryRun } = objectOf(body ?? null);
  const isAct =
    route.family === 'manage' && route.writes === true && dryRun !== true && (queryText(exchange, 'dryRun') ?? 'false') === 'false';
  return isAct ? reasonIn(reason) : undefined;
}

/** Whom a request names, in its address or in its body. */
async function playersAsked(app: Looking, ctx: Context, { route, namings }: Page, body: Json | undefined): Promise<readonly string[]> {
  const shared = await app.looks.sharedIn(projectIn(ctx));
  const { key } = ctx.params;
  const collection = collectionOf(ctx, body ?? null);
  const isOfPlayer = typeof key === 'string' && collection !== null && !shared.collection(collection);
  const sent = objectOf(body ?? null);
  const listed = isArray(sent['players']) ? sent['players'] : [];
  const named = ['player', ...memberSpellings('platformId')].map((name) => sent[name]);
  return known([
    ...namings.flatMap((naming) => namedByRequest(naming, route, ctx, shared)),
    ...(isOfPlayer ? [playerOfKey(key)] : []),
    ...named.flatMap((player) => stringOf(player) ?? []),
    ...listed.flatMap((player) => (typeof player === 'string' ? [playerOfKey(player)] : [])),
  ]);
}
