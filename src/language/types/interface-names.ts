/** Names of the interfaces of a collection's documents. */
export interface InterfaceNames {
  readonly read: string;
  readonly save: string;
}

/** A unique name for each collection by its id: `high-scores` → `HighScores`. */
export function interfaceNames(ids: readonly string[]): ReadonlyMap<string, InterfaceNames> {
  const taken = new Set(['Game', 'GameSave']);
  const names = new Map<string, InterfaceNames>();
  for (const id of ids) {
    const base = baseOf(id);
    let [name, count] = [base, 1];
    while (taken.has(name) || taken.has(`${name}Save`)) name = `${base}${++count}`;
    taken.add(name).add(`${name}Save`);
    names.set(id, { read: name, save: `${name}Save` });
  }
  return names;
}

/** An identifier. An id that would hide a global name, such as `Map`, gets a longer one. */
function baseOf(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const name = /^[A-Za-z]/.test(joined) ? joined : `Collection${joined}`;
  return name in globalThis || RESERVED.has(name) ? `${name}Document` : name;
}

/** Types of TypeScript that the generated file may use or shadow. */
const RESERVED = new Set(['Record', 'Readonly', 'Partial', 'Document', 'Node', 'Element']);
