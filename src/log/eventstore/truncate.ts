import { LogUnavailable } from '../port.ts';
import { answered, CLOCKS_DIFFER_MS } from './append.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failures.ts';

const LEADER = { requiresLeader: true };

/**
 * Hides a stream's events below a revision through the stream's metadata (`$tb`). The server's next scavenge removes them from the disk.
 * Other metadata that an operator has set stays. Throws `LogUnavailable`, also when the outcome is unknown: truncating again is harmless.
 */
export async function truncateStream(connection: Connection, timeoutMs: number, stream: string, before: number): Promise<void> {
  const client = connection.client();
  const deadline = timeoutMs + CLOCKS_DIFFER_MS;
  try {
    const { metadata = {} } = await answered(connection, client, timeoutMs, () => client.getStreamMetadata(stream, LEADER));
    if (Number(metadata.truncateBefore ?? 0) >= before) return;
    const truncated = { ...metadata, truncateBefore: before };
    await answered(connection, client, timeoutMs, () => client.setStreamMetadata(stream, truncated, { ...LEADER, deadline }));
  } catch (error) {
    const { type, message } = failureOf(error);
    const denied = type === 'access-denied';
    const text = denied
      ? `the log does not let this account truncate ${stream}: it needs its metadata ($mr, $mw)`
      : `the log was not truncated: ${message}`;
    throw new LogUnavailable(text, { cause: error });
  }
}
