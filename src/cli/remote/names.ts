import { RemoteRefusal } from '../../folder/refusal.ts';
import type { Remote, Target } from '../../folder/remote.ts';
import { refusal } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';

/** Suggestions for mistyped names of definitions. */

type Kind = 'endpoint' | 'collection';

/** The names of the definitions of a kind that a target holds. */
export async function namesOf(remote: Remote, kind: Kind, target: Target): Promise<readonly string[]> {
  const manifest = await remote.manifest(target);
  const listed = kind === 'endpoint' ? manifest.endpoints : manifest.collections;
  return listed.map(({ slug, id, name }) => String(slug ?? id ?? name));
}

/** What is asked about a collection. Where there is none, the error says that, with the name that was probably meant. */
export async function inCollection<T>(remote: Remote, collection: string, target: Target, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof RemoteRefusal && error.code === 'NOT_FOUND')) throw error;
    // A key that may read the data need not be one that may list the definitions.
    const known = await namesOf(remote, 'collection', target).catch(() => null);
    if (known === null || known.includes(collection)) throw error;
    throw await unknownName(remote, 'collection', collection, target);
  }
}

/** The error for an unknown definition. It says that the other target has it, or names the nearest, or all names. */
export async function unknownName(remote: Remote, kind: Kind, name: string, target: Target): Promise<Error> {
  const other = target === 'live' ? 'next' : 'live';
  const [here, there] = await Promise.all([namesOf(remote, kind, target), namesOf(remote, kind, other)]);
  const what = `There is no ${kind} '${name}' in ${target} of ${remote.server.project}.`;
  const code = kind === 'endpoint' ? 'ENDPOINT_NOT_FOUND' : 'NOT_FOUND';
  if (there.includes(name)) return refusal(code, `${what} There is one in ${other}: --target ${other}.`);
  const meant = didYouMean(name, here);
  if (meant !== undefined) return refusal(code, `${what} ${meant}`);
  return refusal(code, here.length === 0 ? `${what} It has none.` : `${what} There are: ${here.slice(0, 20).join(', ')}.`);
}
