import type * as contract from '../../contract/answers.ts';
import { DEFINITION_KINDS } from '../../contract/events/project.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { type Entry, entriesOf, findByName } from '../../domain/definition/model/overlay.ts';
import { writtenValue } from '../../domain/definition/model/values.ts';
import { differenceOf, type FieldDifferences, storedDifference } from '../../domain/definition/release/difference.ts';
import type { DefinitionName, DefinitionStep } from '../../domain/definition/release/steps.ts';
import { type DefinitionKind, type PublishTarget, SINGLE_ID } from '../../domain/events.ts';
import { isListed, type ListedKind, nameMember } from '../../domain/kinds.ts';
import { scopesOf } from '../../domain/project/permissions.ts';
import { keptWhy } from '../../domain/said.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { type Json, jsonEquals } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type ChangesQuery, type Labels, labelsOf, lastOfPage, toldOf } from './changes.ts';
import { Texts } from './definition-texts.ts';
import { type AnswerOfPast, type HistoryContext, ofMoment, type PastProject, pastDefinitions } from './moments.ts';
import { holderOf, type ValueHolder } from './uses.ts';

/** What is asked of: a definition by its id, slug or name. */
interface Asked extends DefinitionName {
  readonly target: PublishTarget;
}

/** A group or table of game values by its id. */
interface AskedValue {
  readonly id: string;
  /** Which collection holds it; `null`: whichever does at that moment, else the document of game values. */
  readonly collection: string | null;
  readonly target: PublishTarget;
}

/** A moment of a target. `at` `null`: now. */
interface AskedMoment {
  readonly target: PublishTarget;
  readonly at: string | null;
}

type History = ManageAnswer<contract.DefinitionHistory> & AnswerOfPast;
type Comparison = ManageAnswer<contract.DefinitionComparison>;
type ComparisonOfAll = ManageAnswer<contract.DefinitionsComparison>;

/**
 * What happened to definitions and game values, for secret keys that may read what was and the definitions of that kind. All throw as
 * `momentOf` and the reads of {@link Past} do, and 404 for what there never was in the target.
 */
export interface DefinitionHistory {
  /** Publishes that changed a definition, newest first. */
  changes(caller: Caller, asked: Asked, query: ChangesQuery): Promise<History>;
  /** `to` `null`: now. */
  compare(caller: Caller, asked: Asked, from: string, to: string | null): Promise<Comparison>;
  /** All that a game is made of, at two moments, of which each may be of another target. */
  compareAll(caller: Caller, from: AskedMoment, to: AskedMoment): Promise<ComparisonOfAll>;
  /** Publishes that changed a group or table of game values, newest first. */
  valueChanges(caller: Caller, asked: AskedValue, query: ChangesQuery): Promise<History>;
  compareValue(caller: Caller, asked: AskedValue, from: string, to: string | null): Promise<Comparison>;
}

/** Publishes of one definition that a page looks at, and how many are read at once. */
const LOOKED_AT = 400;
const STEPS = 50;
/** Characters of the texts that one page compares. */
const MAX_COMPARED = 4_000_000;

