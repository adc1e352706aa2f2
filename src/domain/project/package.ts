import type { PackageSynced } from '../../contract/answers.ts';
import { gamePackage, type WrittenPackage } from '../../contract/resources/game-package.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, jsonEquals, stringifyJson } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { GamePackage } from '../states.ts';

/** The game's package as its editor last sent it: which revision players should run, and since when. */

/** Members that the server sets. They are ignored when a tool sends back an answer. */
const OWN: ReadonlySet<string> = new Set([
  'lastSyncedAt',
  'revisionPublishedAt',
  'publishStatus',
  'revisionFirstSyncedAtUnix',
  'lastSyncedAtUnix',
]);
/** Bytes of a package as JSON: every node holds the packages of its open projects. */
const MAX_BYTES = 256 * 1024;
/** Bytes allowed for the server's members, which tools send back. */
const OWN_BYTES = 16 * 1024;

export interface PackageSync {
  /** Members that change; they are merged over the others. */
  readonly changes: JsonObject;
  readonly previousRevisionId: number | null;
  /** Whether there was a revision before, and it differs. Then the staged definitions belong to the new one. */
  readonly revisionChanged: boolean;
}

/** Decides a sync. `body`: any members of a package. Without a revision the known one stays. */
export function decidePackageSync(current: GamePackage | null, body: Json): PackageSync | Refusal {
  if (!isObject(body)) return refusal('INVALID_BODY');
  // Checked before members are compared: a management body may hold a million of them.
  if (isLarger(body, MAX_BYTES + OWN_BYTES)) return tooLarge();
  const before = current?.members ?? {};
  const changes = new Map<string, Json>();
  for (const [name, sent] of Object.entries(body)) {
    if (OWN.has(name)) continue;
    const value = isRevision(name) ? gamePackage.shape[name].safeParse(sent).data : sent;
    if (value === undefined) return refusal('INVALID_BODY', `\`${name}\` must be a whole number, or null`);
    if (value === null && isRevision(name)) continue;
    const known = member(before, name);
    if (known === undefined || !jsonEquals(known, value)) changes.set(name, value);
  }
  const changed = Object.fromEntries(changes);
  if (isLarger({ ...before, ...changed }, MAX_BYTES)) return tooLarge();
  const previousRevisionId = currentRevision(current);
  return { changes: changed, previousRevisionId, revisionChanged: previousRevisionId !== null && changes.has('currentRevisionId') };
}

function isLarger(value: JsonObject, bytes: number): boolean {
  return Buffer.byteLength(stringifyJson(value)) > bytes;
}

function tooLarge(): Refusal {
  return refusal('PAYLOAD_TOO_LARGE', `A game package holds at most ${MAX_BYTES} bytes`);
}

/** The package after a sync. The first revision starts the grace period, and every other revision starts it again, even a lower one. */
export function syncedPackage(current: GamePackage | null, changes: JsonObject, at: number): GamePackage {
  const members = { ...current?.members, ...changes };
  const restarts = current === null || Object.hasOwn(changes, 'currentRevisionId');
  return { members, publishedAt: restarts ? at : current.publishedAt, syncedAt: at };
}

/** The revision that players should run; `null`: none was ever sent. */
export function currentRevision(known: GamePackage | null): number | null {
  return revisionIn(known, 'currentRevisionId');
}

/** The newest revision; the current one if no other was sent. */
export function latestRevision(known: GamePackage | null): number | null {
  return revisionIn(known, 'latestRevisionId') ?? currentRevision(known);
}

/** The package as the editor reads it. Numbers stay numbers; times come as ISO text and as unix seconds. */
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

function revisionIn(known: GamePackage | null, name: keyof WrittenPackage): number | null {
  const members: WrittenPackage = known?.members ?? {};
  const value = members[name];
  return typeof value === 'number' ? value : null;
}

function isRevision(name: string): name is keyof WrittenPackage {
  return Object.hasOwn(gamePackage.shape, name);
}
