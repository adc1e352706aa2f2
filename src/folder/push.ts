import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../kernel/json.ts';
import { bodyOf } from './body.ts';
import { type Change, changesOf } from './changes.ts';
import { type Finding, findingsIn, problemsIn } from './findings.ts';
import { heldBy } from './held.ts';
import { RemoteRefusal } from './refusal.ts';
import type { Remote, Target } from './remote.ts';
import type { Folder, Source } from './sources.ts';
import { hashOf, keepKnown, readKnown } from './state.ts';

/** Pushes of a folder: one publish of all that it holds. */

export interface PushOptions {
  readonly target: Target;
  /** Findings refuse it. */
  readonly strict: boolean;
  /** Removes what the target holds and the folder does not. */
  readonly prune: boolean;
  /** Overwrites what somebody else has published since. */
  readonly force: boolean;
}

export type Pushed =
  | Done
  /** What is wrong in the folder. Nothing was written. `isHeld`: the target holds all of it already, wrong as it is. */
  | { readonly ok: false; readonly reason: 'findings'; readonly findings: readonly Finding[]; readonly isHeld: boolean }
  /** What somebody else has published since, newest first; empty: the folder has never met the project. Nothing was written. */
  | { readonly ok: false; readonly reason: 'conflict'; readonly publishes: readonly JsonObject[]; readonly changes: readonly Change[] };

export interface Done {
  readonly ok: true;
  /** `false`: the target holds all of this already. */
  readonly published: boolean;
  /** Under which `publishes` lists it. `null`: nothing was published, or among the publishes of others it cannot be told which it is. */
  readonly revision: number | null;
  readonly changes: readonly Change[];
  /** Findings of a push that is not strict. */
  readonly warnings: readonly Finding[];
}

/** A push of more definitions, which is not strict, is answered without findings. */
const MOST_TOLD = 100;
const HISTORY_TRIES = 20;
const HISTORY_PAUSE_MS = 100;

/** Pushes a folder. Throws `RemoteRefusal` for refusals that are neither findings nor conflicts. */
export async function pushFolder(remote: Remote, folder: Folder, options: PushOptions): Promise<Pushed> {
  const problems = problemsIn(folder);
  if (problems.length > 0) return { ok: false, reason: 'findings', findings: problems, isHeld: false };
  const known = readKnown(remote.place);
  const held = await heldBy(remote, options.target);
  const changes = changesOf(folder, held.definitions).map((each) => (options.prune ? removed(each) : each));
  const isChanged = changes.some(({ action }) => action !== 'absent');
  if (!isChanged) {
    // There is nothing to overwrite, so there is no conflict.
    keepKnown(remote.place, { base: Math.max(known.base ?? 0, held.position), files: hashesOf(folder.sources) });
    const findings = await judged(remote, folder, options);
    if (options.strict && findings.length > 0) return { ok: false, reason: 'findings', findings, isHeld: true };
    return { ok: true, published: false, revision: null, changes, warnings: findings };
  }
  const overwrites = changes.some(({ action }) => action !== 'add');
  if (known.base === null && overwrites && !options.force) return { ok: false, reason: 'conflict', publishes: [], changes };
  const emptied = new Set(options.prune ? held.definitions.map(({ kind }) => kind) : []);
  return send(remote, folder, options, {
    changes,
    body: bodyOf(folder, emptied),
    base: options.force ? null : (known.base ?? held.position),
    since: options.force ? held.position : (known.base ?? held.position),
  });
}

function removed(change: Change): Change {
  return change.action === 'absent' ? { ...change, action: 'delete' } : change;
}

interface Sent {
  readonly changes: readonly Change[];
  readonly body: JsonObject;
  /** `null`: whatever was published since is overwritten. */
  readonly base: number | null;
  /** A revision that the publish comes after. */
  readonly since: number;
}

