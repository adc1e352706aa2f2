import { z } from 'zod';
import { anyText, flag, json, needed, number, numberThat, optional, text } from './member.ts';

/** A field of a collection's schema, and the schema itself. */

export const fieldType = z.enum([
  ...(['string', 'number', 'integer', 'boolean', 'object', 'array', 'player', 'playerSave', 'datetime', 'any', 'null'] as const),
]);

const bound = (description: string) => optional(number, description, { code: 'INVALID_FIELD_BOUND', expected: 'a number' });
const growth = (window: string) =>
  optional(numberThat(z.number().positive()), `The most that the number may grow in ${window}, for each player.`, {
    code: 'INVALID_RATE_FIELD',
    expected: 'a number above 0',
  });

const anyField: z.ZodType = z
  .lazy(() => z.union([fieldType, field]))
  .meta({ id: 'FieldOrType', description: 'A field, or its type alone.' });

export const field = z
  .strictObject({
    type: optional(fieldType, 'Type of its values.', { default: 'any' }),
    description: optional(anyText, 'For people.'),
    title: optional(anyText, 'For people.'),
    default: optional(json, 'What a document without it reads as.'),
    enum: optional(z.array(json).min(1), 'The values that it may have.', { code: 'INVALID_ENUM', expected: 'a list of values' }),
    required: optional(
      z.union([z.boolean(), z.array(text)]),
      'Whether a document must have it; of an object, the names of those that it must have.',
    ),
    properties: optional(z.record(z.string(), anyField), 'Fields of an object.'),
    items: optional(anyField, 'What the items of a list are.'),
    additionalProperties: optional(z.union([z.boolean(), anyField]), 'Other members of an object: any, none, or fields of this kind.', {
      default: true,
    }),
    _ledger: optional(flag, 'Every change of the number is an entry of the ledger.', {
      default: false,
      code: 'INVALID_FIELD_FLAG',
      expected: 'true or false',
    }),
    _currency: optional(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
      'Of a number with `_ledger`: what it is an amount of. Fields with one name are one currency in the economy, over collections and global documents.',
      { code: 'INVALID_CURRENCY', expected: 'a name: a letter, then letters, digits, - and _, 64 at most' },
    ),
    _unique: optional(
      z.union([flag, z.literal('caseless')]),
      'No two documents of the collection hold the same value; `caseless`: letter case does not count.',
      {
        default: false,
        code: 'INVALID_FIELD_FLAG',
        expected: 'true, false or caseless',
      },
    ),
    _personal: optional(
      flag,
      'A value of a person: people see it masked in the console until they say why they look. What games read stays as it is.',
      {
        default: false,
        code: 'INVALID_FIELD_FLAG',
        expected: 'true or false',
      },
    ),
    min: bound('The least number.'),
    max: bound('The largest number.'),
    minimum: bound('The same as `min`.'),
    maximum: bound('The same as `max`.'),
    minLength: bound('The fewest characters of a text.'),
    maxLength: bound('The most characters of a text.'),
    minItems: bound('The fewest items of a list.'),
    maxItems: bound('The most items of a list.'),
    _maxPerMin: growth('a minute'),
    _maxPerHour: growth('an hour'),
    _maxPerDay: growth('a day'),
    _maxPerWeek: growth('a week'),
    _maxPerYear: growth('a year'),
  })
  .meta({ id: 'Field', description: 'A field of a schema.' });

/** Lower and upper bounds, by the names of their members. */
export const BOUND_PAIRS = [
  ['min', 'max'],
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;

/** Settings that limit the growth of a number. */
export const GROWTH_SETTINGS = ['_maxPerMin', '_maxPerHour', '_maxPerDay', '_maxPerWeek', '_maxPerYear'] as const;

/** A map of fields, or `{type: object, properties, required}`. */
export const documentSchema = z
  .union([
    z.strictObject({ ...field.shape, properties: needed(z.record(z.string(), anyField), 'The fields.') }),
    z.record(z.string(), anyField),
  ])
  .meta({ id: 'Schema', description: 'Fields by name, or `{type: object, properties, required}`.' });
