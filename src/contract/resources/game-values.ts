import { z } from 'zod';
import { alsoNamed, anyText, json, map, needed, optional, text, type Written } from './member.ts';

/** Game values: groups of named entries, and tables of rows. Templates read them as `values`, and games read them. */

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
export const columnType = z.enum(['string', 'number', 'boolean']);

const about = {
  name: optional(anyText, 'What people call it.'),
  description: optional(anyText, 'For people.'),
  notes: optional(json, 'For people.'),
};

export const entry = z.looseObject({ key: optional(text, 'Its name.'), value: needed(json, 'Its value.') });

const entries = z.union([map, z.array(entry)]);

export const column = z.looseObject({
  key: optional(text, 'Its name in the rows.'),
  type: optional(columnType, 'What its cells are. Without it, what all of them are.'),
  min: optional(z.number(), 'The least number in it.'),
  max: optional(z.number(), 'The greatest number in it.'),
});

const columns = z.union([z.array(z.union([text, column])), z.record(z.string(), columnType)]);
const rows = z.array(z.union([map, z.array(json)]));

export const group = z
  .looseObject({
    id: needed(id, 'Under which templates find it: `{{values.shop.sword}}`.'),
    type: needed(z.literal('group'), 'Named entries.'),
    ...about,
    entries: optional(entries, 'Name → value.'),
    values: optional(entries, 'The same as `entries`.'),
  })
  .meta({ id: 'Group', description: 'Named entries.' });

export const table = z
  .looseObject({
    id: needed(id, 'Under which steps find it: `source: values, table: prices`.'),
    type: needed(z.literal('table'), 'Rows under columns.'),
    ...about,
    columns: needed(columns, 'The columns, in order.'),
    rows: needed(rows, 'Objects by column, or lists in the order of the columns.'),
  })
  .meta({ id: 'Table', description: 'Rows under columns.' });

const item = z.discriminatedUnion('type', [group, table]);

const valuesDocument = z.looseObject({ items: needed(z.array(item).min(1), 'Groups and tables.') });

const olderValues = z.strictObject({
  groups: optional(z.union([map, z.array(map)]), 'An older form.'),
  tables: optional(z.union([map, z.array(map)]), 'An older form.'),
});

/** The document as its author wrote it, in any of its forms. */
export type WrittenValues = Written<typeof valuesDocument> & Written<typeof olderValues>;

export const gameValues = z
  .union([valuesDocument, z.array(item).min(1), olderValues])
  .meta({ id: 'GameValues', description: 'All game values of a project, replaced whole.' });

/** Constants of a collection: a list, or a map by id, which may also contain the entries directly. */
export const constants = z.union([
  z.array(
    z.looseObject({
      id: optional(id, 'Its name.'),
      ...about,
      entries: optional(entries, 'Name → value.'),
      values: optional(entries, 'The same as `entries`.'),
    }),
  ),
  map,
]);

export const tables = z.union([
  z.array(
    z.looseObject({
      id: optional(id, 'Its name.'),
      ...about,
      columns: needed(columns, 'The columns, in order.'),
      rows: needed(rows, 'The rows.'),
    }),
  ),
  z.record(
    z.string(),
    z.union([z.looseObject({ columns: needed(columns, 'The columns, in order.'), rows: needed(rows, 'The rows.') }), rows]),
  ),
]);

alsoNamed.add(group, { pattern: '^_' });
