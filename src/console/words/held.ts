/** What somebody holds, as one looks for it. */

/** “publish 5011” and “commit 5011”, as this console writes them, are the number; anything else is what was typed. */
export function heldIn(typed: string): string {
  const held = typed.trim();
  return /^(?:publish|commit|revision)\s+(\d{1,15})$/i.exec(held)?.[1] ?? held;
}

/** How the list of keys shows a key that was typed whole: a secret one by its beginning and end, so that it comes into no address. */
export function keyShown(held: string): string | null {
  const [, prefix = '', kind, random = ''] = /^(\w{0,32}?_)(ns|sk)_(\w{20,})$/.exec(held) ?? [];
  if (kind === undefined) return null;
  return kind === 'ns' ? held : `${prefix}${kind}_${random.slice(0, 4)}...${random.slice(-4)}`;
}
