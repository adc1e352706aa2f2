/**
 * The paths of files that are to lie in one folder, with `/` between. Two are in each other's way if they differ in letter case alone,
 * because some file systems ignore it, or if one is a folder of the other.
 */
export class TakenPaths {
  readonly #existing: ReadonlySet<string>;
  /** By their lower case. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Set<string>();

  /** `existing`: files of the folder. Two of them that differ in letter case alone show that their file system tells them apart. */
  constructor(existing: Iterable<string>) {
    this.#existing = new Set(existing);
  }

  add(path: string): void {
    this.#files.set(path.toLowerCase(), path);
    for (const folder of foldersOf(path)) this.#folders.add(folder.toLowerCase());
  }

  isFree(path: string): boolean {
    const taken = this.#files.get(path.toLowerCase());
    if (taken !== undefined && !(taken !== path && this.#existing.has(taken) && this.#existing.has(path))) return false;
    return !this.#folders.has(path.toLowerCase()) && foldersOf(path).every((folder) => !this.#files.has(folder.toLowerCase()));
  }
}

/** The folders above a file: `a` and `a/b` of `a/b/c.yml`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
