import { type Refusal, refusal } from '../../../kernel/errors.ts';
import { hashText } from '../../../kernel/hash.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { stringifyJson } from '../../../kernel/json.ts';
import type { DefinitionChange, DefinitionKind, DomainEvent, PublishTarget } from '../../events.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { layerHash } from '../model/evolve.ts';
import { plainWords } from '../source/wording.ts';

/** Makes the events of a change set: texts that the log does not hold yet, then the publish that refers to them. */

/** Result of a management decider that does not refuse: events, and the answer as the contract describes it. No events: nothing changes. */
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

/** UTF-16 units per part. Each takes at most 3 bytes of UTF-8, so a part never exceeds 256 KiB. */
const PART_LENGTH = Math.floor((256 * 1024) / 3);

export function putOf(kind: DefinitionKind, id: string, value: Json): Put {
  const text = stringifyJson(value);
  return { kind, id, hash: hashText(text), text };
}

/** What a target holds under an id: the staged definition, else the live one. */
export function current(state: DefinitionsState, target: PublishTarget, kind: DefinitionKind, id: string): DefinitionItem | undefined {
  return (target === 'next' ? state.next[kind].get(id) : undefined) ?? state.live[kind].get(id);
}

/** Whether a target already holds the definition in exactly this form. */
export function isStored(state: DefinitionsState, target: PublishTarget, { kind, id, hash }: Put): boolean {
  return current(state, target, kind, id)?.hash === hash;
}

/**
 * Whether the listing shows the other target's form of a workflow, because that was pushed later. Then a push of what the target already
 * holds must count as a push: else the listing would not show it, an editor would take the push for failed, and a pull would overwrite the
 * author's file.
 */
function isSuperseded(state: DefinitionsState, target: PublishTarget, { kind, id }: Put): boolean {
  const [live, staged] = [state.live[kind].get(id), state.next[kind].get(id)];
  if (kind !== 'workflow' || live === undefined || staged === undefined || live.hash === staged.hash) return false;
  return lastPushed(live, staged) !== (target === 'live' ? live : staged);
}

/** The newer of a definition's two forms. */
export function lastPushed(live: DefinitionItem, staged: DefinitionItem): DefinitionItem {
  return staged.updatedAt < live.updatedAt ? live : staged;
}

/** The events for puts and deletes. Puts that change nothing are left out, unless the listing needs them. No events if nothing is left. */
export function publishEvents(
  state: DefinitionsState,
  target: PublishTarget,
  puts: readonly Put[],
  deletes: readonly DefinitionChange[] = [],
): DomainEvent[] {
  const changed = puts.filter((put) => !isStored(state, target, put) || isSuperseded(state, target, put));
  const changes = [...changed.map(changeOf), ...deletes];
  if (changes.length === 0) return [];
  const hash = layerHash(state[target], changes);
  return [...sourceEvents(state, changed), { type: 'definitions.published', data: { target, changes, hash } }];
}

export function changeOf({ kind, id, hash }: Put): DefinitionChange {
  return { kind, id, hash };
}

/** `source.stored` events for texts that the project does not hold, in parts. Parts that it holds are left out. */
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

/** Whether a cut would split a surrogate pair. Half a pair has no UTF-8 form, so the log could not store it. */
function splitsPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff;
}

/** Members that every answer to a push has. */
type Answered<Own> = Own & { readonly ok: true; readonly publishTarget?: 'next' };

export function answered<Own extends object>(own: Own, target: PublishTarget = 'live'): Answered<Own> {
  return { ok: true, ...own, ...(target === 'next' ? { publishTarget: target } : {}) };
}

/** The answer to a write. It says where definitions are stored, as existing tools expect. */
export function written<Own extends object>(own: Own, target: PublishTarget = 'live'): Answered<Own & { readonly source: string }> {
  return answered({ ...ABOUT_STORE, ...own }, target);
}

export const ABOUT_STORE = { source: 'store' };

/** A refusal of a push, in words that do not mislead the editor. */
export function refusePush(code: 'VALIDATION_FAILED' | 'SOURCE_COMPILE_FAILED', message: string, body: JsonObject): Refusal {
  return refusal(code, plainWords(message), { body });
}
