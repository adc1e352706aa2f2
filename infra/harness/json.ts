/** Reads answers of unknown shape. A path is dotted; list items are addressed by index. A missing value is `undefined`, never an error. */

/** The value at `path`; `undefined` where there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, name)?.value;
  }
  return found;
}

/** The number at `path`; `NaN` where there is none, so that every comparison with it is false. */
export function numberAt(value: unknown, path: string): number {
  const found = at(value, path);
  return typeof found === 'number' ? found : Number.NaN;
}

/** The text at `path`; `undefined` where there is none. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = at(value, path);
  return typeof found === 'string' ? found : undefined;
}

/** The list at `path`; empty where there is none. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}
