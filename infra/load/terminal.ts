/** Output and options of the benchmarks. Results go to standard output, progress to standard error. */

/** The option's value as a positive number. Throws with its name for anything else. */
export function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} must be positive`);
  return number;
}

const began = performance.now();

export function progress(text: string): void {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
