import type { PackageSynced } from '../../contract/answers.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isNumber, isObject, type Json, type JsonObject, jsonEquals, stringifyJson, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { GamePackage } from '../states.ts';

/** The game's package as its editor last told of it: which revision players should run, and since when (management 14, security 8.2). */

/** Members that are ours: what a tool sends back of an answer is not taken. */
const OWN: ReadonlySet<string> = new Set([
  'lastSyncedAt',
  'revisionPublishedAt',
  'publishStatus',
  'revisionFirstSyncedAtUnix',
  'lastSyncedAtUnix',
]);
const REVISIONS = ['currentRevisionId', 'latestRevisionId'] as const;
/** Bytes of a package as JSON: every node holds the packages of the projects that it has open. */
const MAX_BYTES = 256 * 1024;
/** For the members that are ours, which tools send back. */
const OWN_BYTES = 16 * 1024;

export interface PackageSync {
  /** Members that become other than they were; they are laid over the rest. */
  readonly changes: JsonObject;
  readonly previousRevisionId: number | null;
  /** Another revision than one that was known before: the staged definitions belong to it. */
  readonly revisionChanged: boolean;
}

/** `body`: members of a package, any of them; an unknown revision keeps the one that is known (security 13, trap 18). */
export function decidePackageSync(current: GamePackage | null, body: Json): PackageSync | Refusal {
  if (!isObject(body)) return refusal('INVALID_BODY');
  // Before it is compared member by member: a body of the management routes may hold a million of them.
  if (isLarger(body, MAX_BYTES + OWN_BYTES)) return tooLarge();
  const before = current?.members ?? {};
  const changes = new Map<string, Json>();
  for (const [name, sent] of Object.entries(body)) {
    if (OWN.has(name)) continue;
    const value = isRevision(name) ? revisionOf(sent) : sent;
    if (value === undefined) return refusal('INVALID_BODY', `\`${name}\` must be a whole number, or null`);
    if (value === null && isRevision(name)) continue;
    const known = member(before, name);
    if (known === undefined || !jsonEquals(known, value)) changes.set(name, value);
  }
  const changed = Object.fromEntries(changes);
  if (isLarger({ ...before, ...changed }, MAX_BYTES)) return tooLarge();
  const previousRevisionId = currentRevision(current);
  const next = changed['currentRevisionId'];
  return { changes: changed, previousRevisionId, revisionChanged: previousRevisionId !== null && next !== undefined };
}

function isLarger(value: JsonObject, bytes: number): boolean {
  return Buffer.byteLength(stringifyJson(value)) > bytes;
}

function tooLarge(): Refusal {
  return refusal('PAYLOAD_TOO_LARGE', `A game package holds at most ${MAX_BYTES} bytes`);
}

/** The package after a sync. The grace clock starts with the revision: also with a lower one, and with the first that is known. */
export function syncedPackage(current: GamePackage | null, changes: JsonObject, at: number): GamePackage {
  const members = { ...current?.members, ...changes };
  const restarts = current === null || Object.hasOwn(changes, 'currentRevisionId');
  return { members, publishedAt: restarts ? at : current.publishedAt, syncedAt: at };
}

/** The revision that players should run; `null`: none was ever told. */
export function currentRevision(known: GamePackage | null): number | null {
  return revisionIn(known, 'currentRevisionId');
}

/** The newest there is, which is the current one where no other was told. */
export function latestRevision(known: GamePackage | null): number | null {
  return revisionIn(known, 'latestRevisionId') ?? currentRevision(known);
}

/** As the editor reads it; numbers stay numbers, times come as ISO text and as unix seconds (management 14.2). */
export function packageBody({ members, publishedAt, syncedAt }: GamePackage): PackageSynced['gamePackage'] {
  return {
    ...members,
    publishStatus: 'published',
    lastSyncedAt: new Date(syncedAt).toISOString(),
    revisionPublishedAt: new Date(publishedAt).toISOString(),
    revisionFirstSyncedAtUnix: Math.floor(publishedAt / 1000),
    lastSyncedAtUnix: Math.floor(syncedAt / 1000),
  };
}

function revisionIn(known: GamePackage | null, name: (typeof REVISIONS)[number]): number | null {
  const value = known === null ? undefined : member(known.members, name);
  return typeof value === 'number' ? value : null;
}

function isRevision(name: string): name is (typeof REVISIONS)[number] {
  return REVISIONS.some((revision) => revision === name);
}

/** A revision's number; `null` for none, which is 0 in some places; `undefined` for what is neither. */
function revisionOf(value: Json): number | null | undefined {
  if (value === null || value === '') return null;
  if (!isNumber(value) && !(typeof value === 'string' && /^\d{1,16}$/.test(value))) return undefined;
  const number = typeof value === 'string' ? Number(value) : toDouble(value);
  if (!Number.isSafeInteger(number) || number < 0) return undefined;
  return number === 0 ? null : number;
}
