import { withoutAuthoring } from '../domain/definition/model/overlay.ts';
import { SECTIONS } from '../domain/kinds.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { generateTypes } from '../language/types/generate.ts';
import { readTextFile, writeFileWhole } from './files.ts';
import { definitionsIn } from './game-definitions.ts';
import type { Listed, Remote, Target } from './remote.ts';
import { type Folder, readFolder, type Source } from './sources.ts';

/** Generates types from a folder or a server, and writes them. */

/**
 * The types of a game's folder. Throws a `Refusal` that names the file, for a source that cannot be read or that a push would refuse: types
 * of such a game would be wrong.
 */
export function typesOfFolder({ sources }: Folder): string {
  const wrong = sources.find(({ problem, kind }) => problem !== null && kind !== 'test');
  if (wrong?.problem) throw refusal('VALIDATION_FAILED', `${wrong.path}: ${wrong.problem.message}`);
  const body: Record<string, Json> = {};
  for (const { kind, resource, id } of sources) {
    if (kind === 'test' || resource === null) continue;
    const section = SECTIONS[kind];
    const before = body[section];
    if (kind === 'game-values' || kind === 'rate-limit-rules') body[section] = resource;
    else body[section] = [...(isArray(before) ? before : []), isObject(resource) ? { id, ...resource } : resource];
  }
  return typesOfSync(body, sources);
}

/** The types of a project's definitions. Throws what {@link Remote} throws. */
export async function typesOfRemote(remote: Remote, target: Target): Promise<string> {
  const listed = async (kind: Listed) => [kind, effective(await remote.list(kind, target))] as const;
  const [lists, values, rules] = await Promise.all([
    Promise.all((['collections', 'endpoints', 'workflows', 'libraries', 'queries'] as const).map(listed)),
    remote.gameValues(target),
    remote.rateLimitRules(target),
  ]);
  const isEmpty = values.stagedRemoval === true || (isArray(values.data) && values.data.length === 0);
  const body: JsonObject = {
    ...Object.fromEntries(lists),
    ...(isEmpty ? {} : { gameValues: values.data }),
    ...(rules.rules.length === 0 ? {} : { rateLimitRules: { rules: rules.rules as unknown as Json } }),
  };
  return typesOfSync(body, []);
}

/** Live definitions, overridden by staged ones. */
function effective(listed: readonly JsonObject[]): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const { revisionTarget, stagedRemoval, hasStaged: _, ...definition } of listed) {
    const id = String(definition['id']);
    const below = revisionTarget === 'next' && typeof definition['sourceText'] !== 'string' ? found.get(id) : undefined;
    if (stagedRemoval === true) found.delete(id);
    else found.set(id, { ...(below === undefined ? {} : withoutAuthoring(below)), ...definition });
  }
  return [...found.values()];
}

function typesOfSync(body: JsonObject, sources: readonly Source[]): string {
  try {
    return generateTypes(definitionsIn(body));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const found = problemIn(error.extra.body ?? {});
    const path = sources.find(({ id }) => id === found?.id)?.path ?? found?.id;
    throw path === undefined ? error : refusal('VALIDATION_FAILED', `${path}: ${found?.message}`);
  }
}

/** The first definition for which a push would be refused. */
function problemIn(body: JsonObject): { readonly id: string; readonly message: string } | null {
  for (const section of Object.values(body)) {
    const results = isObject(section) && isArray(section['results']) ? section['results'] : [];
    for (const result of results) {
      if (!isObject(result) || result['ok'] !== false) continue;
      const { resourceId, message, diagnostics } = result;
      const [first] = isArray(diagnostics) ? diagnostics : [];
      const said = message ?? (isObject(first) ? first['message'] : undefined);
      return { id: String(resourceId ?? ''), message: String(said ?? 'a push of it would be refused') };
    }
  }
  return null;
}

/** The default file for the types of a folder. */
export const TYPES_FILE = 'game.types.ts';

/** Whether the file holds these types already. */
export function isWritten(path: string, types: string): boolean {
  return readTextFile(path) === types;
}

/** Writes the file atomically if it has changed, so that tools which watch it are not woken needlessly. Returns whether it wrote. */
export function writeTypes(path: string, types: string): boolean {
  if (isWritten(path, types)) return false;
  writeFileWhole(path, types);
  return true;
}

/**
 * Regenerates the types of a folder, as `savepoint dev` does after each push. `out`: the absolute path of the file. Returns whether the
 * file changed. Throws the `Refusal` of {@link typesOfFolder} and the `FolderProblem` of {@link readFolder}; the file then stays as it was.
 *
 * @example
 * ```ts
 * const changed = refreshTypes(dir, join(dir, TYPES_FILE));
 * ```
 */
export function refreshTypes(dir: string, out: string): boolean {
  return writeTypes(out, typesOfFolder(readFolder(dir)));
}
