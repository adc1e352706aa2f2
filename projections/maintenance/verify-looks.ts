import { decodeEvent } from '../../src/kernel/json.ts';
import { objectOf } from '../../src/kernel/json-read.ts';
import { hashOf, NO_HASH, verifyLink } from '../../src/log/chain.ts';
import { isRedacted } from '../../src/log/commitment.ts';
import { isForeign } from '../../src/log/foreign.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { TRUNCATED } from '../../src/log/streams.ts';
import { BROKEN_LINK } from './chain-check.ts';

/** What is wrong with an event of a stream `access-…`. */
export interface BrokenLook {
  readonly revision: number;
  readonly detail: string;
}

const PAGE = 500;

/**
 * Follows the chain of a stream `access-…`. Where its beginning was given up, a checkpoint behind says what the first event that is kept
 * links to: it is part of the same chain, so who takes events away cannot make one that fits an anchor.
 */
export async function verifyLooks(
  log: Log,
  stream: string,
): Promise<{ readonly events: number; readonly problems: readonly BrokenLook[] }> {
  const problems: BrokenLook[] = [];
  /** First events behind a cut, by revision, which a checkpoint has to account for. */
  const cuts = new Map<number, RecordedEvent | null>();
  const swept = new Map<number, string>();
  let [next, hash, events]: [number, string | null, number] = [0, NO_HASH, 0];
  let cutAt: number | null = null;
  for (;;) {
    const page = await log.read(stream, { from: next, limit: PAGE, direction: 'forwards' });
    for (const event of page) {
      const isCut = event.revision !== next || (event.type === TRUNCATED && isForeign(event));
      if (isCut) [hash, cutAt] = [null, event.type === TRUNCATED ? event.revision + 1 : event.revision];
      if (isCut && cutAt !== null) cuts.set(cutAt, null);
      next = event.revision + 1;
      if (isForeign(event)) continue;
      if (hash === null && cutAt !== null) cuts.set(cutAt, event);
      else if (hash !== null && !verifyLink(hash, event)) problems.push({ revision: event.revision, detail: BROKEN_LINK });
      if (isRedacted(event.data))
        problems.push({ revision: event.revision, detail: 'the data were redacted, which this stream does not allow' });
      else if (event.type === 'look.swept') noteCheckpoint(swept, event);
      hash = hashOf(event.metadata);
    }
    events += page.length;
    if (page.length < PAGE) break;
  }
  for (const [revision, first] of cuts) {
    if (first === null) continue;
    const link = swept.get(revision);
    if (link === undefined) problems.push({ revision, detail: 'what stood before is gone, and no checkpoint (look.swept) says so' });
    else if (!verifyLink(link, first))
      problems.push({ revision, detail: 'it does not link to what the checkpoint says was the last before it' });
  }
  return { events, problems };
}

function noteCheckpoint(swept: Map<number, string>, { data }: RecordedEvent): void {
  const { before, hash = NO_HASH } = objectOf(decodeEvent(data));
  swept.set(Number(before), String(hash));
}
