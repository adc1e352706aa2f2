import type { DomainEvent } from '../domain/events.ts';
import type { RetentionRules } from '../domain/idempotency/answers.ts';
import { type ProjectSettings, projectSettings } from '../domain/project/settings.ts';
import type { SaveFailed } from '../domain/telemetry/events.ts';
import type { WireNamesMode } from '../domain/wire-names.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { refusal } from '../kernel/errors.ts';
import type { RoundRobin } from '../kernel/round-robin.ts';
import type { Scheduler } from '../kernel/scheduler.ts';
import { actorOf } from './access.ts';
import type { Positioned } from './answers.ts';
import type { Caller } from './caller.ts';
import type { Looking } from './looking/look-log.ts';
import type { People } from './people/people.ts';
import type { Compiler } from './ports/compiler.ts';
import type { GuestLimits } from './ports/guest-limits.ts';
import type { LiveBounds } from './ports/live-bounds.ts';
import type { LiveObserver } from './ports/live-observer.ts';
import type { PlayerVerifier } from './ports/player-verifier.ts';
import type { ViewReader, ViewTable } from './ports/readers.ts';
import type { Signer } from './ports/signer.ts';
import type { TelemetryReader } from './ports/telemetry.ts';
import type { Webhooks } from './ports/webhooks.ts';
import type { Command, Decided, Decision, Outcome } from './project/commit.ts';
import type { DecisionContext } from './project/decision-context.ts';
import type { Project } from './project/project.ts';
import type { Projects } from './project/projects.ts';
import type { Scans } from './project/scans.ts';
import { commitIds } from './request-ids.ts';
import type { KeyUses } from './security/key-uses.ts';
import type { HeartbeatFolds } from './telemetry/heartbeat-folds.ts';
import type { TelemetryRecorder } from './telemetry/telemetry-recorder.ts';

/** What all use cases share: open projects, read models, clock, limits. */
export interface AppContext {
  readonly projects: Projects;
  readonly views: ViewReader;
  readonly scheduler: Scheduler;
  /** Who there is, and what people are called who acted. */
  readonly people: Pick<People, 'know' | 'nameOf' | 'current'>;
  /** When keys were used last. */
  readonly keyUses: Pick<KeyUses, 'note' | 'of'>;
  /** Who looked at whose data. */
  readonly looking: Looking;
  /** Shares computing time between projects, for work that computes for long. */
  readonly roundRobin: RoundRobin;
  readonly limits: {
    readonly documentBytes: number;
    /** How long a request may take, ms. */
    readonly commandMs: number;
    /** How long an endpoint call may compute, ms. */
    readonly endpointMs: number;
    /** How long a read of a view waits until it shows what this node has committed, ms. */
    readonly viewWaitMs: number;
    /** Bounds of the answers kept for requests with an `Idempotency-Key`. `managed` is for the larger answers of management routes. */
    readonly answers: { readonly game: RetentionRules; readonly managed: RetentionRules };
    /** Bytes of the rows in one answer of a query. */
    readonly answerBytes: number;
    /** Bytes that all boards in memory may take together. */
    readonly boardBytes: number;
  };
  readonly live: {
    readonly bounds: LiveBounds;
    /** Topics of one stream. */
    readonly topics: number;
    /** Bytes that the present values of all topics may take together. */
    readonly valueBytes: number;
    /** How what is sent is spelled. */
    readonly names: WireNamesMode;
    readonly observer: LiveObserver;
  };
  /** Called with the bytes of all boards in memory whenever one is added or removed. */
  onBoardBytes(bytes: number): void;
  /** Called when a board that is asked for often could not be taken into memory. */
  onBoardFailed(error: unknown): void;
  /** Queues queries that pass over all documents of a collection. */
  readonly scans: Scans;
  /** The installation's key for security configs. It is read or made when first needed. */
  signer(): Promise<Signer>;
  /** The form of a player id. */
  readonly platformId: RegExp;
  /** Sends the requests of webhook steps. */
  readonly webhooks: Webhooks;
  /** Compiles and validates large definitions. */
  readonly compiler: Compiler;
  /** Proves who a player is. */
  readonly verifier: PlayerVerifier;
  readonly guestLimits: GuestLimits;
  readonly telemetry: TelemetryParts;
}

