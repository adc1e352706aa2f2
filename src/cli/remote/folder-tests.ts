import { FolderProblem } from '../../folder/problem.ts';
import { readProjectFile } from '../../folder/project-file.ts';
import { readFolder, type Source } from '../../folder/sources.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';

/**
 * The tests of a game's folder as the server would store them; none if there is no such folder. Throws `FolderProblem` for a test that
 * cannot be read, and what `readFolder` throws.
 */
export function folderTests(dir: string): readonly JsonObject[] {
  return readProjectFile(dir) === null ? [] : readFolder(dir).sources.flatMap(testOf);
}

function testOf({ kind, id, path, resource, problem }: Source): readonly JsonObject[] {
  if (kind !== 'test') return [];
  if (problem === null && isObject(resource)) return [{ ...resource, id }];
  const why = problem?.message ?? 'A test must be an object.';
  throw new FolderProblem('BAD_FILE', `${path} is no test: ${why} \`savepoint check\` shows where.`);
}
