import pg from 'pg';
import { vi } from 'vitest';

/** The query by which a node hears of what other nodes have stored (`src/log/postgres/read.ts`). */
const HEARING = 'savepoint-log-page';

/** Makes the nodes of this process deaf to each other for a while. To be made before they start. */
export function createHearing(): {
  /** Runs `during` while no node hears of what others store. Each still asks the log whatever else it wants to know. */
  without<T>(during: () => Promise<T>): Promise<T>;
} {
  const query: (this: pg.Pool, ...given: unknown[]) => unknown = pg.Pool.prototype.query;
  const underWay = new Set<Promise<unknown>>();
  let gate: Promise<void> | null = null;
  vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(function (this: pg.Pool, ...given: unknown[]) {
    if (Object(given[0]).name !== HEARING) return query.apply(this, given);
    const asked = Promise.resolve(gate).then(() => {
      const answer = Promise.resolve(query.apply(this, given));
      underWay.add(answer);
      const done = () => underWay.delete(answer);
      answer.then(done, done);
      return answer;
    });
    return asked;
  });
  return {
    async without(during) {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      await Promise.allSettled(underWay);
      try {
        return await during();
      } finally {
        gate = null;
        open();
      }
    },
  };
}
