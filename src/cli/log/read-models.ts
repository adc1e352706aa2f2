import { catchUpTelemetry } from '../../../projections/models/telemetry/catch-up.ts';
import { type Installation, openInstallation } from '../../compose/installation.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { projectOf } from '../../log/streams.ts';
import { createLogger } from '../../logger.ts';
import { printNote, progress } from '../context.ts';
import type { LogLocation } from './locations.ts';
import { projectStreams } from './project-streams.ts';

/** The outcome of catching up the read models. */
export interface CatchUpResult {
  readonly projects: number;
  readonly seconds: number;
  /** Projects whose read models make no progress. The command's own messages say why. */
  readonly behind: readonly string[];
}

/**
 * Catches up the read models of a copied log, so that a start finds them complete. Only new events are projected. The read models of an
 * EventStoreDB are in a Postgres of their own: `null` if this installation does not keep its log in that EventStoreDB.
 */
export async function catchUpReadModels(location: LogLocation, own: Config): Promise<CatchUpResult | null> {
  const config = configOf(location, own);
  if (config === null) return null;
  const installation = await openInstallation(config, createLogger({ level: 'warn' }), { mayMake: true });
  try {
    return await catchUp(installation);
  } finally {
    await installation.close();
  }
}

function configOf(location: LogLocation, own: Config): Config | null {
  const { DATABASE_URL, EVENTSTORE_URL, ...env } = process.env;
  if (location.kind === 'data') return readConfig(env, { dataDir: location.dir });
  if (location.kind === 'postgres') return readConfig(env, { databaseUrl: location.url });
  return location.kind === 'eventstore' && location.url === own.eventStoreUrl ? own : null;
}

/** Catches up the read models to the log's present end, whether a node runs beside this or not. */
export async function catchUp(installation: Installation): Promise<CatchUpResult> {
  const started = performance.now();
  const heads = new Map<string, number>();
  for (const stream of await projectStreams(installation)) {
    const head = await installation.log.head(stream);
    if (head) heads.set(projectOf(stream) ?? '', head.revision);
  }
  const behind = await installation.catchUp(heads, (done) => progress(`read models: ${done} of ${heads.size} projects`));
  // The other read models come first: they name the projects.
  const stopped = await catchUpTelemetry(installation);
  for (const [project, error] of stopped) printNote(`The telemetry of ${project} is not projected to its end: ${error.message}`);
  const seconds = (performance.now() - started) / 1000;
  return { projects: heads.size, seconds, behind: [...new Set([...behind, ...stopped.keys()])] };
}
