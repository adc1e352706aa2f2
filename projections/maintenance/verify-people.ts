import type { Log } from '../../src/log/port.ts';
import { PEOPLE_STREAM } from '../../src/log/streams.ts';
import { ChainCheck } from './chain-check.ts';
import type { Problem } from './compare.ts';

const PAGE = 500;

/** Follows the chain of the installation's people, who have a stream of their own, and no tables. */
export async function verifyPeople(log: Log): Promise<{ readonly events: number; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const chain = new ChainCheck('person.forgotten');
  const at = (revision: number) => ({ project: '', table: PEOPLE_STREAM, row: `revision ${revision}` });
  let events = 0;
  for (;;) {
    const page = await log.read(PEOPLE_STREAM, { from: chain.revision + 1, limit: PAGE, direction: 'forwards' });
    for (const event of page) {
      const detail = chain.take(event);
      if (detail !== null) problems.push({ kind: 'chain', ...at(event.revision), detail });
    }
    events += page.length;
    if (page.length < PAGE) break;
  }
  for (const { revision, detail } of chain.unallowed()) problems.push({ kind: 'redaction', ...at(revision), detail });
  return { events, problems };
}
