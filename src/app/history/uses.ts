import type * as contract from '../../contract/answers.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { writtenValue } from '../../domain/definition/model/values.ts';
import type { DefinitionName, DefinitionStep } from '../../domain/definition/release/steps.ts';
import { type DefinitionKind, type PublishTarget, SINGLE_ID } from '../../domain/events.ts';
import type { EffectiveDefinitions, EndpointModel } from '../../domain/model.ts';
import { refusal } from '../../kernel/errors.ts';
import { type Json, jsonEquals } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { type Uses, usesOf } from '../../language/uses.ts';
import type { AppContext } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';
import { Texts } from './definition-texts.ts';

/** What an endpoint read at a revision besides documents, each with the publish that it was in force by. */

type Use = NonNullable<contract.Explained['meanings'][number]['call']>['uses'][number];
/** A use, and the revision of its publish; `null`: too far back. */
export type UseInForce = Omit<Use, 'publish' | 'links'> & { readonly publish: number | null };

export type ValueHolder = DefinitionName & { readonly kind: 'collection' | 'game-values' };

/** Values and other definitions that are told of one call. */
const TOLD = 20;
/** Publishes of the definition that holds values which are looked at, how many are read at once, and characters that are compared. */
const LOOKED_AT = 200;
const STEPS = 10;
const MAX_COMPARED = 4_000_000;

/** Which of a target's definitions holds a game value: a collection, else the document of game values. */
export function holderOf({ collections }: Pick<EffectiveDefinitions, 'collections'>, id: string): ValueHolder {
  const found = collections.find(({ definition }) => writtenValue('collection', definition, id) !== null);
  return found === undefined ? { kind: 'game-values', id: SINGLE_ID } : { kind: 'collection', id: found.id };
}

type Context = Pick<AppContext, 'limits' | 'roundRobin' | 'scheduler'>;

interface Called {
  readonly endpoint: EndpointModel;
  readonly target: PublishTarget;
  readonly revision: number;
  /** Whether whoever asks may be told of definitions of a kind. A value is of the definition that holds it, too. */
  mayTell(kind: DefinitionKind): boolean;
}

/** `left`: how many more there are than are told. Throws as the reads of {@link Past} do. */
export async function usesAt(
  context: Context,
  past: Past,
  project: Project,
  { endpoint, target, revision, mayTell }: Called,
): Promise<{ readonly uses: readonly UseInForce[]; readonly left: number }> {
  const definitions = effectiveDefinitions(await past.definitionsAt(project, revision), target);
  const found = await context.roundRobin.run(project.id, () => usesOf(endpoint.definition, definitions));
  const values = found.values.length > 0 && mayTell('game-values') ? found.values : [];
  const others = found.others.filter(({ kind }) => mayTell(kind));
  const told = values.slice(0, TOLD);
  const rest = others.slice(0, TOLD - told.length);
  const until = context.scheduler.monotonic() + context.limits.commandMs;
  const search = { context, past, project, target, revision, until };
  const holders = new Map<string, { readonly holder: ValueHolder; readonly values: Uses['values'][number][] }>();
  for (const value of told) {
    const holder = holderOf(definitions, value.id);
    if (!mayTell(holder.kind)) continue;
    const name = `${holder.kind} ${holder.id}`;
    const same = holders.get(name)?.values ?? [];
    same.push(value);
    holders.set(name, { holder, values: same });
  }
  const uses: UseInForce[] = [];
  for (const { holder, values: held } of holders.values()) uses.push(...(await valuesInForce(search, holder, held)));
  for (const { kind, id } of rest) {
    const { step } = await inForce(search, { kind, id });
    uses.push({ kind, id, publish: step?.event.revision ?? null });
  }
  return { uses, left: values.length + others.length - told.length - rest.length };
}

interface Search {
  readonly context: Context;
  readonly past: Past;
  readonly project: Project;
  readonly target: PublishTarget;
  readonly revision: number;
  /** When it has taken too long, on the scheduler's clock. */
  readonly until: number;
}

interface InForce {
  readonly layer: PublishTarget;
  /** The last one; none: too far back, or there was none. */
  readonly step: DefinitionStep | undefined;
}

/** Where a definition in force comes from, and its last change there: next has what is staged, and else what live has. */
async function inForce({ past, project, target, revision }: Search, name: DefinitionName): Promise<InForce> {
  const [step] = await past.definitionSteps(project, name, target, revision, 1);
  if (target === 'live' || (step !== undefined && step.after.staged !== null)) return { layer: target, step };
  const [live] = await past.definitionSteps(project, name, 'live', revision, 1);
  return { layer: 'live', step: live };
}

/** For each value of one definition the last publish that changed that value: the definition changes with any of its values. */
async function valuesInForce(search: Search, holder: ValueHolder, values: Uses['values']): Promise<readonly UseInForce[]> {
  const layer = search.target === 'live' ? 'live' : (await inForce(search, holder)).layer;
  const found = await lastChanges({ ...search, target: layer }, holder, values);
  // What is staged may leave a value as live has it.
  const rest = layer === 'live' ? [] : values.filter((value) => !found.has(value));
  const older =
    rest.length === 0 ? new Map<Uses['values'][number], number>() : await lastChanges({ ...search, target: 'live' }, holder, rest);
  return values.map((value) => ({
    kind: 'value' as const,
    id: value.id,
    ...(value.entry === null ? {} : { entry: value.entry }),
    ...(holder.kind === 'collection' ? { collection: holder.id } : {}),
    publish: found.get(value) ?? older.get(value) ?? null,
  }));
}

async function lastChanges(
  search: Search,
  holder: ValueHolder,
  values: Uses['values'],
): Promise<ReadonlyMap<Uses['values'][number], number>> {
  const { context, past, project, target, revision, until } = search;
  const { scheduler, roundRobin } = context;
  const texts = new Texts(past, project, holder);
  const found = new Map<Uses['values'][number], number>();
  let last = revision;
  for (let looked = 0; looked < LOOKED_AT && found.size < values.length && texts.length <= MAX_COMPARED; looked += STEPS) {
    const steps = await past.definitionSteps(project, holder, target, last, STEPS);
    for (const [place, step] of steps.entries()) {
      if (found.size === values.length || texts.length > MAX_COMPARED) break;
      if (scheduler.monotonic() > until) throw refusal('PAST_TIMEOUT');
      const [before, after] = await around(texts, step, steps[place + 1]);
      await roundRobin.run(project.id, () => {
        for (const value of values) {
          if (found.has(value) || jsonEquals(partOf(holder, before, value), partOf(holder, after, value))) continue;
          found.set(value, step.event.revision);
        }
      });
    }
    last = (steps.at(-1)?.event.revision ?? 0) - 1;
    if (steps.length < STEPS) break;
  }
  return found;
}

async function around(
  texts: Texts,
  { event, before, after }: DefinitionStep,
  older: DefinitionStep | undefined,
): Promise<readonly [Json, Json]> {
  const { revision } = event;
  const now = await texts.shown(after, revision, revision);
  return [await texts.shown(before, revision, older?.event.revision ?? revision), now];
}

function partOf({ kind }: ValueHolder, definition: Json, { id, entry }: Uses['values'][number]): Json {
  const value = writtenValue(kind, definition, id);
  if (value === null) return null;
  const { entries, rows } = value;
  return entry === null ? (entries ?? rows ?? null) : (member(objectOf(entries), entry) ?? null);
}
