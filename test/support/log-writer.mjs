// One writer process of processes.test.ts, over the built adapter. Appends groups of random size to random streams at the revision it
// believes in, and prints a line per acknowledged append. Arguments: connection string, stream prefix, number of appends, name.
import { randomUUID } from 'node:crypto';
import { createPostgresLog } from '../../dist/src/log/postgres/log.js';

const [url, prefix, count, name] = process.argv.slice(2);
const log = createPostgresLog({ connection: { connectionString: url } });
const stop = new AbortController();
const known = new Map();

const following = (async () => {
  for await (const step of log.follow({ prefix, after: null, signal: stop.signal })) {
    for (const event of step.events) known.set(event.stream, event.revision);
  }
})();

const write = async (worker) => {
  for (let n = 0; n < Number(count); n++) {
    const stream = `${prefix}-${Math.floor(Math.random() * 3)}`;
    const size = 1 + Math.floor(Math.random() * 4);
    const events = Array.from({ length: size }, () => ({
      id: randomUUID(),
      type: 'written',
      data: JSON.stringify({ name, worker }),
      metadata: '{}',
    }));
    const revision = known.get(stream) ?? (await log.head(stream))?.revision ?? 'none';
    const result = await log.append(stream, revision, events);
    if (result.ok)
      console.log(
        JSON.stringify({ stream, revision: result.revision, position: String(result.position), ids: events.map((event) => event.id) }),
      );
    else if (result.actual === revision) throw new Error('a conflict with what was expected');
    known.set(stream, Math.max(result.ok ? result.revision : result.actual, known.get(stream) ?? 0));
  }
};
await Promise.all([write(0), write(1), write(2)]);
stop.abort();
await following;
await log.close();
