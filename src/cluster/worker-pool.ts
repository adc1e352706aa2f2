import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { memberFor } from './affinity.ts';
import { createExposition } from './exposition.ts';
import type { WorkerMessage } from './messages.ts';
import { PoolMember } from './pool-member.ts';

export interface WorkerPoolOptions<Start> {
  readonly size: number;
  /** The value that each worker gets at its start. */
  readonly start: Start;
  /** The metrics of this process. Those of the workers are added. */
  readonly registry: Registry;
  readonly logger: Logger;
}

export interface WorkerPool {
  /** Passes a connection to the worker of its project, or to any worker if it has no project. */
  dispatch(socket: Socket, head: Buffer, project: string | null): void;
  /** The text of `/metrics` for all processes. */
  exposition(): Promise<string>;
  /** Lets every worker finish its requests. Those that still run after `withinMs` are killed. */
  stop(withinMs: number): Promise<void>;
}

const NO_WORKER_RESPONSE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  'Retry-After: 1',
  'Connection: close',
  '',
  '{"ok":false,"error":{"code":"BUSY","message":"No worker is ready"},"message":"No worker is ready"}',
].join('\r\n');

/** Starts the workers: this program again, with the same arguments. Resolves when all serve; throws if one cannot. */
export async function startWorkerPool<Start>({ size, start, registry, logger }: WorkerPoolOptions<Start>): Promise<WorkerPool> {
  const exposition = createExposition(registry);
  let turn = 0;

  const textOfAll = () =>
    exposition.text(
      members.filter(({ isReady }) => isReady),
      (member, ask) => member.send({ kind: 'measure', ask }),
    );
  const expose = async (to: PoolMember<Start>, ask: number) => to.send({ kind: 'exposition', ask, text: await textOfAll() });

  const onReport = (member: PoolMember<Start>, report: WorkerMessage) => {
    if (report.kind === 'measured') exposition.measured(report.ask, report.metrics);
    if (report.kind === 'expose') expose(member, report.ask).catch((error: unknown) => logger.warn({ err: error }, 'no metrics'));
  };
  const members = Array.from({ length: size }, (_, index) => new PoolMember<Start>(index, { start, logger, onReport }));
  countReady(members, registry);

  /** The project's worker. For a connection without a project, the next worker in turn. */
  const choose = (project: string | null): PoolMember<Start> | undefined => {
    const serving = members.filter(({ isReady }) => isReady);
    if (project === null) return serving[++turn % Math.max(1, serving.length)];
    const index = memberFor(
      project,
      serving.map((member) => member.index),
    );
    return index === undefined ? undefined : members[index];
  };

  const stop = async (withinMs: number) => {
    await Promise.all(members.map((member) => member.stop(withinMs)));
  };

  const reason = (await Promise.all(members.map((member) => member.start()))).find((one) => one !== null);
  if (reason !== undefined) {
    await stop(0);
    throw new Error(`A worker did not start: ${reason}`);
  }

  return {
    stop,
    exposition: textOfAll,
    dispatch(socket, head, project) {
      const isTaken = choose(project)?.take(socket, head) ?? false;
      if (!isTaken) socket.end(NO_WORKER_RESPONSE);
    },
  };
}

function countReady(members: readonly { readonly isReady: boolean }[], registry: Registry): void {
  new Gauge({
    name: 'savepoint_workers_ready',
    help: 'Worker processes that serve',
    registers: [registry],
    collect() {
      this.set(members.filter(({ isReady }) => isReady).length);
    },
  });
}
