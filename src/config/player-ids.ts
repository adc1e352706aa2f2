/**
 * Which characters a pattern of player ids admits. Ids are parts of document keys and of addresses, so a pattern that admits others would
 * let players in who can save nothing.
 */

/** Characters of document keys, of which player ids are parts. */
const ALLOWED = /^[A-Za-z0-9_:-]$/;
const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
const FORBIDDEN = PRINTABLE.filter((char) => !ALLOWED.test(char));
/** Characters that mean themselves only behind a backslash. */
const SYNTAX = /[\^$*+?()|]/;
/** One piece of a pattern: a look-around's beginning, a group's, a set, a count, an escape, or a character. */
const PIECE =
  /\(\?<?[=!]|\(\?(?:<\w+>|:)|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\\(?:k<\w+>|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)|./gsu;
const LOOK_AROUND = /^\(\?<?[=!]$/;

/** The printable ASCII characters that a pattern admits and no key can hold. What look-arounds look at is not admitted by them. */
export function unfitCharacters(pattern: string): readonly string[] {
  const unfit = new Set<string>();
  let depth = 0;
  /** Depth of the outermost look-around that is open. */
  let within: number | null = null;
  for (const [piece] of pattern.matchAll(PIECE)) {
    if (piece.startsWith('(')) {
      depth += 1;
      if (within === null && LOOK_AROUND.test(piece)) within = depth;
    } else if (piece === ')') {
      if (within === depth) within = null;
      depth -= 1;
    } else if (within === null) {
      for (const char of admittedBy(piece)) unfit.add(char);
    }
  }
  return [...unfit];
}

function admittedBy(piece: string): readonly string[] {
  // Neither anchors, counts and word borders, nor back-references add a character of their own.
  if (SYNTAX.test(piece[0] ?? '') || /^\{\d/.test(piece) || /^\\[bBk1-9]/.test(piece)) return [];
  const one = new RegExp(`^(?:${piece})$`, 'u');
  return FORBIDDEN.filter((char) => one.test(char));
}