async function send(
  remote: Remote,
  folder: Folder,
  { target, strict, prune }: PushOptions,
  { changes, body, base, since }: Sent,
): Promise<Pushed> {
  try {
    const answer = await remote.sync(body, { target, strict, replaceAll: prune, base });
    const own = answer.isReplay ? await ownPublish(remote, since, answer.position) : answer;
    keepKnown(remote.place, { base: own?.position ?? since, files: hashesOf(folder.sources) });
    const isTold = strict || folder.sources.length <= MOST_TOLD;
    const warnings = isTold ? findingsIn(folder, { ...answer }) : await judged(remote, folder, { target, strict, prune });
    return { ok: true, published: true, revision: own?.revision ?? null, changes, warnings };
  } catch (error) {
    if (!(error instanceof RemoteRefusal)) throw error;
    if (error.code === 'PUBLISH_CONFLICT') return { ok: false, reason: 'conflict', publishes: error.publishes, changes };
    const findings = findingsIn(folder, error.body);
    if (error.status !== 400 || findings.length === 0) throw error;
    return { ok: false, reason: 'findings', findings, isHeld: false };
  }
}

/** What the server would say of a push, and what keeps the folder from being pushed at all. Throws `RemoteRefusal` for refusals that are no findings. */
export async function checkFolder(
  remote: Remote,
  folder: Folder,
  options: Pick<PushOptions, 'target' | 'prune'>,
): Promise<readonly Finding[]> {
  return judged(remote, folder, { ...options, strict: true }, problemsIn(folder));
}

/** What the server would say of a push of these sources. Where it is not strict, findings are warnings. Throws as {@link checkFolder}. */
export async function judged(
  remote: Remote,
  folder: Pick<Folder, 'sources'>,
  { target, strict, prune }: Pick<PushOptions, 'target' | 'strict' | 'prune'>,
  problems: readonly Finding[] = [],
): Promise<readonly Finding[]> {
  try {
    const answer = await remote.preflight(bodyOf(folder), { target, strict, replaceAll: prune });
    return [...problems, ...findingsIn(folder, { ...answer })];
  } catch (error) {
    if (!(error instanceof RemoteRefusal) || error.status !== 400) throw error;
    return merged(problems, findingsIn(folder, error.body), error);
  }
}

/** A file that cannot be read is reported once. */
export function merged(problems: readonly Finding[], told: readonly Finding[], refusal: Error): readonly Finding[] {
  const unread = new Set(problems.map(({ path }) => path));
  const more = told.filter(({ path }) => !unread.has(path));
  if (problems.length + more.length === 0) throw refusal;
  return [...problems, ...more];
}

/** The hashes of all files of these sources, by path. */
function hashesOf(sources: readonly Source[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sources.map(({ path, text }) => [path, hashOf(text)]));
}

/**
 * Moves the base of a folder on over a publish of its own, such as a promotion. It stays where it is if somebody else has published since: the
 * next push then tells of it. `position`: of the answer to that publish.
 */
export async function moveBase(remote: Remote, position: number | null): Promise<void> {
  const known = readKnown(remote.place);
  const own = await ownPublish(remote, known.base, position);
  if (own !== null) keepKnown(remote.place, { ...known, base: own.position });
}

/**
 * The publish after `base` and up to `position`, an answer's, if there is one alone; `null`: somebody else has published, too, or there was no
 * base.
 */
async function ownPublish(remote: Remote, base: number | null, position: number | null) {
  if (base === null || position === null) return null;
  for (let turn = 0; turn < HISTORY_TRIES; turn += 1) {
    const { publishes } = await remote.publishes({ limit: 10 });
    const between = publishes.filter(({ revision }) => revision > base && revision <= position);
    // A push of staged definitions and of tests is two, of one moment.
    const moments = new Set(between.map(({ at }) => at));
    const first = between.at(-1);
    if (first !== undefined) return moments.size === 1 ? { revision: first.revision, position } : null;
    // The history lags a little behind what is published.
    await sleep(HISTORY_PAUSE_MS);
  }
  return null;
}
