import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print, progress } from './terminal.ts';

/** What one run of a benchmark may use, and what ends with it. */
export interface BenchRun {
  /** An empty folder that is removed at the end. */
  readonly folder: string;
  /** Registers what must be stopped at the end, whether the run succeeds, fails or is interrupted. The last one is stopped first. */
  defer(stop: () => unknown): void;
}

export interface Benchmark<Options> {
  /** Part of the name of its folder. */
  readonly name: string;
  readonly usage: string;
  /** Returns `null` when `--help` was given. Throws with the option's name for a value that cannot be. */
  readOptions(): Options | null;
  /** Resolves to the exit code. */
  run(options: Options, run: BenchRun): Promise<number>;
}

/** Runs a benchmark as the program of this process, and ends the process with its exit code; 1 after a failure or a signal. */
export async function runBenchmark<Options>(benchmark: Benchmark<Options>): Promise<never> {
  const code = await completed(benchmark).catch((error: unknown) => {
    progress(`${benchmark.name} failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  });
  return process.exit(code);
}

async function completed<Options>({ name, usage, readOptions, run }: Benchmark<Options>): Promise<number> {
  const options = readOptions();
  if (options === null) {
    print(usage);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), `savepoint-${name}-`));
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const cleaned = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  // What is stopped by a signal makes the run fail, which then waits for the same end.
  let cleaning: Promise<void> | null = null;
  const clean = () => {
    cleaning ??= cleaned();
    return cleaning;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void clean().finally(() => process.exit(1)));
  try {
    return await run(options, { folder, defer: (stop) => void stops.push(stop) });
  } finally {
    await clean();
  }
}
