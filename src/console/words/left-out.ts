/** What a page leaves out, and why: each reason once. Empty: nothing is left out. */

interface LeftOut {
  readonly what: string;
  readonly why: string;
}

function notShown(leftOut: readonly LeftOut[], between: string): string {
  const reasons = [...new Set(leftOut.map(({ why }) => why))];
  const said = reasons.map((reason) => `${leftOut.flatMap(({ what, why }) => (why === reason ? [what] : [])).join(between)} (${reason})`);
  return said.length === 0 ? '' : `Not shown: ${said.join('; ')}.`;
}

const SOURCES = { calls: 'refused requests', reports: 'reports of the game' } as const;

/** Of all that happened to a player. */
export function sourcesLeftOut(leftOut: readonly { readonly source: keyof typeof SOURCES; readonly why: string }[]): string {
  const told = leftOut.map(({ source, why }) => ({ what: SOURCES[source], why }));
  return notShown(told, ' and ');
}

/** How the server begins the reason of what no moment of the past has. */
const OF_NOW = 'It is of now alone';

/** Of the overview of a player. */
export function partsLeftOut(leftOut: readonly { readonly part: string; readonly why: string }[]): string {
  const ofNow = leftOut.flatMap(({ part, why }) => (why.startsWith(OF_NOW) ? [part] : []));
  const others = leftOut.flatMap(({ part, why }) => (why.startsWith(OF_NOW) ? [] : [{ what: part, why }]));
  const known = ofNow.length === 0 ? [] : [`These are known only as they are now: ${ofNow.join(', ')}.`];
  return [...known, notShown(others, ', ')].join(' ').trim();
}
