/**
 * What secrets look like, in one table, and the one function that masks them. Clients put secrets into paths, names and messages by
 * mistake, and addresses in errors may hold passwords. None of that may be logged or shown.
 */

interface Shape {
  readonly what: string;
  /** Group 1, if there is one, is kept: it says what was masked. */
  readonly pattern: RegExp;
}

const CODE_GROUP = '[0-9A-Za-z]{4}';
/** The beginning of an address. It is bounded, or a long word would be searched to its end from each of its letters. */
const SCHEME = '[a-z][a-z0-9+.-]{0,31}://';

const SECRET_SHAPES: readonly Shape[] = [
  // With 48 characters under any prefix; shorter ones, cut or mistyped, where they begin a word: `task_list` is none.
  { what: 'secret key', pattern: /((?<![A-Za-z0-9])sk_)[A-Za-z0-9_-]+/ },
  { what: 'secret key', pattern: /(sk_)[A-Za-z0-9]{48}/ },
  { what: 'device of a guest', pattern: /(ns_guest_)[A-Za-z0-9_-]+/ },
  { what: 'session', pattern: /((?:ns|sbox)_sess_)[A-Za-z0-9_.-]+/ },
  { what: 'sign-in of a person on the command line', pattern: /(sp_person_)[A-Za-z0-9_-]+/ },
  { what: 'pass of a guest', pattern: /(ns_pass_)[A-Za-z0-9_.-]+/ },
  { what: 'recovery code', pattern: new RegExp(`(?<![A-Za-z0-9])${CODE_GROUP}(?:(?:-|%20|\\+| )${CODE_GROUP}){6}(?![A-Za-z0-9])`) },
  { what: 'recovery code', pattern: /(?<![A-Za-z0-9])(?:[0-9A-Z]{28}|[0-9a-z]{28})(?![A-Za-z0-9])/ },
  { what: 'token of a login', pattern: /(eyJ)[A-Za-z0-9_-]{1,1024}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/ },
  { what: 'password in an address', pattern: new RegExp(`(${SCHEME}[^\\s/:@?#"\\\\]*:)[^\\s/@"\\\\]+(?=@)`) },
  { what: 'password in an address', pattern: new RegExp(`(${SCHEME})[^\\s/:@?#"\\\\]+(?=@)`) },
  { what: 'password in an encoded address', pattern: /([A-Za-z0-9]%3[Aa]%2[Ff]%2[Ff])[^\s"\\/?&]+/ },
  { what: 'query of an address', pattern: new RegExp(`(${SCHEME}[^\\s?#"\\\\]{0,1000}\\?)[^\\s"\\\\]+`) },
];

const ANY = SECRET_SHAPES.map(({ pattern }) => new RegExp(pattern.source, 'g'));

/** No shape is as short as this without an underscore, a dot, a slash or a percent sign. Most ids and names are. */
const PLAIN = /^[0-9A-Za-z: -]{0,27}$/;

/** Whether a text is too short and plain to hold a secret, at a fraction of the time of {@link maskSecrets}. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The text without secrets. */
export function maskSecrets(text: string): string {
  if (isPlain(text)) return text;
  return ANY.reduce((masked, pattern) => masked.replace(pattern, (...found) => `${typeof found[1] === 'string' ? found[1] : ''}***`), text);
}
