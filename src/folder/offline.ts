import { EMPTY_DEFINITIONS } from '../domain/definition/model/evolve.ts';
import { preflight } from '../domain/definition/push/preflight.ts';
import { Refusal } from '../kernel/errors.ts';
import { bodyOf } from './body.ts';
import { type Finding, findingsIn, problemsIn } from './findings.ts';
import { merged } from './push.ts';
import type { Folder } from './sources.ts';

/** The findings that a push of the folder to an empty project would have, without a server. */
export function checkOffline(folder: Folder): readonly Finding[] {
  const problems = problemsIn(folder);
  const told = preflight(EMPTY_DEFINITIONS, bodyOf(folder), 'next', { strict: true });
  return told instanceof Refusal ? merged(problems, findingsIn(folder, told.extra.body ?? {}), told) : problems;
}
