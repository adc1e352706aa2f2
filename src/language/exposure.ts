import type { endpoint } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { flagOf, stringOf } from '../kernel/json-read.ts';

const PUBLIC_WORDS = new Set(['public', 'publicly-callable', 'publicly-accessible', 'game-api', 'external', 'exposed']);
const INTERNAL_WORDS = new Set(['internal', 'private', 'internal-private', 'reusable', 'reusable-logic', 'workflow']);

/** `public` or `internal` for any spelling of an exposure; `null` for any other word. */
function exposureOf(word: string): 'public' | 'internal' | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-');
  if (PUBLIC_WORDS.has(plain)) return 'public';
  return INTERNAL_WORDS.has(plain) ? 'internal' : null;
}

/** If flags contradict each other, the endpoint is internal. */
export function isInternal(definition: Written<typeof endpoint>): boolean {
  if (flagOf(definition.internalOnly) === true || flagOf(definition.internal) === true) return true;
  if (flagOf(definition.publiclyCallable) === true) return false;
  return exposureOf(stringOf(definition.exposure) ?? '') === 'internal';
}
