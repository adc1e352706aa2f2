import { z } from 'zod';
import { alsoNamed, json, NOTES, needed, number, optional, text } from './member.ts';
import { PART_SYNONYMS, sameAs } from './synonyms.ts';

/** Conditions: of steps, of operations, of rows. */

const OPERATORS = [
  ...(['==', '!=', '>', '>=', '<', '<=', 'contains', 'not_contains', 'in', 'not_in', 'starts_with', 'not_starts_with'] as const),
  ...(['exists', 'not_exists', 'is_not_null', 'is_null', 'matches'] as const),
] as const;

const inner: z.ZodType = z.lazy(() => condition);

/** Members of a single condition. A condition step may also contain them directly. */
export const CLAUSE_SHAPE = {
  field: optional(json, 'A path, such as `hero.gold`, or a template.'),
  left: sameAs(PART_SYNONYMS.clause, 'left', json),
  op: optional(text, `How they are compared: ${OPERATORS.join(', ')}.`),
  operator: sameAs(PART_SYNONYMS.clause, 'operator', text),
  value: optional(json, 'What it is compared with; may be a template.'),
  right: sameAs(PART_SYNONYMS.clause, 'right', json),
  expression: optional(z.union([text, number]), 'A whole comparison, `{{a}} >= 2`; beside a field, arithmetic in the place of `value`.'),
  all: optional(z.array(inner).min(1), 'Every one of these holds.'),
  any: optional(z.array(inner).min(1), 'One of these holds.'),
};

export const clause = z
  .strictObject(CLAUSE_SHAPE)
  .meta({ id: 'Clause', description: '`{field, op, value}`, `{expression}`, `{all}` or `{any}`.' });
alsoNamed.add(clause, { pattern: NOTES });

export const condition = z
  .union([clause, z.boolean(), z.string().regex(/\{\{/)])
  .meta({ id: 'Condition', description: 'A condition; true or false; or a template.' });

/** One case of a `switch`. */
export const switchCase = z
  .strictObject({
    when: needed(condition, 'Whether this case is taken.'),
    // biome-ignore lint/suspicious/noThenProperty: `then` is a member of the endpoint language
    then: optional(json, 'What the step gives then.'),
    value: sameAs(PART_SYNONYMS.case, 'value', json),
  })
  .meta({ id: 'Case', description: 'A case of a switch.' });
alsoNamed.add(switchCase, { pattern: NOTES });
