import type pg from 'pg';
import { createKeyUseTable } from '../../projections/key-uses.ts';
import { KeyUses } from '../app/security/key-uses.ts';
import { pause } from '../kernel/pause.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { OutageLogger } from './outages.ts';
import type { Shutdown } from './shutdown.ts';

/** How often the uses of keys are written, ms. */
const WRITE_MS = 60_000;

interface KeyUsesBuild {
  readonly pool: pg.Pool;
  readonly outages: OutageLogger;
  readonly shutdown: Shutdown;
}

/** Notes when keys are used, of a process that serves requests. */
export function noteKeyUses({ pool, outages, shutdown }: KeyUsesBuild): KeyUses {
  const uses = new KeyUses(createKeyUseTable(pool), realScheduler);
  const write = () =>
    uses.write().catch((err: unknown) => outages.warn({ err }, 'when keys were used last could not be noted; it is tried again'));
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await pause(WRITE_MS, stopping.signal);
      await write();
    }
  })();
  shutdown.add(async () => {
    stopping.abort();
    await running;
  });
  return uses;
}