export function createDefinitionHistory(context: HistoryContext): DefinitionHistory {
  const readAt = (caller: Caller, kinds: readonly DefinitionKind[], target: PublishTarget, at: string | null, name?: string) =>
    pastDefinitions(context, caller, kinds, target, at, name);

  const compared = (one: Side, other: Side, difference: FieldsOf): Comparison => {
    const { fields, more, opens } = difference(one.value ?? {}, other.value ?? {});
    const rest = { ...(more === undefined ? {} : { more }), ...(opens === undefined ? {} : { opens }) };
    const result = { ok: true as const, from: one.side, to: other.side, fields, ...rest };
    return { position: other.side.revision, stale: false, result };
  };

  return {
    async changes(caller, { target, ...asked }, query) {
      const read = await readAt(caller, [asked.kind], target, query.at);
      const name = { kind: asked.kind, id: idIn(read.access.state, target, asked) };
      const page = await pageOf(context, read, {
        name,
        target,
        query,
        difference: differenceIn(name.kind),
        look: (value) => value,
        isFiltered: false,
      });
      if (page.changes.length === 0 && query.before === null) throw neverWas(name, read);
      return answered(read, page);
    },

    async compare(caller, { target, ...asked }, from, to) {
      const [one, other] = [await readAt(caller, [asked.kind], target, from, 'from'), await readAt(caller, [asked.kind], target, to, 'to')];
      const id = idIn(other.access.state, target, { ...asked, id: idIn(one.access.state, target, asked) });
      const [before, after] = [entryIn(one, target, { ...asked, id }), entryIn(other, target, { ...asked, id })];
      if (before === undefined && after === undefined) throw neverWas({ ...asked, id }, other);
      const difference = differenceIn(asked.kind);
      return context.roundRobin.run(other.project.id, () => compared(sideOf(one, before), sideOf(other, after), difference));
    },

    async compareAll(caller, from, to) {
      const one = await readAt(caller, GAME_KINDS, from.target, from.at, 'from');
      const other = await readAt(caller, GAME_KINDS, to.target, to.at, 'to');
      const changes: contract.DefinitionsComparison['changes'][number][] = [];
      let compared = 0;
      for (const kind of GAME_KINDS) {
        const [before, after] = [one, other].map(
          ({ access: { state, target } }) => new Map(entriesOf(state, target, kind).map((each) => [each.id, each])),
        );
        for (const id of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
          const [was, is] = [before?.get(id), after?.get(id)];
          if (was?.hash === is?.hash) continue;
          compared += lengthOf(was) + lengthOf(is);
          const isShown = was !== undefined && is !== undefined && compared <= MAX_COMPARED;
          const difference = () => (isShown ? storedDifference(kind, was.value, is.value) : {});
          const action = was === undefined ? 'add' : is === undefined ? 'delete' : 'change';
          changes.push({ kind, id, action, ...(await context.roundRobin.run(other.project.id, difference)) });
        }
      }
      const [since, until] = [ofMoment(one.moment).at, ofMoment(other.moment).at];
      return { position: until.revision, stale: false, result: { ok: true, from: since, to: until, changes } };
    },

    async valueChanges(caller, { target, ...asked }, query) {
      const read = await readAt(caller, ['game-values'], target, query.at);
      const holder = holderIn(read, asked);
      requirePermissions(read.access.key, scopesOf(holder.kind), 'r');
      const look = (value: Json) => writtenValue(holder.kind, value, asked.id);
      const page = await pageOf(context, read, { name: holder, target, query, difference: differenceOfValues, look, isFiltered: true });
      if (page.changes.length === 0 && page.before === null && query.before === null) throw noValue(asked.id, read);
      return answered(read, { ...page, ...(holder.kind === 'collection' ? { collection: holder.id } : {}) });
    },

    async compareValue(caller, { target, ...asked }, from, to) {
      const [one, other] = [
        await readAt(caller, ['game-values'], target, from, 'from'),
        await readAt(caller, ['game-values'], target, to, 'to'),
      ];
      const sides = [one, other].map((read) => {
        const holder = holderIn(read, asked);
        requirePermissions(read.access.key, scopesOf(holder.kind), 'r');
        const entry = entryIn(read, target, holder);
        const value = entry === undefined ? null : writtenValue(holder.kind, entry.value, asked.id);
        return { value, side: { ...ofMoment(read.moment).at, exists: value !== null } };
      });
      const [before, after] = sides;
      if (before === undefined || after === undefined || (before.value === null && after.value === null)) throw noValue(asked.id, other);
      return context.roundRobin.run(other.project.id, () => compared(before, after, differenceOfValues));
    },
  };
}

/** Saved tests are for both targets, and nobody plays them. */
const GAME_KINDS = DEFINITION_KINDS.filter((kind) => kind !== 'tests');

/** Characters of the layers that an entry is made of. */
function lengthOf(entry: Entry | undefined): number {
  return (entry?.live?.text.length ?? 0) + (entry?.staged?.text.length ?? 0);
}

type FieldsOf = (before: Json, after: Json) => FieldDifferences;

interface Side {
  readonly value: Json;
  readonly side: contract.DefinitionComparison['from'];
}

function sideOf({ moment }: PastProject, entry: Entry | undefined): Side {
  return { value: entry?.value ?? null, side: { ...ofMoment(moment).at, exists: entry !== undefined } };
}

function differenceIn(kind: DefinitionKind): FieldsOf {
  return (before, after) => storedDifference(kind, before, after);
}

function differenceOfValues(before: Json, after: Json): FieldDifferences {
  return differenceOf(before, after, () => true);
}

interface Looking {
  readonly name: DefinitionName;
  readonly target: PublishTarget;
  readonly query: ChangesQuery;
  readonly difference: FieldsOf;
  /** The part of the definition that is asked for; `null`: there is none. */
  look(definition: Json): Json;
  /** Whether changes elsewhere in the definition are left out. */
  readonly isFiltered: boolean;
}

type Page = Pick<contract.DefinitionHistory, 'changes' | 'before' | 'collection'>;

