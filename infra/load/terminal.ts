/** What the benchmarks say and are told. Results go to standard output, progress to standard error. */

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
