import { demoCredentials } from '../../../infra/harness/node.ts';
import { freePort } from '../../../infra/harness/port.ts';
import { openProject, type Project } from '../../../infra/harness/project.ts';
import { here } from '../../node/support/command-line.ts';
import { ALL_ROLES, type Ended, isRunning, type Node, newFolder, removeFolders, startNode } from '../../node/support/program.ts';
import { publishDefinitions } from './definitions.ts';

/** An installation to break: a node on a fixed port, its data folder, and the demo project with the definitions that the writers need. */
export interface Place {
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly project: Project;
  node: Node;
  /** Starts the node again on the same port, after it has ended. */
  restart(): Promise<void>;
  run(...args: readonly string[]): Promise<Ended>;
  verify(): Promise<Ended>;
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly data?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export async function openPlace({ data = newFolder(), env = {}, args = [] }: PlaceOptions = {}): Promise<Place> {
  const port = await freePort();
  const begin = () => startNode(data, { env: { ...ALL_ROLES, ...env }, port, args });
  const first = await begin();
  const project = openProject(first.url, demoCredentials(data));
  await publishDefinitions(project).catch(async (error: unknown) => {
    await first.stop();
    throw error;
  });
  const run = (...args: readonly string[]) => here(args, { env: { SAVEPOINT_DATA: data, ...env } });
  const place: Place = {
    data,
    env,
    project,
    node: first,
    async restart() {
      place.node = await begin();
    },
    run,
    verify: () => run('verify', '--wait'),
    async close() {
      project.http.close();
      if (isRunning(place.node.pid)) await place.node.stop();
      removeFolders();
    },
  };
  return place;
}
