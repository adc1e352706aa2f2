import type { Publishes } from '../../../contract/answers.ts';
import { type Json, stringifyJson, tryParseJson } from '../../../kernel/json.ts';
import type { DefinitionChange, ProjectEvent, PublishTarget } from '../../events.ts';
import type { DefinitionsState } from '../../states.ts';
import { type FieldDifferences, storedDifference } from './difference.ts';

/** What a publish changed, field by field, as the history of publishes shows it. All of it is bounded, because it is kept for ever. */

/** The difference of one change of a publish. Without `fields`: an addition, a removal, or too large to be compared. */
export type PublishDifference = Pick<Publishes['publishes'][number]['changes'][number], 'action' | 'fields' | 'more'>;

/** An event that changes definitions. */
export type PublishEvent = Extract<
  ProjectEvent,
  { readonly type: 'definitions.published' | 'definitions.promoted' | 'definitions.rolledBack' }
>;

/** Most fields of a publish that are kept, and most characters of all of them. */
const MAX_FIELDS = 30;
const MAX_TEXT = 8_000;
/** Most characters of a value. Of a longer one the beginning is kept, as text. */
const MAX_VALUE = 100;
/** Most characters of the definitions that are compared for one publish. */
const MAX_COMPARED = 1_000_000;

export function isPublish(event: ProjectEvent): event is PublishEvent {
  return event.type === 'definitions.published' || event.type === 'definitions.promoted' || event.type === 'definitions.rolledBack';
}

/** The target whose definitions a publish changed. */
export function targetOf(event: PublishEvent): PublishTarget {
  return event.type === 'definitions.published' ? event.data.target : 'live';
}

/** A difference for each change of the event, in their order. `before`: the definitions that it met. */
export function publishDifferences(before: DefinitionsState, event: PublishEvent): readonly PublishDifference[] {
  const target = targetOf(event);
  const room = { fields: MAX_FIELDS, text: MAX_TEXT, compared: MAX_COMPARED };
  return event.data.changes.map((change) => differenceOf(before, target, change, room));
}

/** What may still be kept and compared of a publish. */
interface Room {
  fields: number;
  text: number;
  compared: number;
}

function differenceOf(state: DefinitionsState, target: PublishTarget, { kind, id, hash }: DefinitionChange, room: Room): PublishDifference {
  if (hash === null) return { action: 'delete' };
  const met = (target === 'next' ? state.next[kind].get(id) : undefined) ?? state.live[kind].get(id);
  const after = state.sources.get(hash) ?? '';
  if (met === undefined) return { action: 'add' };
  room.compared -= met.text.length + after.length;
  if (room.compared < 0) return { action: 'change' };
  const { fields, more = 0 } = storedDifference(kind, jsonOf(met.text), jsonOf(after), MAX_VALUE);
  const kept = fields.filter((field) => isWithin(room, field));
  const left = fields.length - kept.length + more;
  return { action: 'change', fields: kept, ...(left === 0 ? {} : { more: left }) };
}

function isWithin(room: Room, field: FieldDifferences['fields'][number]): boolean {
  room.fields -= 1;
  room.text -= stringifyJson(field).length;
  return room.fields >= 0 && room.text >= 0;
}

function jsonOf(text: string): Json {
  return tryParseJson(text) ?? null;
}
