import { randomUUID } from 'node:crypto';
import { type Actor, type EventMetadata, type ProjectEvent, projectEvent, SCHEMA_VERSIONS } from '../../domain/events.ts';
import { seal } from '../../log/chain.ts';
import { committed } from '../../log/commitment.ts';
import { rememberDecoded } from '../../log/decode.ts';
import type { NewEvent } from '../../log/port.ts';
import type { Command, Commit } from './commit.ts';

/** The end of a stream, which the next event links to. `revision` is −1 before the first event. */
export interface StreamHead {
  readonly revision: number;
  /** Chain hash of the last event. */
  readonly hash: string;
  /** Its time, unix ms. */
  readonly recordedAt: number;
}

/** A group ready for one append at one revision. */
export interface SealedGroup {
  readonly commits: readonly Commit[];
  readonly events: readonly NewEvent[];
  /** The sealed events of each commit, decoded. */
  readonly perCommit: readonly (readonly ProjectEvent[])[];
  readonly hash: string;
  readonly recordedAt: number;
  /** How many of the events flag a write. */
  readonly flagged: number;
}

/**
 * Hashes depend on the revision of the group, so this runs right before the append. A sealed group is sent again unchanged until its
 * outcome is known. A group formed anew, at whatever revision, gets new ids: one id, one byte string.
 */
export function sealGroup(group: readonly Commit[], at: StreamHead): SealedGroup {
  let { hash, recordedAt } = at;
  let flagged = 0;
  const head = at.revision;
  const events: NewEvent[] = [];
  const perCommit: ProjectEvent[][] = [];
  for (const commit of group) {
    if (commit.events.length > 0) recordedAt = Math.max(recordedAt, commit.decidedAt);
    const decoded: ProjectEvent[] = [];
    const actor = printActor(commit.command.actor);
    let ordinal = -1;
    for (const event of commit.events) {
      ordinal += 1;
      if (event.type === 'write.flagged') flagged += 1;
      const left = commit.events.length - 1 - ordinal;
      const requestId = ordinal === 0 ? commit.command.requestId : undefined;
      const metadata = metadataOf(commit.command, SCHEMA_VERSIONS[event.type], recordedAt, left, requestId);
      const id = randomUUID();
      const data = committed(commit.texts[ordinal] ?? '{}', commit.command.actor.player, requestId);
      const link = seal(hash, { id, type: event.type, metadata: printMetadata(metadata, actor), data });
      hash = link.hash;
      const revision = head + 1 + events.length;
      events.push(link.event);
      const sealed = projectEvent(event, revision, id, metadata, hash);
      rememberDecoded(sealed, link.event);
      decoded.push(sealed);
    }
    perCommit.push(decoded);
  }
  return { commits: group, events, perCommit, hash, recordedAt, flagged };
}

function metadataOf(
  { commandId, cause, actor }: Command<unknown>,
  schemaVersion: number,
  recordedAt: number,
  left: number,
  requestId: string | undefined,
): EventMetadata {
  const metadata =
    left > 0 ? { commandId, cause, actor, schemaVersion, recordedAt, left } : { commandId, cause, actor, schemaVersion, recordedAt };
  return requestId === undefined ? metadata : { ...metadata, requestId };
}

/**
 * The output of `JSON.stringify`, at a fraction of its time: kinds, ids and causes are ours and need no escapes. The player stands in the
 * data, which can be forgotten; so does a request id that the caller chose.
 */
function printActor({ kind, keyId, person, endpoint }: Actor): string {
  const key = keyId === undefined ? '' : `,"keyId":"${keyId}"`;
  const by = person === undefined ? '' : `,"person":"${person}"`;
  const through = endpoint === undefined ? '' : `,"endpoint":${JSON.stringify(endpoint)}`;
  return `{"kind":"${kind}"${key}${by}${through}}`;
}

/** As {@link printActor}. */
function printMetadata({ commandId, cause, schemaVersion, recordedAt, left }: EventMetadata, actor: string): string {
  const rest = left === undefined ? '' : `,"left":${left}`;
  return `{"commandId":"${commandId}","cause":"${cause}","actor":${actor},"schemaVersion":${schemaVersion},"recordedAt":${recordedAt}${rest}}`;
}
