import type { Finding } from './findings.ts';
import { judged } from './push.ts';
import type { Remote, Target } from './remote.ts';
import type { Source } from './sources.ts';
import { type StoredDefinition, storedDefinitions } from './stored-definitions.ts';

/**
 * What is wrong in what `next` holds, and not in live already: what a promotion would make worse. Throws `RemoteRefusal` where the server
 * cannot look at so much at once.
 */
export async function stagedFindings(remote: Remote): Promise<readonly Finding[]> {
  const staged = await findingsOf(remote, 'next');
  if (staged.length === 0) return staged;
  const known = new Set((await findingsOf(remote, 'live')).map(nameOf));
  return staged.filter((finding) => !known.has(nameOf(finding)));
}

async function findingsOf(remote: Remote, target: Target): Promise<readonly Finding[]> {
  const { definitions } = await storedDefinitions(remote, target);
  // Tests are never staged.
  const sources = definitions.filter(({ kind }) => kind !== 'test').map(sourceOf);
  return judged(remote, { sources }, { target, strict: true, prune: false });
}

function sourceOf({ kind, id, resource, file }: StoredDefinition): Source {
  if (file !== null) return { kind, id, resource, path: file.path ?? '', format: file.format, text: file.text, pointer: '', problem: null };
  // A pointer says that it is no file of its own, so it goes as data.
  return { kind, id, resource, path: '', format: 'json', text: '', pointer: '/0', problem: null };
}

function nameOf({ kind, id, code, message }: Finding): string {
  return JSON.stringify([kind, id, code, message]);
}