/** What a publish needs, so that a process may publish that serves nobody. */
export type PublishContext = Pick<AppContext, 'projects' | 'views' | 'scheduler'> & {
  readonly people: Pick<People, 'current'>;
  readonly limits: Pick<AppContext['limits'], 'viewWaitMs' | 'answers'>;
};

/** Telemetry has its own way to the log, and its own tables. */
export interface TelemetryParts {
  readonly recorder: TelemetryRecorder;
  readonly heartbeats: HeartbeatFolds;
  readonly reader: TelemetryReader;
  /** Called when a game did not find what it had saved, for the operator. */
  onSaveFailed(projectId: string, failure: SaveFailed): void;
}

/** The caller's project, opened and read up to the caller's watermark. Nearly always available at once. */
export function projectOf(context: Pick<AppContext, 'projects'>, caller: Caller): Awaitable<Project> {
  const project = context.projects.peek(caller.projectId);
  return project ? reached(project, caller) : opened(context, caller);
}

async function opened(context: Pick<AppContext, 'projects'>, caller: Caller): Promise<Project> {
  const project = await context.projects.get(caller.projectId);
  if (!project) throw refusal('UNAUTHORIZED');
  return reached(project, caller);
}

function reached(project: Project, { position }: Caller): Awaitable<Project> {
  project.used();
  return position !== null && position > project.set.head ? project.seek(position).then(() => project) : project;
}

/** The head of this node as an answer's position, and whether that is stale. `reached`: whether the answer shows the caller's watermark. */
export function positioned(context: AppContext, project: Project, caller: Pick<Caller, 'position'>, reached = true): Positioned {
  const { stale } = context.projects.freshness(project);
  const behind = caller.position !== null && caller.position > project.set.head;
  return { position: project.set.head, stale: stale || behind || !reached };
}

/**
 * Waits until the views show `revision`, and answers whether they do. Throws 503 `BEHIND` while `table` is catching up for the first time:
 * an answer from it would not be an old one, but would say that nothing is there.
 */
export async function viewsReached(
  { views, limits }: AppContext,
  project: Project,
  table: ViewTable,
  revision: number,
  timeoutMs: number = limits.viewWaitMs,
): Promise<boolean> {
  if (await views.caughtUp(project.id, revision, timeoutMs)) return true;
  if (await views.hasShown(project.id, table)) return false;
  throw refusal('BEHIND');
}

/** The settings at this node's head, for checks before a decision. The decision checks again. */
export function settingsOf(project: Project): ProjectSettings {
  return projectSettings(project.authority?.settings ?? {});
}

/** The position and the replay mark of a stored commit. */
export function stored({ revision, replayed }: Outcome<unknown>): Positioned {
  return { position: revision, stale: false, replayed };
}

/**
 * Commands of games and servers, which count towards quotas. A manager's commands do not count: a manager must always be able to repair a
 * full project. Revocations do not count: a full project must not keep stolen sessions and lost devices in force until the next day.
 */
const COUNTED = /^(?:document|record|endpoint|session|guest)\.(?!revoke$)/;

/**
 * Runs a caller's command within the project's quotas. `decide` may run several times. Rejects with 429 QUOTA_EXCEEDED, and with 401
 * SIGNED_OUT or 403 FORBIDDEN for a person who may no longer.
 */
export function execute<A>(
  project: Project,
  caller: Caller,
  cause: string,
  decide: (ctx: DecisionContext, now: number) => Decided<A>,
  endpoint?: string,
): Promise<Outcome<A>> {
  const { commandId, requestId } = commitIds(caller);
  const command: Command<A> = { commandId, requestId, cause, actor: actorOf(caller, endpoint), decide };
  const { store } = project.quotas;
  const run = () => (store === null || !COUNTED.test(cause) ? project.execute(command) : store.execute(project, command));
  return caller.stillMay === undefined ? run() : caller.stillMay().then(run);
}

export function decided<A>(answer: A, events: readonly DomainEvent[] = []): Decision<A> {
  return { events, answer };
}
