import type { PublishTarget } from '../../domain/events.ts';
import { readTopic, type Topic } from '../../domain/live/topic.ts';
import { refusal } from '../../kernel/errors.ts';
import type { PresentedCredentials } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { authenticate } from '../security/authenticate.ts';
import { admission } from './admission.ts';
import { Evaluations } from './evaluations.ts';
import { Expiries } from './expiries.ts';
import { ProjectStreams } from './project-streams.ts';
import type { ReadingContext } from './reading.ts';
import { StreamBounds } from './stream-bounds.ts';
import { type Sink, Subscriber } from './subscriber.ts';
import { ValueMemory } from './value-memory.ts';

interface LiveRequest {
  /** As the client wrote them. */
  readonly topics: readonly string[];
  readonly target: PublishTarget;
  /** The client's address, as streams are counted by; `null`: it comes from this machine, and is not counted. */
  readonly address: string | null;
  /** The last id that the client got; `null`: it comes for the first time. */
  readonly lastEventId: string | null;
}

/** The stream of one client. */
interface LiveStream {
  /** Begins to send. A topic that the caller may not read is refused inside the stream. */
  start(sink: Sink): void;
  /** Call this when there may be room again. */
  room(): void;
  /** The id that a stream without messages sends, which says how far its client is; `null`: not known yet. */
  keepAlive(): string | null;
  close(): void;
}

export interface Live {
  /**
   * Opens a stream. Throws the refusals of `App.authenticate`, 401 if the project asks for proof and the player is not proven, 400
   * INVALID_REQUEST for an invalid topic, 503 BUSY if too many streams or topics are open, here or of the project, key or address.
   */
  open(projectId: string, presented: PresentedCredentials, request: LiveRequest): Promise<LiveStream>;
}

/**
 * Changes as they happen. A message holds what the plain read of its topic would answer at the message's revision. The tail of the log says
 * what has changed. One read on this node makes the new value, and every client that may read the topic gets it.
 */
export function createLive(parts: Omit<ReadingContext, 'evaluations'>): Live {
  const evaluations = new Evaluations(parts.context.scheduler);
  const read: ReadingContext = { ...parts, evaluations };
  const { context } = read;
  const { live } = context;
  const byProject = new Map<string, ProjectStreams>();
  const shared = {
    memory: new ValueMemory(live.valueBytes, (bytes) => live.observer.values(bytes)),
    expiries: new Expiries(context.scheduler),
    evaluations,
  };
  const bounds = new StreamBounds(live.bounds, (by) => live.observer.refused(by));
  let isWatching = false;

  const counted = () => {
    live.observer.open(bounds.streams, bounds.topics);
    watchStale();
  };

  /** While there are streams, each is told whether the node has lost sight of the log, or sees it again. */
  const watchStale = () => {
    if (isWatching || bounds.streams === 0) return;
    isWatching = true;
    context.scheduler.after(STALE_LOOK_MS, () => {
      isWatching = false;
      for (const streams of byProject.values()) streams.mark(isStale(context, streams.project));
      watchStale();
    });
  };

  const streamsOf = (project: Project): ProjectStreams => {
    const known = byProject.get(project.id);
    if (known?.project === project) return known;
    const made = new ProjectStreams(project, context, shared, {
      closed: () => {
        if (byProject.get(project.id) === made) byProject.delete(project.id);
      },
    });
    byProject.set(project.id, made);
    return made;
  };

  return {
    async open(projectId, presented, { topics: texts, target, address, lastEventId }) {
      const caller = await authenticate(context, projectId, presented);
      const since = lastEventId === null ? null : revisionOf(lastEventId);
      const topics = topicsOf(texts, since, live.topics);
      const known = topics.flatMap((topic) => topic.since ?? []);
      const project = await projectOf(context, { ...caller, position: Math.max(caller.position ?? -1, ...known) });
      const streams = streamsOf(project);
      streams.mark(isStale(context, project));
      return streams.opening(async () => {
        const isKnown = since !== UNKNOWN && (known.length === 0 || (await isReachable(streams, known)));
        const release = bounds.take({ project: project.id, key: caller.key.keyId, address }, topics.length);
        // The watermark of this caller was waited for above. The shared reading must not wait for it, or all its clients would.
        const withoutWatermark = { ...presented, position: null };
        const subscriber = new Subscriber(topics, !isKnown, streams, {
          authenticate: () => authenticate(context, projectId, withoutWatermark),
          admission: (asking, topic) => admission(read, asking, topic, target),
          left: () => {
            release();
            counted();
          },
        });
        streams.subscribers.add(subscriber);
        counted();
        await beginOrClose(subscriber);
        return streamOf(subscriber, project);
      });
    },
  };
}

/** How often it is looked whether a node may not know the latest changes, ms. */
const STALE_LOOK_MS = 500;

/** Whether a plain read of the project would be stale, or refused because the node has not heard from the log for too long. */
function isStale({ projects }: AppContext, project: Project): boolean {
  try {
    return projects.freshness(project).stale;
  } catch {
    return true;
  }
}

/** A stream that may not be opened leaves nothing behind. */
async function beginOrClose(subscriber: Subscriber): Promise<void> {
  try {
    await subscriber.begin();
  } catch (error) {
    subscriber.close();
    throw error;
  }
}

function streamOf(subscriber: Subscriber, project: Project): LiveStream {
  return {
    start: (sink) => subscriber.start(sink),
    room: () => subscriber.room(),
    keepAlive() {
      project.used();
      return subscriber.cursor();
    },
    close: () => subscriber.close(),
  };
}

/** An id that no stream of this project gave. */
const UNKNOWN = -1;

function revisionOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : UNKNOWN;
}

/** Whether the changes since these revisions are known. A revision beyond the end of the log belongs to another log. */
function isReachable({ changes, project }: ProjectStreams, known: readonly number[]): Promise<boolean> | boolean {
  if (Math.max(...known) > project.set.head) return false;
  return changes.reach(Math.min(...known), project.set.head);
}

function topicsOf(texts: readonly string[], since: number | null, most: number): readonly Topic[] {
  if (texts.length === 0)
    throw refusal('INVALID_REQUEST', 'Say what to listen to: ?topic=documents/COLLECTION/KEY, as often as there are topics');
  if (texts.length > most) throw refusal('INVALID_REQUEST', `A stream has at most ${most} topics`);
  const topics = texts
    .map((text) => readTopic(text))
    .map((topic) => ({ ...topic, since: topic.since ?? (since === UNKNOWN ? null : since) }));
  // A topic that is named twice is sent once.
  return [...new Map(topics.map((topic) => [topic.text, topic])).values()];
}
