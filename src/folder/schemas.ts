import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile, writeFileWhole } from './files.ts';
import { PROJECT_FILE } from './project-file.ts';
import { ignoreState, STATE_FOLDER } from './state.ts';

/**
 * JSON Schemas of the folder's files, for editors. They lie in the folder itself: so they are there without a server, of whatever address,
 * and say what this release understands.
 */

const SCHEMA_FOLDER = `${STATE_FOLDER}/schemas`;
/** Names the release of the schemas; written last. */
const STAMP = 'release.txt';

/** The line by which an editor finds the schema of a YAML file at `path` of the folder. Editors resolve it from the file. */
export function schemaLine(path: string, kind: string): string {
  const up = '../'.repeat(path.split('/').length - 1) || './';
  return `# yaml-language-server: $schema=${up}${SCHEMA_FOLDER}/${kind}.json\n`;
}

/** Writes the schemas of this release into a folder with a `savepoint.json`, unless they are there. `anew`: in any case. */
export async function writeSchemas(dir: string, { release, anew }: { readonly release: string; readonly anew: boolean }): Promise<void> {
  const stamp = join(dir, SCHEMA_FOLDER, STAMP);
  if (!existsSync(join(dir, PROJECT_FILE)) || (!anew && readTextFile(stamp)?.trim() === release)) return;
  const [{ SOURCE_FILES }, { jsonSchemaOf }] = await Promise.all([
    import('../contract/resources/files.ts'),
    import('../contract/resources/json-schema.ts'),
  ]);
  ignoreState(dir);
  for (const [name, schema] of Object.entries(SOURCE_FILES))
    writeFileWhole(join(dir, SCHEMA_FOLDER, `${name}.json`), `${JSON.stringify(jsonSchemaOf(schema), null, 1)}\n`);
  writeFileWhole(stamp, `${release}\n`);
}
