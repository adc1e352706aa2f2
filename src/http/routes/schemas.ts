import { SOURCE_FILES } from '../../contract/resources/files.ts';
import { jsonSchemaOf } from '../../contract/resources/json-schema.ts';
import type { schemas } from '../../contract/routes/reference.ts';
import { asTextOf } from '../../contract/values.ts';
import { refusal } from '../../kernel/errors.ts';
import { param } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';

/** JSON Schemas of source files, for editors. Anybody may read them, because they contain nothing of any project. */

const HEADERS = { 'Cache-Control': 'public, max-age=3600' };

/** Each text is made when it is first asked for. */
const texts = new Map<string, string>();

export function schemaHandlers(): Handlers<typeof schemas> {
  return {
    async read(ctx) {
      const text = schemaText(param(ctx, 'file'));
      if (text === null) throw refusal('NOT_FOUND', `Schemas are ${Object.keys(SOURCE_FILES).join('.json, ')}.json`);
      return { text: asTextOf(text), headers: HEADERS };
    },
  };
}

function schemaText(file: string): string | null {
  const [, schema] = Object.entries(SOURCE_FILES).find(([name]) => file === `${name}.json`) ?? [];
  if (schema === undefined) return null;
  const text = texts.get(file) ?? JSON.stringify(jsonSchemaOf(schema));
  texts.set(file, text);
  return text;
}
