/** JSON pointers, as changes name what changed: `/rows/2/price`. */

/** The names on the way. */
export function pointerNames(pointer: string): readonly string[] {
  const [, ...names] = pointer.split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name as a pointer holds it. */
export function pointerName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
