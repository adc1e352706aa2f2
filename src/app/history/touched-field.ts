import { isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import type { ProjectEvent } from '../../domain/events.ts';
import { type Json, jsonEquals } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { Commit } from '../past/commits.ts';
import type { ChangedFields } from './changed-fields.ts';

/** Whether commits changed a field, dotted, of whatever document. `player` `null`: of anybody's. */

/** Whether an event may have changed it: one that replaced a document may have changed anything there. */
export function mayTouchField(event: ProjectEvent, field: string, player: string | null): boolean {
  if (!isOwn(event, player)) return false;
  return event.type !== 'document.written' || event.data.changes === undefined || event.data.changes.some(([path]) => meets(path, field));
}

/** Whether a commit did, as far as what it changed is told. What is not known may have been changed. */
export function touchesField(commit: Commit, field: string, changed: ChangedFields): boolean {
  return commit.events.some((event) => {
    if (!isDocumentEvent(event)) return false;
    const { space, collection } = event.data;
    const differences = changed(commit, { space, collection, key: keyOf(event) });
    if (differences === undefined) return false;
    if (differences === null) return mayTouchField(event, field, null);
    return differences.some(({ path, from, to }) => {
      if (!field.startsWith(`${path}.`)) return meets(path, field);
      const within = field.slice(path.length + 1);
      return !isSame(inside(from, within), inside(to, within));
    });
  });
}

function isOwn(event: ProjectEvent, player: string | null): event is Extract<ProjectEvent, Parameters<typeof keyOf>[0]> {
  return isDocumentEvent(event) && (player === null || playerOfKey(keyOf(event)) === player);
}

/** Whether one is the other, or lies in it. */
function meets(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}

function inside(value: Json | undefined, path: string): Json | undefined {
  return value === undefined ? undefined : getPath(value, path);
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : jsonEquals(one, other);
}
