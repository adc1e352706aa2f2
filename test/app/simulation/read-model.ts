import type { Checkpoint, StateReader } from '../../../src/app/ports/state-reader.ts';
import { evolve } from '../../../src/app/project/evolve.ts';
import type { SubjectState } from '../../../src/domain/states.ts';
import { type SubjectKey, subjectsOf } from '../../../src/domain/subjects.ts';
import { readProjectEvent } from '../../../src/log/decode.ts';
import type { NodeClock } from './clock.ts';
import { STREAM, type World } from './world.ts';

/** The state tables: one projector that lags at random, and commits rows and checkpoint together. */
export class ReadModel {
  checkpoint: Checkpoint | null = null;
  /** Called with the checkpoint after each batch. */
  onProgress: (revision: number) => void = () => undefined;
  readonly #world: World;
  readonly #rows = new Map<SubjectKey, SubjectState | null>();
  /** Until when the projector does nothing. */
  pausedUntil = 0;

  constructor(world: World) {
    this.#world = world;
  }

  start(): void {
    void this.#project();
  }

  row(subject: SubjectKey): SubjectState | null {
    return this.#rows.get(subject) ?? null;
  }

  /** Folds one batch in one "transaction". */
  async step(limit: number): Promise<void> {
    const from = (this.checkpoint?.revision ?? -1) + 1;
    for (const recorded of await this.#world.log.read(STREAM, { from, limit, direction: 'forwards' })) {
      const event = readProjectEvent(recorded);
      for (const subject of subjectsOf(event)) this.#rows.set(subject, evolve(subject, this.row(subject), event));
      this.checkpoint = { revision: event.revision, hash: event.hash };
    }
    if (this.checkpoint) this.onProgress(this.checkpoint.revision);
  }

  async #project(): Promise<void> {
    const { clock, random } = this.#world;
    for (;;) {
      await clock.wait(random.chance(0.1) ? random.between(40, 200) : random.between(1, 40));
      if (clock.now >= this.pausedUntil) await this.step(random.whole(1, 30));
    }
  }
}

/** Not an error of ours: what a database client throws. */
class ConnectionLost extends Error {
  readonly code = 'ECONNRESET';
}

/** The state tables as one node reaches them. The snapshot is taken somewhere on the way, so loads race with the projector. */
export function readerOf(world: World, model: ReadModel, machine: NodeClock): StateReader {
  const ask = async <T>(question: () => T): Promise<T> => {
    await world.clock.wait(world.travel());
    const answer = question();
    await world.clock.wait(world.faulty && world.random.chance(0.15) ? world.random.between(20, 120) : world.travel());
    if (machine.dead) return new Promise<T>(() => undefined);
    if (world.faulty && world.random.chance(0.02)) throw new ConnectionLost('read ECONNRESET');
    return answer;
  };
  return {
    checkpoint: () => ask(() => model.checkpoint),
    // No command of the simulation looks through a collection.
    documentKeys: () => ask(() => ({ revision: model.checkpoint?.revision ?? -1, keys: [], bytes: 0 })),
    countDocuments: () => ask(() => ({ revision: model.checkpoint?.revision ?? -1, documents: 0, bytes: 0, last: null })),
    load: (_project, subjects) =>
      ask(() => ({ revision: model.checkpoint?.revision ?? -1, states: subjects.map((subject) => model.row(subject)) })),
  };
}
