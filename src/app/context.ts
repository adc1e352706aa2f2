import type { DomainEvent } from '../domain/events.ts';
import type { KeepingRules } from '../domain/idempotency/answers.ts';
import { type ProjectSettings, projectSettings } from '../domain/project/settings.ts';
import type { SaveFailed } from '../domain/telemetry/events.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { refusal } from '../kernel/errors.ts';
import type { RoundRobin } from '../kernel/round-robin.ts';
import type { Scheduler } from '../kernel/scheduler.ts';
import { actorOf } from './access.ts';
import type { Positioned } from './answers.ts';
import type { Caller } from './caller.ts';
import type { Compiler } from './ports/compiler.ts';
import type { PlayerVerifier } from './ports/player-verifier.ts';
import type { TelemetryReader, ViewReader, ViewTable } from './ports/readers.ts';
import type { Signer } from './ports/signer.ts';
import type { Webhooks } from './ports/webhooks.ts';
import { type Decided, type Decision, newCommandId, type Outcome } from './project/commit.ts';
import type { Project } from './project/project.ts';
import type { Projects } from './project/projects.ts';
import type { Scans } from './project/scans.ts';
import type { View } from './project/view.ts';
import type { HeartbeatFolds } from './telemetry/heartbeat-folds.ts';
import type { TelemetryRecorder } from './telemetry/telemetry-recorder.ts';

/** What the use cases share: the open projects, the views, the clock, the limits. */
export interface AppContext {
  readonly projects: Projects;
  readonly views: ViewReader;
  readonly scheduler: Scheduler;
  /** In which projects compute that compute for long. */
  readonly turns: RoundRobin;
  readonly limits: {
    readonly documentBytes: number;
    /** How long an endpoint call may compute, ms. */
    readonly endpointMs: number;
    /** How long a read of a view waits for it to reach what this node has committed, ms. */
    readonly viewWaitMs: number;
    /** What is kept of requests with an `Idempotency-Key`; of the larger answers to management `managed`. */
    readonly answers: { readonly game: KeepingRules; readonly managed: KeepingRules };
    /** Rows of one answer of a query. */
    readonly answerBytes: number;
    /** What boards may take in memory, all of them together. */
    readonly boardBytes: number;
  };
  /** Told what boards take in memory, in bytes, whenever one has come or gone. */
  onBoards(bytes: number): void;
  /** What passes over all documents of a collection waits here for its turn. */
  readonly scans: Scans;
  /** The installation's key for security configs; read or made when it is first needed. */
  signer(): Promise<Signer>;
  /** Plausible player ids. */
  readonly platformId: RegExp;
  /** What webhook steps send. */
  readonly webhooks: Webhooks;
  /** Compiles and judges large definitions. */
  readonly compiler: Compiler;
  /** Proves who a player is. */
  readonly verifier: PlayerVerifier;
  readonly telemetry: TelemetryParts;
}

/** What players report has its own way to the log, and tables of its own. */
export interface TelemetryParts {
  readonly recorder: TelemetryRecorder;
  readonly heartbeats: HeartbeatFolds;
  readonly reader: TelemetryReader;
  /** For the operators: a game did not find what it had saved. */
  onSaveFailed(projectId: string, failure: SaveFailed): void;
}

/** The caller's project, open and reached up to the caller's watermark: at once where it is, as it nearly always is. */
export function projectOf(context: AppContext, caller: Caller): Awaitable<Project> {
  const project = context.projects.peek(caller.projectId);
  return project ? reached(context, project, caller) : opened(context, caller);
}

async function opened(context: AppContext, caller: Caller): Promise<Project> {
  const project = await context.projects.get(caller.projectId);
  if (!project) throw refusal('UNAUTHORIZED');
  return reached(context, project, caller);
}

function reached({ scheduler }: AppContext, project: Project, { position }: Caller): Awaitable<Project> {
  project.lastUsedAt = scheduler.monotonic();
  return position !== null && position > project.set.head ? project.seek(position).then(() => project) : project;
}

/** How current an answer is that reflects this node's head. `reached`: whether it shows what the caller's watermark asks for. */
export function positioned(context: AppContext, project: Project, caller: Caller, reached = true): Positioned {
  const { stale } = context.projects.freshness(project);
  const behind = caller.position !== null && caller.position > project.set.head;
  return { position: project.set.head, stale: stale || behind || !reached };
}

/**
 * Waits for the views to show `revision`, and answers whether they do. Throws 503 `BEHIND` while `table` is still on its first way to where
 * the log was: an answer out of it would not be an old one, it would say that there is nothing.
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

/** As of this node's head: for what has to be known before a decision, which looks again. */
export function settingsOf(project: Project): ProjectSettings {
  return projectSettings(project.authority?.settings ?? {});
}

/** Where a commit, or the one that is answered again, has brought the project. */
export function stored({ revision, replayed }: Outcome<unknown>): Positioned {
  return { position: revision, stale: false, replayed };
}

/** What games and servers store. Whoever manages the project can always mend what fills it. */
const COUNTED = /^(?:document|record|endpoint|session)\./;

/** Runs a command of this caller, within what the project may store. `decide` may run several times. Rejects with 429 QUOTA_EXCEEDED. */
export function execute<A>(
  project: Project,
  caller: Caller,
  cause: string,
  decide: (view: View, now: number) => Decided<A>,
  endpoint?: string,
): Promise<Outcome<A>> {
  const command = { commandId: newCommandId(), cause, actor: actorOf(caller, endpoint), decide };
  const { store } = project.quotas;
  if (store === null || !COUNTED.test(cause)) return project.execute(command);
  return store.execute(project, command);
}

export function decided<A>(answer: A, events: readonly DomainEvent[] = []): Decision<A> {
  return { events, answer };
}
