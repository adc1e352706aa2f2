import type { StateReader } from '../app/ports/state-reader.ts';
import { Projects } from '../app/project/projects.ts';
import type { WriterLimits, WriterObserver } from '../app/project/writer.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../kernel/errors.ts';
import { pause } from '../kernel/pause.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import type { OutageLogger } from './outages.ts';

export const NO_OBSERVER: WriterObserver = {
  appended: () => undefined,
  conflict: () => undefined,
  failed: () => undefined,
  queue: () => undefined,
};

export function createProjects(
  config: Config,
  log: Log,
  reader: StateReader,
  logger: Pick<OutageLogger, 'warn' | 'error'>,
  observer: WriterObserver,
): Projects {
  const { groupCommits, groupBytes, queueCommits, windowBytes, commandTimeoutMs, workingSetBytes } = config.limits;
  return new Projects({
    log,
    reader,
    scheduler: realScheduler,
    limits: { groupCommits, groupBytes, queueCommits, windowBytes, deadlineMs: commandTimeoutMs, quotas: quotasIn(config) },
    cacheBytes: workingSetBytes,
    observer,
    // A refusal says in its words what is wrong; where it was made says nothing.
    onError: (what, error) => logger.error(error instanceof Refusal ? { reason: error.message } : { err: error }, what),
  });
}

/** The default quotas of projects. */
export function quotasIn({
  limits: { eventsPerDay, quotaDocuments, quotaBytes, telemetryPerMinute },
}: Config): Required<WriterLimits>['quotas'] {
  return { eventsPerDay, documents: quotaDocuments, bytes: quotaBytes, telemetryPerMinute };
}

const LOOK_MS = 250;

/**
 * For a process that does not project. Polls the checkpoints of open projects' state tables while subjects wait for them: what the tables
 * show may leave this process's memory. Returns a function that stops it.
 */
export function watchCheckpoints(
  projects: Projects,
  reader: StateReader,
  logger: Pick<OutageLogger, 'warn' | 'error'>,
): () => Promise<void> {
  const stopping = new AbortController();
  let reported = false;

  const lookAt = async (projectId: string) => {
    const checkpoint = await reader.checkpoint(projectId);
    if (checkpoint) projects.projected(projectId, checkpoint.revision);
  };
  const look = async () => {
    const waiting = projects.openProjects.filter(({ set }) => set.horizon < set.head);
    try {
      for (const { id } of waiting) await lookAt(id);
      reported = false;
    } catch (error) {
      if (!reported) logger.warn({ err: error }, 'the checkpoints cannot be read; looking again');
      reported = true;
    }
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await look();
      await pause(LOOK_MS, stopping.signal);
    }
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    await watching;
  };
}
