import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { stringifyJson } from '../../kernel/json.ts';
import type { DefinitionChange, DefinitionKind, DomainEvent, PublishTarget } from '../events.ts';
import type { DefinitionItem, DefinitionsState } from '../states.ts';
import { layerHash } from './evolve.ts';
import { hashText } from './hash.ts';
import { plainWords } from './wording.ts';

/** From a change set to its events: the texts the log does not hold yet, then the publish that refers to them. */

/** What a management decider gives when it does not refuse; the answer as the contract describes it. No events: nothing changes. */
export interface Decision<Answer = JsonObject> {
  readonly events: readonly DomainEvent[];
  readonly answer: Answer;
}

/** A definition to put into a layer. */
export interface Put {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly hash: string;
  readonly text: string;
}

/** Code units per part: at most 3 bytes of UTF-8 each, so a part never exceeds 256 KiB. */
const PART_LENGTH = Math.floor((256 * 1024) / 3);

export function putOf(kind: DefinitionKind, id: string, value: Json): Put {
  const text = stringifyJson(value);
  return { kind, id, hash: hashText(text), text };
}

/** What a target holds under an id: the staged copy first, then the live one. */
export function current(state: DefinitionsState, target: PublishTarget, kind: DefinitionKind, id: string): DefinitionItem | undefined {
  return (target === 'next' ? state.next[kind].get(id) : undefined) ?? state.live[kind].get(id);
}

/** Whether a target holds a definition already, in just this form. */
export function isHeld(state: DefinitionsState, target: PublishTarget, { kind, id, hash }: Put): boolean {
  return current(state, target, kind, id)?.hash === hash;
}

/**
 * The listing of workflows shows each as it was pushed last, so a push of what the target holds already counts where the listing would
 * answer it with the other target's: an editor takes that for a failed push, and a pull writes the other text over the author's file.
 */
function isOvertaken(state: DefinitionsState, target: PublishTarget, { kind, id }: Put): boolean {
  const [live, staged] = [state.live[kind].get(id), state.next[kind].get(id)];
  if (kind !== 'workflow' || live === undefined || staged === undefined || live.hash === staged.hash) return false;
  return lastPushed(live, staged) !== (target === 'live' ? live : staged);
}

/** Of the two forms of a definition. */
export function lastPushed(live: DefinitionItem, staged: DefinitionItem): DefinitionItem {
  return staged.updatedAt < live.updatedAt ? live : staged;
}

/**
 * The events that put and delete; nothing for puts that change nothing and that no listing hides, and no event at all when nothing is
 * left.
 */
export function publishEvents(
  state: DefinitionsState,
  target: PublishTarget,
  puts: readonly Put[],
  deletes: readonly DefinitionChange[] = [],
): DomainEvent[] {
  const changed = puts.filter((put) => !isHeld(state, target, put) || isOvertaken(state, target, put));
  const changes = [...changed.map(changeOf), ...deletes];
  if (changes.length === 0) return [];
  const hash = layerHash(state[target], changes);
  return [...sourceEvents(state, changed), { type: 'definitions.published', data: { target, changes, hash } }];
}

export function changeOf({ kind, id, hash }: Put): DefinitionChange {
  return { kind, id, hash };
}

/** `source.stored` for every text that the project does not hold, in parts; those parts that it holds are left out. */
export function sourceEvents(state: DefinitionsState, puts: readonly Put[]): DomainEvent[] {
  const texts = new Map(puts.filter((put) => !state.sources.has(put.hash)).map((put) => [put.hash, put.text]));
  return [...texts].flatMap(([hash, text]) =>
    partsOf(text).flatMap((piece, part, all): DomainEvent[] => {
      const held = state.partial.get(hash);
      if (held?.length === all.length && held[part] === piece) return [];
      return [{ type: 'source.stored', data: { hash, part, parts: all.length, text: piece } }];
    }),
  );
}

function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const cut = from + PART_LENGTH;
    const to = splitsPair(text, cut) ? cut - 1 : cut;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** Half a surrogate pair has no UTF-8 form, and would not survive the log. */
function splitsPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff;
}

/** What every answer of a push says beside its own. */
type Answered<Own> = Own & { readonly ok: true; readonly publishTarget?: 'next' };

export function answered<Own extends object>(own: Own, target: PublishTarget = 'live'): Answered<Own> {
  return { ok: true, ...own, ...(target === 'next' ? { publishTarget: target } : {}) };
}

/** The answer to a write, which names where definitions are kept, as the published service's does (management 5.1). */
export function written<Own extends object>(own: Own, target: PublishTarget = 'live'): Answered<Own & { readonly source: string }> {
  return answered({ ...ABOUT_STORE, ...own }, target);
}

export const ABOUT_STORE = { source: 'store' };

/** A refusal of a push, in words that do not mislead the editor. */
export function refusePush(code: 'VALIDATION_FAILED' | 'SOURCE_COMPILE_FAILED', message: string, body: JsonObject): Refusal {
  return refusal(code, plainWords(message), { body });
}
