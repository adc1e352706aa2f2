import { z } from 'zod';
import { alsoNamed, unsuggested } from './member.ts';

/** A schema as JSON Schema (draft 2020-12) of what an author may write. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const also = alsoNamed.get(zodSchema as z.core.$ZodType);
      if (also !== undefined) jsonSchema.patternProperties = { [also.pattern]: {} };
      // The keyword that the language servers of YAML and JSON read.
      if (unsuggested.has(zodSchema as z.core.$ZodType)) jsonSchema['doNotSuggest'] = true;
    },
  }) as Record<string, unknown>;
}
