import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../kernel/json.ts';
import { bodyOf } from './body.ts';
import { type Change, changesOf } from './changes.ts';
import { type Finding, findingsIn, problemsIn } from './findings.ts';
import { RemoteRefusal } from './refusal.ts';
import type { Remote, SaidWhy, Target } from './remote.ts';
import type { Folder, Source } from './sources.ts';
import { hashOf, keepKnown, readKnown } from './state.ts';
import { storedDefinitions } from './stored-definitions.ts';

/** Pushes a folder: one publish of all its definitions. */

export interface PushOptions extends SaidWhy {
  readonly target: Target;
  /** Whether findings prevent the push. */
  readonly strict: boolean;
  /** Whether definitions that the folder lacks are removed from the target. */
  readonly prune: boolean;
  /** Whether publishes of others since the base are overwritten. */
  readonly force: boolean;
}

export type Pushed =
  | Done
  /** Findings in the folder. Nothing was written. `isHeld`: the target already has all of it, findings included. */
  | { readonly ok: false; readonly reason: 'findings'; readonly findings: readonly Finding[]; readonly isHeld: boolean }
  /** Publishes of others since the base, newest first; empty: the folder has no base in this project. Nothing was written. */
  | { readonly ok: false; readonly reason: 'conflict'; readonly publishes: readonly JsonObject[]; readonly changes: readonly Change[] };

export interface Done {
  readonly ok: true;
  /** `false`: the target already has all of it. */
  readonly published: boolean;
  /** The revision by which `publishes` lists it; `null`: nothing was published, or it cannot be told from publishes of others. */
  readonly revision: number | null;
  readonly changes: readonly Change[];
  /** Findings of a push that is not strict. */
  readonly warnings: readonly Finding[];
}

/** A larger push that is not strict is answered without findings. */
const MAX_WITH_FINDINGS = 100;
const MAX_HISTORY_READS = 20;
const HISTORY_PAUSE_MS = 100;

/** Pushes a folder. Throws `RemoteRefusal` for refusals that are neither findings nor conflicts. */
export async function pushFolder(remote: Remote, folder: Folder, options: PushOptions): Promise<Pushed> {
  const problems = problemsIn(folder);
  if (problems.length > 0) return { ok: false, reason: 'findings', findings: problems, isHeld: false };
  const known = readKnown(remote.server);
  const held = await storedDefinitions(remote, options.target);
  const changes = changesOf(folder, held.definitions).map((each) => (options.prune ? removed(each) : each));
  const isChanged = changes.some(({ action }) => action !== 'absent');
  if (!isChanged) {
    // Nothing would change, so there is no conflict.
    keepKnown(remote.server, { base: Math.max(known.base ?? 0, held.position), files: hashesOf(folder.sources) });
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
  /** `null`: publishes of others are overwritten. */
  readonly base: number | null;
  /** A revision before the publish. */
  readonly since: number;
}

async function send(
  remote: Remote,
  folder: Folder,
  { target, strict, prune, message, ticket }: PushOptions,
  { changes, body, base, since }: Sent,
): Promise<Pushed> {
  try {
    const answer = await remote.sync(body, { target, strict, replaceAll: prune, base, message, ticket });
    const own = answer.isReplay ? await ownPublish(remote, since, answer.position) : answer;
    keepKnown(remote.server, { base: own?.position ?? since, files: hashesOf(folder.sources) });
    const isTold = strict || folder.sources.length <= MAX_WITH_FINDINGS;
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

/** The server's findings of a push, and those that prevent it. Throws `RemoteRefusal` for refusals that are not findings. */
export async function checkFolder(
  remote: Remote,
  folder: Folder,
  options: Pick<PushOptions, 'target' | 'prune'>,
): Promise<readonly Finding[]> {
  return judged(remote, folder, { ...options, strict: true }, problemsIn(folder));
}

/** The server's findings of a push of these sources; warnings if it is not strict. Throws what {@link checkFolder} throws. */
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

/** Merges findings. A file that cannot be read is reported once. */
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
 * Advances the base of a folder past its own publish, such as a promotion. If somebody else has published since, the base stays, so that
 * the next push reports that. `position`: of the answer to the own publish.
 */
export async function moveBase(remote: Remote, position: number | null): Promise<void> {
  const known = readKnown(remote.server);
  const own = await ownPublish(remote, known.base, position);
  if (own !== null) keepKnown(remote.server, { ...known, base: own.position });
}

/**
 * The only publish after `base` and up to `position`, that of an answer; `null`: somebody else has published, too, or there is no base.
 */
async function ownPublish(remote: Remote, base: number | null, position: number | null) {
  if (base === null || position === null) return null;
  for (let turn = 0; turn < MAX_HISTORY_READS; turn += 1) {
    const { publishes } = await remote.publishes({ limit: 10 });
    const between = publishes.filter(({ revision }) => revision > base && revision <= position);
    // A push of staged definitions and tests makes two publishes at the same time.
    const moments = new Set(between.map(({ at }) => at));
    const first = between.at(-1);
    if (first !== undefined) return moments.size === 1 ? { revision: first.revision, position } : null;
    // The history may lag a little behind the log.
    await sleep(HISTORY_PAUSE_MS);
  }
  return null;
}
