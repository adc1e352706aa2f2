import type { response } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { echoName } from '../response.ts';
import type { Names } from './names.ts';
import { objectType, typeOfDeep, typeOfTemplate } from './templates.ts';
import { isNever, laidOver, NEVER, nullForMissing, partsOf, type Type, union } from './type.ts';

/** The type of `response` at the end of the steps. */
export function responseType(names: Names, json: Json | undefined): Type {
  const { body, echo }: Written<typeof response> = isObject(json) ? json : {};
  const echoed = isArray(echo) ? echo.filter((text) => typeof text === 'string') : null;
  const base = typeOfDeep(names, body ?? (echoed === null ? { ok: true } : {}));
  if (echoed === null || isNever(base)) return nullForMissing(base);
  const added = objectType(echoed.map((text) => [echoName(text), typeOfTemplate(names, text)]));
  return union(...partsOf(base).map((part) => withEchoes(part, added)));
}

/** Adds the echoes to an object's members. They replace any other value. */
function withEchoes(part: Type, added: Type): Type {
  if (added.kind !== 'object') return NEVER;
  if (part.kind === 'unknown') return { ...added, open: true };
  return part.kind === 'object' ? laidOver(part, added) : added;
}
