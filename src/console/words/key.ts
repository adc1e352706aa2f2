/** Keys of a project, as pages say them. */

export type KeyUse = 'used' | 'unused' | 'never' | 'unknown';

/** What is said of a key that is not in use; `null`: nothing. `since`: from when on uses have been noted. */
export function unusedText(use: KeyUse, since: string): string | null {
  switch (use) {
    case 'used':
      return null;
    case 'unused':
      return 'unused for 90 days';
    case 'never':
      return 'never used';
    case 'unknown':
      return `not since ${since.slice(0, 10)}, when uses began to be noted`;
  }
}

/** What a key may do, a line for each scope. */
export function permissionLines(type: 'public' | 'secret', permissions: Readonly<Record<string, string>> | null): readonly string[] {
  if (type === 'public') return ['what games may do'];
  if (permissions === null) return ['everything that keys have by themselves'];
  const lines = Object.entries(permissions).filter(([, letters]) => letters !== '' && letters !== 'none');
  return lines.length === 0 ? ['nothing'] : lines.map(([scope, letters]) => `${scope.replaceAll('_', ' ')}: ${letters}`);
}
