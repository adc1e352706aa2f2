import type * as contract from '../../contract/answers.ts';
import { EVERYTHING_READ, EXPLAINING_KEYS, STAGED_READ } from '../../contract/credentials.ts';
import { PLAYERS_LOGS } from '../../contract/routes/logs.ts';
import { isOnlyAnswered } from '../../contract/told-as-one.ts';
import { mayReadPublish } from '../../domain/access/past.ts';
import { missingPermission } from '../../domain/access/refusals.ts';
import { type IdKind, idKindsIn, playersIn } from '../../domain/commit/named.ts';
import { type IsShared, summaryOf, targetChanged } from '../../domain/commit/summary.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { isShared } from '../../domain/definition/model/shared.ts';
import { isDocumentEvent } from '../../domain/document/evolve.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import type { DefinitionKind, PublishTarget } from '../../domain/events.ts';
import { isGuestId } from '../../domain/guest/token.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { allows, scopesOf } from '../../domain/project/permissions.ts';
import { keptWhy } from '../../domain/said.ts';
import type { AccessKey } from '../../domain/states.ts';
import { idSubject, playerSubject } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { accessAt, hasNeed, requireNeed } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import { calledOf } from '../called.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import { labelOf } from '../people/people.ts';
import type { PublishRow } from '../ports/publishes.ts';
import type { Project } from '../project/project.ts';
import { changedFields } from './changed-fields.ts';
import { DOCUMENTS_TOLD, HISTORY_SCOPE, isForTicket, lookUp } from './commits.ts';
import { type Links, linksFor, toCallsOf, toCommits, toGuest, toHistory, toPublish } from './links.ts';
import { type NamedSo, namedSo } from './named.ts';
import { shownCommits } from './shown-commit.ts';
import { type UseInForce, usesAt } from './uses.ts';

/**
 * What an id or a name is that somebody holds. Nothing that is known of it is an empty list: the call log may still know a refused
 * request. Throws 400 INVALID_REQUEST for what can be no id.
 */
export type Explain = (caller: Caller, held: string, how: How) => Promise<ManageAnswer<Explanations>>;

interface How {
  /** What is masked for whoever asks; `null`: nothing. */
  readonly hidden: Personal | null;
  /** Whether it is told what players did next. */
  readonly isFollowed: boolean;
}

interface Explanations extends NamedSo {
  /** Whose requests of the call log whoever asks may be told of, beside what the log knows. */
  readonly calls: 'all' | 'ofPlayers' | 'none';
  readonly leftOut: readonly LeftOut[];
  /** What players whom the commits name are called, by id. */
  readonly called?: Readonly<Record<string, string>>;
}

type LeftOut = NonNullable<contract.Explained['leftOut']>[number];

type Meaning = contract.Explained['meanings'][number];
type Call = NonNullable<Meaning['call']>;

/** Commits that are shown of each meaning. */
const SHOWN = 5;
/** Commits that followed which are shown, players whose are looked for, and revisions of each that are looked at. */
const FOLLOWED = 10;
const FOLLOWED_PLAYERS = 5;
const FOLLOWED_REVISIONS = 40;
const MAX_ID = 256;
const MAX_DEFINITION = 32_768;
const PUBLISHES = 50;
const PUBLISH_PAGES = 4;
/** Explanations that run at a time over all projects, of which one may have half, and those of one project that may wait. */
const SLOTS = 4;
const MAX_WAITING = 32;

const SAYS: Readonly<Record<IdKind, string>> = {
  ticket: 'A ticket of the support desk: what was done for it',
  event: 'An event of the log, as ledgers and flags name it',
  request: 'A request that changed something',
  session: 'A session of a player',
  saveRecord: 'A save record of a player',
  record: 'A record of a global collection',
  sealedRequest: 'The id of a sealed request, used up by its call',
  idempotencyKey: 'An Idempotency-Key that was used',
  grant: 'A grant: what support gave to many players',
};

/** Where more of it is told. */
function linksOf(kind: IdKind, id: string): Links {
  if (kind === 'ticket') return { commits: toCommits({ ticket: id }) };
  return kind === 'request' ? { calls: toCallsOf({ requestId: id }) } : {};
}

