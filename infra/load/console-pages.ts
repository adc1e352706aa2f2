import { MANY } from './board-data.ts';
import { BAGS, type Filled, GIFT, HOT, TOP, WARES } from './console-data.ts';

/** The pages of the console that `bench:console` opens, and from when on each shows what it is for. */

export interface ConsolePage {
  readonly name: string;
  /** What follows the address of the project. */
  readonly path: string;
  /** A script: whether it shows what it is for. */
  readonly ready: string;
}

const says = (text: string) => `document.querySelector('main')?.textContent.includes(${JSON.stringify(text)})`;
const has = (selector: string, count = 1) => `document.querySelectorAll('main ${selector}').length >= ${count}`;
const lines = has(':is(tbody tr, li)', 20);

/** Every page, with what is large on it. */
export function pagesOf({ whole, published }: Pick<Filled, 'whole' | 'published'>): readonly ConsolePage[] {
  const player = `/players/${HOT}`;
  const ledger = `${player}/documents/players/${HOT}`;
  const bags = `${player}/documents/${BAGS}/${HOT}`;
  const source = '/definitions/game-values/*';
  // Where no text of it is known a page is there once nothing of it is loading.
  const isLoaded = `${has(':is(table, li, form, dl, p)')} && !document.querySelector('main [role=status] .visually-hidden')`;
  const page = (name: string, path: string, heading: string, ready: string = isLoaded): ConsolePage => ({
    name,
    path,
    ready: `document.querySelector('main h1')?.textContent.includes(${JSON.stringify(heading)}) && ${ready}`,
  });
  return [
    page('Activity', '', 'Activity', lines),
    page('a player', player, HOT, says('gold · players')),
    page('its time line', `${player}/timeline`, HOT, lines),
    page('a document with a long ledger', ledger, HOT, lines),
    page('a long ledger at two moments', `${ledger}?a=${published}`, HOT, `${says('B, now')} && ${lines}`),
    page('a large document', bags, HOT, `${says('item0')} && ${has('ol li', 10)}`),
    page('a large document at two moments', `${bags}?a=${whole}`, HOT, `${says('part0 › item9')} && ${has('ol li', 10)}`),
    page('what would come back of it', `${player}/restore?to=${whole}`, HOT, has('input[type=checkbox]', 2)),
    page('who looked', '/looked', 'Who looked'),
    page('values', '/values', 'Values', says('Wares')),
    page('a large table', `/values/${WARES}`, 'Wares', says('ware-5')),
    page('definitions', '/definitions?kind=game-values', 'Definitions', says('pushed as data')),
    page('the text of a large definition', source, 'Game values', `document.querySelector('main pre')?.textContent.length > 1000`),
    page('its editor', `${source}?show=edit`, 'Game values', has('.cm-line', 11)),
    page('publishes', '/publishes', 'Publishes', says('Dearer')),
    page('one publish', `/publishes/${published}`, `Publish ${published}`, says('Wares')),
    page('calls', '/calls?all=true', 'Calls', has('li', 5)),
    page('try it out', `/calls/try?slug=${GIFT.slug}&player=${HOT}`, 'Try it out', has('form')),
    page('economy', '/economy?currency=gold', 'Economy', has('canvas')),
    page('its entries', '/economy/entries?currency=gold', '', lines),
    page('collections', '/collections', 'Collections', says(MANY)),
    page('a large collection', `/collections/${MANY}`, MANY, lines),
    page('a large collection by a number', `/collections/${MANY}?by=score`, MANY, lines),
    page('a board', `/boards/${TOP}`, TOP, has('tbody tr', 10)),
    page('a board around a player', `/boards/${TOP}?player=${HOT}`, TOP, has('tbody tr', 3)),
    page('health', '/health', 'Health', has('canvas')),
    page('people', '/people', 'People'),
    page('keys', '/keys', 'Keys'),
    page('the box, of a commit', `/find/${whole}`, String(whole)),
  ];
}

/** Their names, without a data folder. */
export const PAGE_NAMES: readonly string[] = pagesOf({ whole: 0, published: 0 }).map(({ name }) => name);
