/** Numbers as spreadsheets write them: thousands apart, and a point or a comma before the decimals, by the country of whoever writes. */

export type Decimal = '.' | ',';

/** A number that means another one in another country, where nothing beside it tells the country. */
export interface Unclear {
  readonly text: string;
  readonly readings: Readonly<Record<Decimal, string>>;
  /** How many more there are. */
  readonly more: number;
}

/** What stands between thousands in every country: spaces of three widths, and apostrophes. */
const APART = " \u00A0\u202F'’";
const FORMS: Readonly<Record<Decimal, RegExp>> = { '.': formOf(',', '\\.'), ',': formOf('.', ',') };

function formOf(thousands: string, decimal: string): RegExp {
  const grouped = `[1-9]\\d{0,2}([${thousands}${APART}])\\d{3}(?:\\2\\d{3})*`;
  return new RegExp(`^([+\\-−]?)(?:${grouped}|0|[1-9]\\d*)(?:${decimal}\\d+)?(?:e[+-]?\\d+)?$`, 'i');
}

/** The number as the console has it; `null`: where decimals stand behind this sign, it is none. */
function readAs(text: string, decimal: Decimal): string | null {
  const found = FORMS[decimal].exec(text.trim());
  if (found === null) return null;
  const [whole, , between] = found;
  const joined = between === undefined ? whole : whole.replaceAll(between, '');
  return joined.replace(decimal, '.').replace('−', '-');
}

export interface NumbersRead {
  /** The number as the console has it; a text that is none stays. */
  readonly read: (text: string) => string;
  readonly unclear: Unclear | null;
}

/** How texts that stand together are read as numbers: what can mean two is what the others of them say. `known`: what somebody said. */
export function numbersRead(texts: readonly string[], known?: Decimal): NumbersRead {
  const twofold = new Set<string>();
  const told = new Set<Decimal>();
  let count = 0;
  for (const text of texts) {
    const [point, comma] = [readAs(text, '.'), readAs(text, ',')];
    if (point === comma) continue;
    if (point !== null && comma !== null) {
      twofold.add(text);
      count += 1;
    } else told.add(point === null ? ',' : '.');
  }
  const [only] = told.size === 1 ? told : [];
  const decimal = known ?? only;
  const [text] = decimal === undefined ? twofold : [];
  const read = (each: string) => {
    const [point, comma] = [readAs(each, '.'), readAs(each, ',')];
    return (decimal === ',' ? (comma ?? point) : (point ?? comma)) ?? each;
  };
  if (text === undefined) return { read, unclear: null };
  const readings = { '.': readAs(text, '.') ?? text, ',': readAs(text, ',') ?? text };
  return { read, unclear: { text, readings, more: count - 1 } };
}
