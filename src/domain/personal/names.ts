import type { Own } from '../../contract/own.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import type { PersonalPath } from '../model.ts';

/**
 * Whether a document, or operations on one, name a personal field: by a path, or by a member at any depth. Whether such a change is
 * refused, or changes anything, tells what the field holds. `own`: members that are the platform's name none.
 */
export function namesPersonal(wanted: Json, paths: readonly PersonalPath[], own: Own = null): boolean {
  const names = new Set(paths.map((path) => path.findLast((part) => part !== '*') ?? '*'));
  return paths.length > 0 && namesOneOf(wanted, names, own);
}

function namesOneOf(value: Json, names: ReadonlySet<string>, own: Own): boolean {
  if (isArray(value)) return value.some((each) => namesOneOf(each, names, own?.items ?? null));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    // A path of an operation, or a text of that name: rather too much is taken for a path than too little.
    const parts = name === 'path' && typeof member === 'string' ? member.split('.') : [];
    const isOwn = own?.members.has(name) === true;
    const said = isOwn ? parts : [name, ...parts];
    return (names.has('*') && !isOwn) || said.some((part) => names.has(part)) || namesOneOf(member, names, own?.members.get(name) ?? null);
  });
}
