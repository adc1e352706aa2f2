/** The classes that apply, as the attribute takes them. */
export function classes(...names: readonly (string | false | undefined | null)[]): string {
  return names.filter((name) => name).join(' ');
}
