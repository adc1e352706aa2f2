/** What the palette offers for what was typed. */

export interface Offer {
  readonly name: string;
  /** What it is, and words to find it by. */
  readonly about: string;
}

/** What of a game has a name, as the server found it. */
interface NamedFound {
  readonly is: string;
  readonly named: { readonly id: string; readonly called?: string; readonly part?: string; readonly target?: string };
}

const KINDS: Readonly<Record<string, string>> = { board: 'leaderboard', rule: 'rate limit' };

/** A definition, a game value or a part of one: how it is called, where it is, and what it is. */
export function namedOffer({ is, named: { id, called, part, target } }: NamedFound): Offer & { readonly kind: string } {
  const about = part !== undefined ? `in ${id}` : called === undefined ? '' : id;
  const staged = target === undefined ? '' : 'staged';
  return { kind: KINDS[is] ?? is, name: part ?? called ?? id, about: [about, staged].filter((each) => each !== '').join(', ') };
}

/** The offers in which every word that was typed begins a word; those whose name begins so come first. Nothing typed: all of them. */
export function offersFor<One extends Offer>(offers: readonly One[], typed: string): readonly One[] {
  const words = wordsOf(typed);
  const [first = ''] = words;
  const fitting = offers.filter(({ name, about }) => {
    const its = wordsOf(`${name} ${about}`);
    return words.every((word) => its.some((one) => one.startsWith(word)));
  });
  const isNamed = ({ name }: One) => name.toLowerCase().startsWith(first);
  return [...fitting.filter(isNamed), ...fitting.filter((one) => !isNamed(one))];
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
