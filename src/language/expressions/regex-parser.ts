import { LanguageError } from './errors.ts';

/** Parses the patterns of `regex.ts`: JavaScript's syntax without back-references and look-around. `(?i)` in front ignores case. */

/** Whether a UTF-16 code unit matches. */
export type Char = (code: number) => boolean;

export type Regexp =
  | { readonly kind: 'char'; readonly matches: Char }
  | { readonly kind: 'assert'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Regexp[] }
  | { readonly kind: 'choice'; readonly options: readonly Regexp[] }
  | { readonly kind: 'repeat'; readonly item: Regexp; readonly min: number; readonly max: number };

const MAX_NESTING = 20;
const MAX_REPEAT = 1000;

const isDigit: Char = (code) => code >= 48 && code <= 57;
const isWord: Char = (code) => isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Char = (code) => /\s/.test(String.fromCharCode(code));
const isLineEnd: Char = (code) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
const not =
  (matches: Char): Char =>
  (code) =>
    !matches(code);

const CLASSES: ReadonlyMap<string, Char> = new Map([
  ['d', isDigit],
  ['D', not(isDigit)],
  ['w', isWord],
  ['W', not(isWord)],
  ['s', isSpace],
  ['S', not(isSpace)],
]);
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['f', 12],
  ['v', 11],
]);

function wordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && isWord(text.charCodeAt(at));
}

export function parseRegex(source: string): Regexp {
  const ignoreCase = source.startsWith('(?i)');
  const parser = new RegexParser(ignoreCase ? source.slice(4) : source, ignoreCase);
  return parser.whole();
}

class RegexParser {
  private readonly source: string;
  private readonly ignoreCase: boolean;
  private at = 0;
  private depth = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.source = source;
    this.ignoreCase = ignoreCase;
  }

  whole(): Regexp {
    const node = this.choice();
    if (this.at < this.source.length) throw invalid();
    return node;
  }

  private peek(): string {
    return this.source.charAt(this.at);
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private next(): string {
    const char = this.source.charAt(this.at);
    if (char === '') throw invalid();
    this.at += 1;
    return char;
  }

  private choice(): Regexp {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  private sequence(): Regexp {
    const items: Regexp[] = [];
    while (this.at < this.source.length && this.peek() !== '|' && this.peek() !== ')') items.push(this.quantified());
    return { kind: 'sequence', items };
  }

  private quantified(): Regexp {
    const item = this.atom();
    const counts = this.counts();
    if (counts === null) return item;
    // A lazy quantifier changes what is captured, but not whether the pattern matches.
    this.take('?');
    if ('*+?'.includes(this.peek()) && this.peek() !== '') throw invalid();
    const [min, max] = counts;
    if (min > max || min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT)) throw invalid();
    return { kind: 'repeat', item, min, max };
  }

  private counts(): readonly [number, number] | null {
    if (this.take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.take('?')) return [0, 1];
    const braces = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.source.slice(this.at, this.at + 12));
    if (braces === null) return null;
    this.at += braces[0].length;
    const min = Number(braces[1]);
    if (braces[2] === undefined) return [min, min];
    return [min, braces[3] === undefined ? Number.POSITIVE_INFINITY : Number(braces[3])];
  }

  private atom(): Regexp {
    const char = this.next();
    if (char === '(') return this.group();
    if (char === '[') return { kind: 'char', matches: this.set() };
    if (char === '.') return { kind: 'char', matches: not(isLineEnd) };
    if (char === '^') return { kind: 'assert', holds: (_text, at) => at === 0 };
    if (char === '$') return { kind: 'assert', holds: (text, at) => at === text.length };
    if (char === '\\') return this.escape();
    if ('*+?'.includes(char)) throw invalid();
    return this.literal(char.charCodeAt(0));
  }

  private group(): Regexp {
    if (this.take('?')) this.groupKind();
    this.depth += 1;
    if (this.depth > MAX_NESTING) throw new LanguageError('Pattern is nested too deeply.');
    const node = this.choice();
    this.depth -= 1;
    if (!this.take(')')) throw invalid();
    return node;
  }

  private groupKind(): void {
    if (this.take(':')) return;
    const name = /^<[A-Za-z_]\w*>/.exec(this.source.slice(this.at));
    if (name === null) throw new LanguageError('Pattern uses look-around or a flag, which are not supported.');
    this.at += name[0].length;
  }

  private escape(): Regexp {
    const char = this.next();
    if (char === 'b') return { kind: 'assert', holds: (text, at) => wordAt(text, at - 1) !== wordAt(text, at) };
    if (char === 'B') return { kind: 'assert', holds: (text, at) => wordAt(text, at - 1) === wordAt(text, at) };
    if (/[1-9k]/.test(char)) throw new LanguageError('Pattern uses a back-reference, which is not supported.');
    const known = CLASSES.get(char);
    return known === undefined ? this.literal(this.escaped(char)) : { kind: 'char', matches: known };
  }

  /** The code unit of an escaped character. */
  private escaped(char: string): number {
    const control = CONTROLS.get(char);
    if (control !== undefined) return control;
    if (char === '0') return 0;
    const digits = char === 'x' ? 2 : char === 'u' ? 4 : 0;
    const hex = this.source.slice(this.at, this.at + digits);
    if (digits > 0) {
      if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) throw invalid();
      this.at += digits;
      return Number.parseInt(hex, 16);
    }
    if (/[A-Za-z]/.test(char)) throw invalid();
    return char.charCodeAt(0);
  }

  private literal(code: number): Regexp {
    return { kind: 'char', matches: this.cased((other) => other === code) };
  }

  private cased(matches: Char): Char {
    if (!this.ignoreCase) return matches;
    return (code) => {
      const char = String.fromCharCode(code);
      return matches(code) || matches(char.toLowerCase().charCodeAt(0)) || matches(char.toUpperCase().charCodeAt(0));
    };
  }

  /** Parses a set, after `[`. */
  private set(): Char {
    const negated = this.take('^');
    const parts: Char[] = [];
    while (!this.take(']')) parts.push(this.setPart());
    const any = this.cased((code) => parts.some((matches) => matches(code)));
    return negated ? not(any) : any;
  }

  private setPart(): Char {
    const low = this.setChar();
    if (typeof low === 'function') return low;
    const isRange = this.peek() === '-' && this.source.charAt(this.at + 1) !== ']' && this.source.charAt(this.at + 1) !== '';
    if (!isRange) return (code) => code === low;
    this.at += 1;
    const high = this.setChar();
    if (typeof high === 'function' || high < low) throw invalid();
    return (code) => code >= low && code <= high;
  }

  private setChar(): number | Char {
    const char = this.next();
    if (char !== '\\') return char.charCodeAt(0);
    const escaped = this.next();
    if (escaped === 'b') return 8;
    return CLASSES.get(escaped) ?? this.escaped(escaped);
  }
}

function invalid(): LanguageError {
  return new LanguageError('Invalid pattern.');
}