const UNCHANGING = 'A request that changed nothing: it was a look, or was refused';

function changedNothing({ events }: Commit): boolean {
  return isOnlyAnswered({ events: events.map(({ type }) => type) });
}

export function createExplain(context: AppContext, past: Past): Explain {
  const timeout = { ms: context.limits.commandMs, scheduler: context.scheduler };
  const explanations = new Bulkhead({ slots: SLOTS, queue: MAX_WAITING, timeout });
  return async (caller, held, { hidden, isFollowed }) => {
    const project = await projectOf(context, caller);
    const { key } = accessAt(project, caller, 'live');
    requireNeed(key, EXPLAINING_KEYS.needs);
    const readsHistory = HISTORY_SCOPE.every((scope) => allows(key, scope, 'r'));
    if (held.length > MAX_ID || held.includes('\0'))
      throw refusal('INVALID_REQUEST', `What is explained has at most ${MAX_ID} characters, and no NUL among them`);
    // What was stored before the request, by whichever node, counts.
    await project.refresh();
    const reached = await viewsReached(context, project, 'publishes', project.set.head);
    const explained = async (): Promise<Explanations> => {
      // No id holds a slash, but for that of a ticket: it is part of the address of a document, or of a name.
      const mayBeId = !held.includes('/');
      const explanation = new Explanation(context, past, { project, key, held, isFollowed });
      const ofLog = readsHistory ? await explanation.meanings(mayBeId) : [];
      const found = await namedSo(context, { project, caller, held, hidden });
      const meanings = joined(ofLog, found.meanings);
      const told = meanings.flatMap(({ commits, followed = [] }) => [...commits, ...followed]);
      const named = told.flatMap(({ actor, players }) => [actor.player, ...players]);
      const called = await calledOf(context, project.id, key, named);
      const calls = readsHistory ? callsFor(key) : 'none';
      const mayBeRefused = readsHistory && (meanings.length === 0 || meanings.some(({ is }) => CALLED.has(is)));
      const refused = calls === 'none' && mayBeRefused ? leftOut(key, 'calls', PLAYERS_SCOPE) : [];
      // Whoever finds nothing is told that the log was not asked.
      const unasked = readsHistory || meanings.length > 0 ? [] : leftOut(key, 'log', HISTORY_SCOPE);
      return { ...found, ...called, meanings, calls, leftOut: [...explanation.leftOut, ...refused, ...unasked] };
    };
    const result = await explanations.run(project.id, explained, { onReject: busy });
    return { ...positioned(context, project, caller, reached), result };
  };
}

/** What a request may have made that the call log knows. */
const CALLED: ReadonlySet<Meaning['is']> = new Set(['revision', 'publish', 'event', 'request']);
/** What opens the requests of players. */
const PLAYERS_SCOPE = ['players'];

/** As the call log tells whoever asks it: of all requests, or of those of a player. */
function callsFor(key: AccessKey): Explanations['calls'] {
  if (hasNeed(key, EVERYTHING_READ.needs)) return 'all';
  return hasNeed(key, PLAYERS_LOGS.keys.needs) ? 'ofPlayers' : 'none';
}

function leftOut(key: AccessKey, part: LeftOut['part'], scopes: readonly string[]): readonly LeftOut[] {
  const missing = missingPermission(key, scopes, 'r');
  return missing === null ? [] : [{ part, why: missing.message }];
}

interface Asked extends Pick<How, 'isFollowed'> {
  readonly project: Project;
  /** Of whoever asks, who may see what was. */
  readonly key: AccessKey;
  readonly held: string;
}

class Explanation {
  readonly #context: AppContext;
  readonly #past: Past;
  readonly #project: Project;
  readonly #key: AccessKey;
  readonly #held: string;
  readonly #isFollowed: boolean;
  readonly #leftOut = new Map<string, LeftOut>();

  constructor(context: AppContext, past: Past, { project, key, held, isFollowed }: Asked) {
    this.#context = context;
    this.#past = past;
    this.#project = project;
    this.#key = key;
    this.#held = held;
    this.#isFollowed = isFollowed;
  }