/** A page of changes, which ends early once it has compared {@link MAX_COMPARED} characters or looked at {@link LOOKED_AT} publishes. */
async function pageOf(context: HistoryContext, read: PastProject, looking: Looking): Promise<Page> {
  const { past, scheduler, limits, roundRobin } = context;
  const { project, moment } = read;
  const { name, target, query } = looking;
  // Where changes elsewhere are left out, a short page may look at many publishes.
  const most = looking.isFiltered ? STEPS : Math.min(STEPS, query.limit);
  const until = scheduler.monotonic() + limits.commandMs;
  const texts = new Texts(past, project, name);
  const changes: Page['changes'][number][] = [];
  let last = lastOfPage(moment, query.before) + 1;
  for (let looked = 0; ; ) {
    const steps = await past.definitionSteps(project, name, target, last - 1, most);
    const labels = await labelsOf(
      context,
      project,
      steps.map(({ event }) => event),
    );
    for (const [place, step] of steps.entries()) {
      if (scheduler.monotonic() > until) throw refusal('PAST_TIMEOUT');
      const { revision } = step.event;
      const after = await texts.shown(step.after, revision, revision);
      // What a change met was mostly made by the change before it.
      const before = await texts.shown(step.before, revision, steps[place + 1]?.event.revision ?? revision);
      const change = await roundRobin.run(project.id, () => changeOf(step, before, after, looking, read.caller, labels));
      if (change !== null) changes.push(change);
      last = step.event.revision;
      looked += 1;
      if (changes.length === query.limit || looked === LOOKED_AT || texts.length > MAX_COMPARED) return { changes, before: last };
    }
    if (steps.length < most) return { changes, before: null };
  }
}

const ACTIONS = { 'definitions.published': 'publish', 'definitions.promoted': 'promote', 'definitions.rolledBack': 'rollback' } as const;

/** `null`: the part that is asked for stayed the same. */
function changeOf(
  { event }: DefinitionStep,
  before: Json,
  after: Json,
  { look, difference, isFiltered }: Looking,
  caller: Caller,
  labels: Labels,
): Page['changes'][number] | null {
  const told = { ...toldOf(event, caller, labels), action: ACTIONS[event.type], ...reasonOf(event) };
  const [own, other] = [look(before), look(after)];
  const isSame = jsonEquals(own, other);
  if (isFiltered && isSame) return null;
  const { fields, more, opens } = difference(own ?? {}, other ?? {});
  const change = isSame ? 'none' : own === null ? 'add' : other === null ? 'delete' : 'change';
  return { ...told, change, fields, ...(more === undefined ? {} : { more }), ...(opens === undefined ? {} : { opens }) };
}

function reasonOf({ type, data }: DefinitionStep['event']) {
  return {
    ...keptWhy(data),
    ...(type === 'definitions.rolledBack' ? { restored: data.to } : {}),
  };
}

function answered({ moment }: PastProject, page: Page): History {
  const answer = ofMoment(moment);
  return { ...answer, result: { ok: true, ...page, at: answer.at } };
}

/** The id of a definition that is named by it, or by its slug or name. What a target does not have any more is known by its id alone. */
function idIn(state: DefinitionsState, target: PublishTarget, { kind, id }: DefinitionName): string {
  const layers = target === 'next' ? [state.next, state.live] : [state.live];
  if (!isListed(kind) || layers.some((layer) => layer[kind].has(id))) return id;
  return layers.map((layer) => findByName(layer, kind, id)?.id).find((found) => found !== undefined) ?? id;
}

function entryIn({ access }: PastProject, target: PublishTarget, { kind, id }: DefinitionName): Entry | undefined {
  return entriesOf(access.state, target, kind).find((entry) => entry.id === id);
}

/** Where a value is defined: in a collection, else in the document of game values. */
function holderIn({ access: { state, target } }: PastProject, { id, collection }: Pick<AskedValue, 'id' | 'collection'>): ValueHolder {
  if (collection !== null) return { kind: 'collection', id: idIn(state, target, { kind: 'collection', id: collection }) };
  return holderOf(effectiveDefinitions(state, target), id);
}

function neverWas({ kind, id }: DefinitionName, { moment, access: { state, target } }: PastProject): Error {
  const what = id === SINGLE_ID ? kind : `${kind} ${JSON.stringify(id)}`;
  const meant = isListed(kind) ? didYouMean(id, namesOf(state, target, kind)) : undefined;
  const otherwise = meant ?? 'A removed one is found by its id';
  return notFound('definition', `No ${what} was in ${target} up to revision ${moment.revision}. ${otherwise}`);
}

/** Ids, slugs and names. */
function namesOf(state: DefinitionsState, target: PublishTarget, kind: ListedKind): readonly string[] {
  return entriesOf(state, target, kind).flatMap(({ id, value }) => [id, stringOf(objectOf(value)[nameMember(kind)]) ?? id]);
}

function noValue(id: string, { moment, access: { state, target } }: PastProject): Error {
  const meant = didYouMean(id, Object.keys(effectiveDefinitions(state, target).values.values));
  const otherwise = meant ?? 'One that a collection held before is found with `collection`';
  return notFound('definition', `No game value ${JSON.stringify(id)} was in ${target} up to revision ${moment.revision}. ${otherwise}`);
}
