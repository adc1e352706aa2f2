import { ANY_FIELD } from '../document/schema.ts';
import type { FieldModel, PersonalPath, SchemaModel } from '../model.ts';

/** Schemas that stored documents are compared with for whoever is shown no personal values: whether one fits tells what it holds. */

/** The schema with anything allowed where personal values stand: of its own fields, and of those that others call personal. */
export function withoutPersonal(schema: SchemaModel, others: readonly PersonalPath[]): SchemaModel {
  const paths = [...schema.personal, ...others];
  if (schema.root === null || paths.length === 0) return schema;
  const isOpen = (path: readonly string[]) =>
    paths.some((personal) => personal.every((part, index) => index < path.length && (part === '*' || part === path[index])));
  return {
    ...schema,
    root: paths.reduce(opened, schema.root),
    unique: schema.unique.filter(({ path }) => !isOpen(path.split('.'))),
  };
}

/** What stands around a personal value must not be named whole: such a list of values would be one of guesses. */
function opened(field: FieldModel, [first, ...rest]: PersonalPath): FieldModel {
  if (first === undefined) return ANY_FIELD;
  const around: FieldModel = { ...field, enum: undefined };
  const { items, additional, properties } = field;
  const below = (child: FieldModel) => opened(child, rest);
  if (first === '*')
    return {
      ...around,
      items: items && below(items),
      additional: typeof additional === 'object' ? below(additional) : additional,
      properties: properties && new Map([...properties].map(([name, child]) => [name, below(child)])),
    };
  const named = properties?.get(first) ?? (typeof additional === 'object' ? additional : ANY_FIELD);
  const needed = rest.length === 0 ? field.needed.filter((name) => name !== first) : field.needed;
  return { ...around, needed, properties: new Map([...(properties ?? []), [first, below(named)]]) };
}
