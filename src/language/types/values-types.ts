import type { GameValuesModel } from '../../domain/model.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { typeOfItems, typeOfJson } from './json-type.ts';
import { BOOLEAN, isNever, list, memberType, NUMBER, type ObjectType, object, STRING, type Type } from './type.ts';

/** Game values: the names are fixed until the next publish, the values are whatever a designer makes of them. */
export interface ValuesTypes {
  /** As templates see them: groups and tables by id. */
  readonly seen: ObjectType;
  /** What games read: groups of constants by id. */
  readonly constants: ObjectType;
  /** The rows of each table that games read. */
  readonly tables: ObjectType;
}

export function valuesTypes({ values, full, shared }: GameValuesModel): ValuesTypes {
  const tables = rowTypes(full);
  const seen = Object.entries(values).map(
    ([id, value]) => [id, isArray(value) ? list(memberType(tables, id)) : typeOfJson(value)] as const,
  );
  return { seen: object(seen), constants: object(membersOf(shared, 'constants')), tables: rowTypes(shared) };
}

function membersOf(answer: JsonObject, name: string): readonly (readonly [string, Type])[] {
  const value = answer[name];
  return isObject(value) ? Object.entries(value).map(([id, each]) => [id, typeOfJson(each)]) : [];
}

function rowTypes(answer: JsonObject): ObjectType {
  const tables = isObject(answer['tables']) ? answer['tables'] : {};
  return object(Object.entries(tables).map(([id, table]) => [id, rowType(isObject(table) ? table : {})]));
}

/** What the rows are; of a table without any, what its columns say. */
function rowType({ columns, rows }: JsonObject): Type {
  const found = typeOfItems(isArray(rows) ? rows : []);
  if (!isNever(found)) return found;
  const named = (isArray(columns) ? columns : []).filter((column) => isObject(column));
  return object(named.map(({ key, type }) => [String(key), cellType(type)]));
}

function cellType(type: Json | undefined): Type {
  return type === 'number' ? NUMBER : type === 'boolean' ? BOOLEAN : STRING;
}
