import { hashOf } from '../../log/chain.ts';
import type { Log } from '../../log/port.ts';
import { isTruncatable, projectStream } from '../../log/streams.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** Anchors as they are written: `PROJECT@REVISION:HASH`, and of other chained streams `stream/NAME@REVISION:HASH`. */

/** How an anchor begins that is not of a project's own stream. No project has this in its id. */
export const ANCHORED_STREAM = 'stream/';

/** An event that somebody noted the hash of. */
export interface Anchor {
  /** Of the project whose own stream it is, or the stream. */
  readonly of: string;
  readonly stream: string;
  readonly revision: number;
  readonly hash: string;
}

/** Throws `WrongUsage`. */
export function parseAnchor(text: string): Anchor {
  const [, prefix, of, revision, hash] = /^(stream\/)?([A-Za-z0-9_-]+)[:@](\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (of === undefined || revision === undefined || hash === undefined)
    throw new WrongUsage('An anchor looks like PROJECT@REVISION:HASH or stream/NAME@REVISION:HASH, as `savepoint log anchor` prints it');
  return { of, stream: prefix === undefined ? projectStream(of) : of, revision: Number(revision), hash };
}

/** What is wrong with an anchor; `null`: the log holds its event, or has given it up behind a checkpoint, which `verify` follows. */
export async function anchorFault(log: Log, { stream, revision, hash }: Anchor): Promise<string | null> {
  const [event] = await log.read(stream, { from: revision, limit: 1, direction: 'forwards' });
  if (event === undefined) return endOf(log, stream);
  if (event.revision > revision && isTruncatable(stream)) return null;
  return hashOf(event.metadata) === hash ? null : 'another event stands there';
}

/** Describes where a stream ends, for an anchor beyond that. A backup that is older than its anchors is not broken. */
async function endOf(log: Log, stream: string): Promise<string> {
  const head = await log.head(stream);
  const end = head === null ? 'the log has nothing of this stream' : `the log ends at revision ${head.revision}`;
  return `${end}: its end was cut off, or the anchor is younger than this copy of the log`;
}