  /** What whoever asks may not be told of the meanings, each once. */
  get leftOut(): readonly LeftOut[] {
    return [...this.#leftOut.values()];
  }

  /** Whether all of these may be read; otherwise it is said that the part is left out. */
  #mayTell(part: LeftOut['part'], scopes: readonly string[]): boolean {
    const missing = leftOut(this.#key, part, scopes);
    for (const each of missing) this.#leftOut.set(`${part} ${each.why}`, each);
    return missing.length === 0;
  }

  /** `mayBeId`: not that of a ticket alone. */
  async meanings(mayBeId: boolean): Promise<readonly Meaning[]> {
    if (!mayBeId) return this.#asId();
    return [...(await this.#asRevision()), ...(await this.#asId()), ...this.#asKey(), ...(await this.#asPlayer())];
  }

  async #asRevision(): Promise<readonly Meaning[]> {
    const revision = /^\d{1,15}$/.test(this.#held) ? Number(this.#held) : null;
    if (revision === null || revision > this.#project.set.head) return [];
    const commit = await this.#past.commitAt(this.#project, revision);
    if (commit === null) return [];
    const [publish] = await this.#publishesBefore(commit.last + 1, 1);
    const own = publish !== undefined && publish.revision >= commit.first ? publish : null;
    if (own === null) return [await this.#meaning('revision', 'The number of this commit, or of an event in it', [commit], false)];
    const text = `A publish: ${own.action} to ${own.target}`;
    const meaning = await this.#meaning('publish', text, [commit], false, { publishes: toPublish(own.revision) });
    const shown = this.#shownPublish(own);
    return [{ ...meaning, ...(shown === null ? {} : { publish: shown }) }];
  }

  async #asId(): Promise<readonly Meaning[]> {
    // `.1` names the first entry of a posting.
    const id = this.#held.replace(/^([0-9a-f-]{36})\.\d+$/, '$1');
    const kindsIn = (commit: Commit) =>
      [...idKindsIn(commit.events, id)].filter((kind) => kind !== 'ticket' || isForTicket(commit, id, this.#key));
    const fits = (commit: Commit) => kindsIn(commit).length > 0;
    const { commits, searched } = await this.#lookUp(idSubject(id), fits);
    const byKind = new Map<IdKind, Commit[]>();
    for (const commit of commits) {
      for (const kind of kindsIn(commit)) byKind.set(kind, [...(byKind.get(kind) ?? []), commit]);
    }
    const meanings: Meaning[] = [];
    for (const [kind, found] of byKind) {
      const links = linksOf(kind, id);
      const said = kind === 'request' && found.every(changedNothing) ? UNCHANGING : SAYS[kind];
      meanings.push(await this.#meaning(kind, said, found, searched > 0 && commits.length > SHOWN, links));
    }
    return meanings;
  }

  #asKey(): readonly Meaning[] {
    const key = this.#project.authority?.keys.get(this.#held);
    if (key === undefined) return [];
    const made = `${JSON.stringify(key.label)}, ${key.enabled ? 'enabled' : 'disabled'}, made ${new Date(key.createdAt).toISOString()}`;
    const text = this.#mayTell('key', ['settings']) ? `A ${key.kind} key, ${made}` : 'A key of this project';
    return [{ is: 'key', text, commits: [], links: this.#links({ commits: toCommits({ key: this.#held }) }) }];
  }

  async #asPlayer(): Promise<readonly Meaning[]> {
    const { commits: found, searched } = await this.#lookUp(playerSubject(this.#held), () => true);
    // The key of a shared document stands in the index as if it were a player's.
    const commits = found.filter((commit) => namesOneOf(commit, [this.#held], (id) => isShared(this.#project.definitions, id)));
    if (commits.length === 0) return [];
    const player = this.#held;
    const isGuest = isGuestId(player);
    const links = { commits: toCommits({ player }), calls: toCallsOf({ player }), access: isGuest ? toGuest(player) : null };
    const text = isGuest ? 'A guest: a player whom devices prove' : this.#playerSaid(commits);
    return [await this.#meaning(isGuest ? 'guest' : 'player', text, commits, searched > 0 && commits.length > SHOWN, links)];
  }

  /** Whom nobody has called as is known by documents alone, and their keys may be anything. */
  #playerSaid(commits: readonly Commit[]): string {
    const hasActed = commits.some(({ events }) =>
      events.some(
        (event) => event.metadata.actor.player === this.#held || (!isDocumentEvent(event) && playersIn(event).includes(this.#held)),
      ),
    );
    if (hasActed) return 'A player';
    const documents = commits.flatMap(({ events }) => summaryOf(events).documents).filter(({ key }) => playerOfKey(key) === this.#held);
    const [first] = documents;
    if (first === undefined) return 'A player';
    const names = [...new Set(documents.map(({ collection }) => collection))];
    return `A player who made no call in these commits: they changed documents of ${names.join(', ')} under this id. One document is asked for as ${first.collection}/${first.key}`;
  }

  /** One commit more than is shown says whether there are more. */
  #lookUp(subject: string, fits: (commit: Commit) => boolean) {
    const range = { from: 0, to: this.#project.set.head };
    return lookUp(this.#context, this.#past, this.#project, subject, range, fits, SHOWN + 1);
  }

  async #meaning(is: Meaning['is'], text: string, commits: readonly Commit[], more: boolean, links: Links = {}): Promise<Meaning> {
    const shown = await this.#shown(commits.slice(0, SHOWN));
    const [newest] = commits;
    const call = newest === undefined ? null : await this.#callOf(newest);
    const players = shown[0]?.players.slice(0, FOLLOWED_PLAYERS) ?? [];
    const [player] = players;
    const hasNext = newest !== undefined && player !== undefined;
    const followed = hasNext && this.#isFollowed ? await this.#followed(newest.last, players) : [];
    const link = hasNext ? toCommits({ player, from: String(newest.last + 1) }) : null;
    return {
      is,
      text,
      commits: shown,
      ...(more ? { more: true } : {}),
      ...(call === null ? {} : { call }),
      ...(followed.length === 0 ? {} : { followed: [...followed] }),
      links: this.#links({ followed: link, ...links }),
    };
  }

  /** The next commits after a revision that name one of these players, oldest first. */
  async #followed(revision: number, players: readonly string[]): Promise<Meaning['commits']> {
    const { views } = this.#context;
    const page = { after: revision, limit: FOLLOWED_REVISIONS };
    const found = await inTurns(players, (player) => views.revisionsAfter(this.#project.id, playerSubject(player), page));
    const commits: Commit[] = [];
    for (const each of [...new Set(found.flat())].sort((a, b) => a - b)) {
      if (each <= (commits.at(-1)?.last ?? revision)) continue;
      const commit = await this.#past.commitAt(this.#project, each);
      if (commit === null || !namesOneOf(commit, players)) continue;
      commits.push(commit);
      if (commits.length === FOLLOWED) break;
    }
    return (await shownCommits(this.#context, this.#past, this.#project, this.#key, commits.toReversed())).toReversed();
  }

  /** Newest first, with what fields of documents became, for whoever may read those. */
  async #shown(commits: readonly Commit[]): Promise<Meaning['commits']> {
    const isTold = hasNeed(this.#key, DOCUMENTS_TOLD);
    const changed = isTold ? await changedFields(this.#context, this.#past, this.#project, commits, null) : undefined;
    return [...(await shownCommits(this.#context, this.#past, this.#project, this.#key, commits, changed))];
  }

  /** The endpoint that made a commit, as it was defined then. */
  async #callOf({ last, events }: Commit): Promise<Call | null> {
    const endpoint = events.at(-1)?.metadata.actor.endpoint;
    if (endpoint === undefined || !this.#mayTell('call', scopesOf('endpoint'))) return null;
    const target: PublishTarget = targetChanged(events) ?? 'live';
    const found = effectiveDefinitions(await this.#past.definitionsAt(this.#project, last), target).endpoint(endpoint);
    if (found === undefined) return { endpoint, definition: null, publish: null, uses: [] };
    const definition = stringifyJson(found.definition).length > MAX_DEFINITION ? null : found.definition;
    const publish = await this.#publishOf(found.id, target, last);
    const asked = { endpoint: found, target, revision: last, mayTell: (kind: DefinitionKind) => this.#mayTell('uses', scopesOf(kind)) };
    const { uses, left } = await usesAt(this.#context, this.#past, this.#project, asked);
    const shown = await this.#shownUses(uses, last);
    return { endpoint, definition, publish: publish && this.#shownPublish(publish), uses: shown, ...(left === 0 ? {} : { left }) };
  }

  async #shownUses(uses: readonly UseInForce[], last: number): Promise<Call['uses']> {
    const published = new Map<number, PublishRow | undefined>();
    for (const { publish } of uses) {
      if (publish === null || published.has(publish)) continue;
      published.set(
        publish,
        (await this.#publishesBefore(publish + 1, 1)).find(({ revision }) => revision === publish),
      );
    }
    return uses.map((use) => {
      const row = use.publish === null ? undefined : published.get(use.publish);
      const links = this.#links({ history: this.#historyOf(use, last) });
      return { ...use, publish: row === undefined ? null : this.#shownPublish(row), links };
    });
  }

  #historyOf({ kind, id, collection }: UseInForce, last: number): Links[string] {
    const named = kind === 'value' ? 'game-values' : `definitions/${kind}`;
    const holder = collection === undefined ? '' : `&collection=${encodeURIComponent(collection)}`;
    const path = `${named}/${encodeURIComponent(id)}/history?at=${last}${holder}`;
    return toHistory(this.#key, path, kind === 'value' ? scopesOf('game-values') : scopesOf(kind));
  }

  /** The last publish, up to a revision, that changed an endpoint. */
  async #publishOf(endpoint: string, target: PublishTarget, revision: number): Promise<PublishRow | null> {
    let before = revision + 1;
    for (let page = 0; page < PUBLISH_PAGES; page += 1) {
      const rows = await this.#publishesBefore(before, PUBLISHES);
      const found = rows.find(
        (row) =>
          (row.target === 'live' || row.target === target) && row.changes.some(({ kind, id }) => kind === 'endpoint' && id === endpoint),
      );
      if (found !== undefined || rows.length < PUBLISHES) return found ?? null;
      before = rows.at(-1)?.revision ?? 0;
    }
    return null;
  }

  async #publishesBefore(before: number, limit: number): Promise<readonly PublishRow[]> {
    return (await this.#context.views.publishes(this.#project.id, { before, limit })).publishes;
  }

  /** `null`: whoever asks may read no publish, nor any definition that this one changed. */
  #shownPublish({ revision, at, action, target, actor, message, ticket, changes }: PublishRow): NonNullable<Meaning['publish']> | null {
    if (
      !mayReadPublish(
        this.#key,
        changes.map(({ kind }) => kind),
      ) &&
      !this.#mayTell('publish', STAGED_READ.needs.scopes)
    )
      return null;
    const label = labelOf(actor, this.#project.authority, this.#context.people);
    return {
      revision,
      at: new Date(at).toISOString(),
      action,
      target,
      ...(actor.keyId === undefined ? {} : { keyId: actor.keyId }),
      ...(actor.person === undefined ? {} : { person: actor.person }),
      ...(label === undefined ? {} : { label }),
      ...keptWhy({ message, ticket }),
      changes: changes.length,
    };
  }

  #links(links: Links): Readonly<Record<string, string>> {
    return linksFor(this.#project.id, this.#key, links);
  }
}

/** A record is a document of its collection: it is told once, with what the log knows of it. */
function joined(ofLog: readonly Meaning[], named: readonly Meaning[]): readonly Meaning[] {
  const document = named.find((each) => each.is === 'document' && each.named?.field === undefined);
  if (document === undefined || !ofLog.some(({ is }) => is === 'record')) return [...ofLog, ...named];
  const { named: of, links } = document;
  const told = ofLog.map((each) =>
    each.is === 'record' && of !== undefined ? { ...each, named: of, links: { ...each.links, ...links } } : each,
  );
  return [...told, ...named.filter((each) => each !== document)];
}

/** The index may lead to a commit of others. */
function namesOneOf({ events }: Commit, players: readonly string[], shares?: IsShared): boolean {
  return summaryOf(events, shares).players.some((player) => players.includes(player));
}

function busy(): Error {
  return refusal('BUSY', 'Too many explanations of this project wait for each other; try again shortly');
}
