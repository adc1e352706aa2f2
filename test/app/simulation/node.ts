import type { StateReader } from '../../../src/app/ports/state-reader.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { Projects } from '../../../src/app/project/projects.ts';
import type { WriterLimits } from '../../../src/app/project/writer.ts';
import type { Log } from '../../../src/log/port.ts';
import { NodeClock } from './clock.ts';
import { Network, type Submission } from './network.ts';
import { type ReadModel, readerOf } from './read-model.ts';
import { EPOCH, PROJECT, type World } from './world.ts';

/** A planted fault, to see that the oracle finds it: wrappers around the parts of a node. */
export interface Plant {
  readonly log?: (log: Log) => Log;
  readonly reader?: (reader: StateReader, open: () => Project | undefined) => StateReader;
  readonly project?: (project: Project) => void;
}

/** One server process of the simulation. All is real except network, clock and database. */
export class SimulatedNode {
  readonly name: string;
  readonly machine: NodeClock;
  readonly network: Network;
  readonly projects: Projects;
  conflicts = 0;
  appends = 0;
  readonly #plant: Plant;
  readonly #planted = new WeakSet<Project>();

  constructor(
    world: World,
    name: string,
    model: ReadModel,
    limits: WriterLimits,
    cacheBytes: number,
    submissions: Submission[],
    plant: Plant,
  ) {
    this.name = name;
    this.#plant = plant;
    this.machine = new NodeClock(world.clock, EPOCH);
    this.network = new Network(world, name, this.machine, submissions);
    const reader = readerOf(world, model, this.machine);
    this.projects = new Projects({
      log: plant.log?.(this.network) ?? this.network,
      reader: plant.reader?.(reader, () => this.projects.peek(PROJECT)) ?? reader,
      scheduler: this.machine,
      limits,
      cacheBytes,
      observer: {
        appended: () => {
          this.appends += 1;
        },
        conflict: () => {
          this.conflicts += 1;
        },
        failed: () => undefined,
        queue: () => undefined,
      },
      onError: (what, error) => world.note(`${name} ${what}: ${error instanceof Error ? error.message : String(error)}`),
    });
    void this.#start();
  }

  /** Throws what opening throws. */
  async project(): Promise<Project> {
    const project = this.projects.peek(PROJECT) ?? (await this.projects.get(PROJECT));
    if (!project) throw new Error('the project is in the log from the start');
    if (!this.#planted.has(project)) this.#plant.project?.(project);
    this.#planted.add(project);
    return project;
  }

  /** The process dies. What it has sent is still on its way. */
  crash(): void {
    this.machine.dead = true;
  }

  async #start(): Promise<void> {
    for (;;) {
      try {
        return await this.projects.start();
      } catch {
        await this.machine.sleep(20);
      }
    }
  }
}
