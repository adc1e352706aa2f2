import { z } from 'zod';
import { alsoNamed, anyText, json, map, optional, type Shape, text, unsuggested, type Written } from './member.ts';

/** A member that editors add to what they push, and that no author writes. */
function byTools(description: string, schema: z.ZodType = json) {
  const member = optional(schema, description);
  unsuggested.add(member, {});
  return member;
}

/** Members that every definition may have beside those of its kind. */
export const DEFINITION_SHAPE = {
  sourceVersion: optional(z.union([z.literal(1), z.literal('1')]), 'Version of the layout of source files.'),
  kind: optional(text, 'What the definition is of.'),
  resourceKind: byTools('The same as `kind`.', text),
  id: optional(z.union([text, z.number()]), 'Names the definition: 1 to 128 letters, digits, `_` or `-`; of an endpoint also `.`.'),
  slug: optional(z.union([text, z.number()]), 'Under which an endpoint is called. Its id when left out.'),
  name: optional(z.union([text, z.number()]), 'Its name. Its id when left out.'),
  description: optional(anyText, 'For people.'),
  notes: optional(json, 'For people.'),
  imports: optional(z.array(text), 'Ids of the libraries of which blocks are called.'),
  metadata: optional(json, 'For tools.'),
  definition: optional(map, 'The definition itself, in a file that wraps it.'),
  resource: optional(map, 'The definition itself, in a file that wraps it.'),
  authoringMode: byTools('Written by tools.'),
  sourceFormat: byTools('Written by tools: `yaml` or `json`.'),
  sourcePath: byTools('Written by tools: the file.'),
  sourceText: byTools('Written by tools: the text of the file.'),
  createdAt: byTools('Written by tools.'),
  updatedAt: byTools('Written by tools.'),
  version: byTools('Written by tools.'),
  versionHash: byTools('Written by tools.'),
  revisionTarget: byTools('Written by tools.'),
  hasStaged: byTools('Written by tools.'),
  diagnostics: byTools('Written by tools.'),
  dependencies: byTools('Written by tools.'),
};

/** An element of a push: a definition of any kind, or a source file with its text. */
export type Item = Written<{ readonly shape: typeof DEFINITION_SHAPE }>;

/** Members that compilers of editors add to what they push. */
export const COMPILED = '[Hh][Aa][Ss][Hh]$|^compiler';

/** A definition of one kind: the common members, then its own. */
export function definition<S extends Shape>(id: string, description: string, shape: S) {
  const schema = z.strictObject({ ...DEFINITION_SHAPE, ...shape }).meta({ id, description });
  alsoNamed.add(schema, { pattern: COMPILED });
  return schema;
}

/** A source file: the definition after its head, or within `definition`, `resource` or a member of the kind's name, as tools write it. */
export function sourceFile<S extends Shape>(kind: string, schema: z.ZodObject<S>, description: string) {
  const wrapped = z.strictObject(schema.shape).partial().meta({ id: 'Definition', description: 'The definition itself.' });
  alsoNamed.add(wrapped, { pattern: COMPILED });
  const wrapper = optional(wrapped, 'The definition itself.');
  const file = z
    .strictObject({
      ...schema.shape,
      kind: optional(z.literal(kind), 'What the file is of.'),
      definition: wrapper,
      resource: wrapper,
      [kind]: wrapper,
    })
    .partial()
    .meta({ title: `Savepoint: ${kind}`, description });
  alsoNamed.add(file, { pattern: COMPILED });
  return file;
}
