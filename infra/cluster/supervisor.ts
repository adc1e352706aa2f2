import { errorMessage } from '../../src/kernel/error-reporting.ts';
import { pause } from '../../src/kernel/pause.ts';

/** A part of the cluster while it runs. */
export interface Running {
  readonly pid: number;
  /** Resolves with a word or two about how it ended. */
  readonly ended: Promise<string>;
  /** Lets it finish its work; resolves when it has ended. */
  stop(): Promise<void>;
}

export interface Part {
  readonly name: string;
  readonly does: string;
  /** Where it listens, without secrets. */
  readonly address: string;
  /** Resolves when it serves. Throws when it cannot start, or when `signal` aborts. */
  start(signal: AbortSignal): Promise<Running>;
}

/** A part that is started again whenever it ends by itself. */
export interface Supervised {
  readonly part: Part;
  /** `null` while it does not run. */
  pid(): number | null;
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** A part that ran this long did not fail at its start, so the next pause is the shortest again. */
const LONG_LIFE_MS = 10_000;

/** Starts a part, and starts it again whenever it ends; each end is reported. Throws when the first start fails. */
export async function supervise(part: Part, tell: (text: string) => void): Promise<Supervised> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const state: { running: Running | null } = { running: await started(part, signal) };

  const watch = async () => {
    for (let failures = 0; !signal.aborted; ) {
      const born = Date.now();
      const how = (await state.running?.ended) ?? 'it did not start';
      state.running = null;
      if (signal.aborted) return;
      failures = Date.now() - born > LONG_LIFE_MS ? 0 : failures + 1;
      tell(`${part.name} ended (${how}); starting it again`);
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), MAX_PAUSE_MS), signal);
      if (signal.aborted) return;
      await again();
    }
  };
  const again = async () => {
    try {
      state.running = await part.start(signal);
      tell(`${part.name} serves again (process ${state.running.pid})`);
    } catch (error) {
      if (!signal.aborted) tell(`${part.name}: ${errorMessage(error)}`);
    }
  };

  const watching = watch();
  return {
    part,
    pid: () => state.running?.pid ?? null,
    async stop() {
      stopping.abort();
      await state.running?.stop();
      await watching;
      // A restart may have finished after the first stop.
      await state.running?.stop();
    },
  };
}

async function started(part: Part, signal: AbortSignal): Promise<Running> {
  try {
    return await part.start(signal);
  } catch (error) {
    throw new Error(`${part.name} could not be started: ${errorMessage(error)}`, { cause: error });
  }
}
