import { SOURCE_FILES } from '../../src/contract/resources/files.ts';
import { jsonSchemaOf } from '../../src/contract/resources/json-schema.ts';
import type { GeneratedFile } from './file.ts';

/** Makes docs/schemas: a JSON Schema for each kind of file that authors write. Editors use it for completion and checks. */
export const SCHEMA_FILES: readonly GeneratedFile[] = Object.entries(SOURCE_FILES).map(([name, schema]) => ({
  file: `docs/schemas/${name}.json`,
  render: () => `${JSON.stringify(jsonSchemaOf(schema), null, 1)}\n`,
}));
