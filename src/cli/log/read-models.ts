import { catchUpTelemetry } from '../../../projections/models/telemetry/catch-up.ts';
import { openInstallation } from '../../compose/installation.ts';
import { readConfig } from '../../config/config.ts';
import { projectOf } from '../../log/streams.ts';
import { createLogger } from '../../logger.ts';
import { progress } from '../context.ts';
import type { Place } from './places.ts';
import { projectStreams } from './project-streams.ts';

/** What became of the read models of the place that a log was copied to. */
export interface BroughtUp {
  readonly projects: number;
  readonly seconds: number;
  /** Projects whose read models do not move; the log of the command says why. */
  readonly behind: readonly string[];
}

/**
 * Brings the read models beside a copied log up to its end, so that a start on it finds them done. Only what is new is projected. `null`
 * where they do not lie beside the log: those of an EventStoreDB are in a Postgres of their own, and stay as true as they were.
 */
export async function bringReadModelsUp(place: Place): Promise<BroughtUp | null> {
  if (place.kind !== 'postgres' && place.kind !== 'data') return null;
  const started = performance.now();
  const { DATABASE_URL, EVENTSTORE_URL, ...env } = process.env;
  const config = readConfig(env, place.kind === 'data' ? { dataDir: place.dir } : { databaseUrl: place.url });
  const logger = createLogger({ level: 'warn' });
  const installation = await openInstallation(config, logger);
  try {
    const heads = new Map<string, number>();
    for (const stream of await projectStreams(installation)) {
      const head = await installation.log.head(stream);
      if (head) heads.set(projectOf(stream) ?? '', head.revision);
    }
    const behind = await installation.bringUp(heads, (done) => progress(`read models: ${done} of ${heads.size} projects`));
    // Its projects are those that the other read models name by now.
    const stopped = await catchUpTelemetry(installation);
    for (const [project, err] of stopped) logger.warn({ project, err }, 'what players of this project reported is not shown to the end');
    const seconds = (performance.now() - started) / 1000;
    return { projects: heads.size, seconds, behind: [...new Set([...behind, ...stopped.keys()])] };
  } finally {
    await installation.close();
  }
}
