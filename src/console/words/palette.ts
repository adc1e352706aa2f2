/** What the palette offers for what was typed. */

export interface Offer {
  readonly name: string;
  /** What it is, and words to find it by. */
  readonly about: string;
}

/** What of a game has a name, as the server found it. */
export interface NamedFound {
  readonly is: string;
  readonly named: {
    readonly id: string;
    readonly called?: string;
    readonly what?: string;
    readonly part?: string;
    readonly target?: string;
  };
}

const KINDS: Readonly<Record<string, string>> = {
  board: 'leaderboard',
  rule: 'rate limit',
  field: 'limit of a field',
  group: 'group of values',
  table: 'table of values',
};

/** What something with a name is: of a value, which; of a part, what it is a part as. */
export function kindWord(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** A definition, a game value or a part of one: how it is called, where it is, and what it is. */
export function namedOffer({ is, named: { id, called, what = is, part, target } }: NamedFound): Offer & { readonly kind: string } {
  const about = part !== undefined ? `in ${id}` : called === undefined ? '' : id;
  const staged = target === undefined ? '' : 'staged';
  return { kind: kindWord(what), name: part ?? called ?? id, about: [about, staged].filter((each) => each !== '').join(', ') };
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
