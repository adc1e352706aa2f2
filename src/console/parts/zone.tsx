import { zoneName } from '../words/time.ts';
import { useStanding } from './standing.ts';

let known = '';

/** The time zone of the reader. The browser takes as long to tell it first as half a page to be drawn: it comes once that stands. */
export function Zone() {
  if (useStanding() && known === '') known = zoneName();
  return known;
}
