/** Those that have what was typed in their name or id, whatever the letter case; nothing typed: all. */
export function namedLike<One extends { readonly id: string; readonly name: string }>(all: readonly One[], typed: string): readonly One[] {
  const wanted = typed.toLowerCase();
  return all.filter(({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
}
