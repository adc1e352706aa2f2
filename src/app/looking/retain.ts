import { hashOf } from '../../log/chain.ts';
import { lastSealed } from '../../log/foreign.ts';
import type { Log } from '../../log/port.ts';
import { accessStream } from '../../log/streams.ts';
import type { LookLog } from './look-log.ts';
import { firstSince } from './search.ts';

/**
 * Gives up the looks of a project that are older than `before`, and answers how many. A checkpoint is stored first, by which what is left
 * can still be proven; where this breaks off behind it, nothing is lost, and the next run does the rest.
 */
export async function retainLooks(log: Log, looks: LookLog, projectId: string, before: number): Promise<number> {
  const stream = accessStream(projectId);
  const found = await firstSince(log, stream, before);
  if (found === null || found.since === found.first) return 0;
  const removed = await lastSealed(log, stream, found.since - 1);
  // Another node gave them up meanwhile, and its checkpoint knows the hash that is gone.
  if (removed === null && (await firstSince(log, stream, before))?.first !== found.first) return 0;
  const hash = removed === null ? null : hashOf(removed.metadata);
  await looks.append(projectId, { kind: 'operator' }, 'look.retain', [
    { type: 'look.swept', data: { before: found.since, ...(hash === null ? {} : { hash }) } },
  ]);
  await log.truncate(stream, found.since);
  return found.since - found.first;
}
