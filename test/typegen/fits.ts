import { ExactNumber, isArray, isObject, type Json } from '../../src/kernel/json.ts';
import { memberType, type ObjectType, partsOf, type Type } from '../../src/language/types/type.ts';

/** Whether a value is what its type says: the other side of the generator, to hold real answers against it. */

/** Where the value is not what the type says; `null`: nowhere. */
export function misfit(type: Type, value: Json | undefined, path = '$'): string | null {
  const wrong = partsOf(type).map((part) => misfitPart(part, value, path));
  if (wrong.includes(null)) return null;
  return wrong[0] ?? `${path}: nothing can come here`;
}

function misfitPart(part: Type, value: Json | undefined, path: string): string | null {
  switch (part.kind) {
    case 'unknown':
      return null;
    case 'missing':
      return value === undefined ? null : `${path}: is there`;
    case 'null':
      return value === null ? null : `${path}: is not null`;
    case 'literal':
      return value === part.value ? null : `${path}: ${JSON.stringify(value)} is not ${JSON.stringify(part.value)}`;
    case 'number':
      return typeof value === 'number' || value instanceof ExactNumber ? null : `${path}: ${JSON.stringify(value)} is no number`;
    case 'list': {
      if (value === undefined || !isArray(value)) return `${path}: ${JSON.stringify(value)} is no list`;
      return value.map((item, at) => misfit(part.item, item, `${path}[${at}]`)).find((wrong) => wrong !== null) ?? null;
    }
    case 'object':
      return value !== undefined && isObject(value) ? misfitMembers(part, value, path) : `${path}: ${JSON.stringify(value)} is no object`;
    default:
      return typeof value === part.kind ? null : `${path}: ${JSON.stringify(value)} is no ${part.kind}`;
  }
}

/** A document may have members that its schema does not tell of: they are no part of its type. */
function misfitMembers(type: ObjectType, value: Readonly<Record<string, Json>>, path: string): string | null {
  const names = new Set([...type.members.keys(), ...(type.name === undefined ? Object.keys(value) : [])]);
  return [...names].map((name) => misfit(memberType(type, name), value[name], `${path}.${name}`)).find((wrong) => wrong !== null) ?? null;
}
