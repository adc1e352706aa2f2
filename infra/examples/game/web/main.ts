import {
  createClient,
  type Leaderboard,
  type Ledger,
  openLive,
  openQueue,
  type Queue,
  SavepointError,
  signInGuest,
} from 'savepoint/client';
// `savepoint dev` makes it of the game's folder: a wrong slug, field or code does not compile.
import type { Game } from '../game.types.ts';
import './place.ts';
import './style.css';

// In development the page's own origin passes everything on to the node, so a phone in the same network can play, too.
const client = createClient<Game>({ ...SAVEPOINT, url: SAVEPOINT.url ?? location.origin });

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

const nameField = element('name') as HTMLInputElement;
nameField.addEventListener('change', () => localStorage.setItem('name', nameField.value));

/** What is known of the player and the shop. */
const known = { gold: 0, tool: 1, price: 0 };

function show(news: Partial<typeof known>): void {
  Object.assign(known, news);
  element('gold').textContent = String(known.gold);
  element('tool').textContent = String(known.tool);
  element('upgrade').textContent = `Better pickaxe: ${known.price * known.tool} gold`;
}

/** Keeps swings while there is no connection. `null`: another tab keeps them, and this one needs a connection. */
let queue: Queue<Game> | null = null;

element('dig').addEventListener('click', async () => {
  const dug = await dig();
  if (!dug.ok) return say(reasonOf(dug.error));
  show({ gold: dug.value.gold });
  say('');
  const found = document.createElement('span');
  found.className = 'found';
  found.textContent = `+${dug.value.found}`;
  found.addEventListener('animationend', () => found.remove());
  element('dig').append(found);
});

async function dig() {
  const swing = { name: nameField.value };
  if (queue === null) return client.tryCall('dig', swing);
  try {
    const { result } = await queue.call('dig', swing);
    showWaiting();
    return await result;
  } catch (error) {
    // Without Web Locks, as on a page that came over http, two tabs find out only now that they share a queue.
    if (!isOpenElsewhere(error)) return { ok: false, error: asError(error) } as const;
    await queue.close();
    queue = null;
    showTab(true);
    return client.tryCall('dig', swing);
  }
}

/** Only one tab at a time may keep swings: it takes over, with what waits, once another one is closed. */
async function openQueueWhenFree(): Promise<void> {
  try {
    // It also hears of swings that an earlier visit left.
    queue = await openQueue(client, { onSettled: (_, result) => (result.ok ? undefined : say(reasonOf(result.error))) });
    showTab(false);
    setInterval(showWaiting, 500);
  } catch (error) {
    if (!isOpenElsewhere(error)) throw error;
    showTab(true);
    setTimeout(() => openQueueWhenFree().catch(sayError), 1000);
  }
}

function isOpenElsewhere(error: unknown): boolean {
  return error instanceof SavepointError && error.code === 'QUEUE_OPEN';
}

function showTab(isSecond: boolean): void {
  element('tab').textContent = isSecond ? 'The game is open in another tab, too. Here you can dig only with a connection.' : '';
}

function showWaiting(): void {
  const swings = queue?.size === 1 ? '1 swing waits' : `${queue?.size} swings wait`;
  const isOffline = !navigator.onLine || queue?.state === 'waiting';
  element('waiting').textContent = isOffline && queue?.size ? `No connection. ${swings} and will count when it is back.` : '';
}

element('upgrade').addEventListener('click', async () => {
  const bought = await client.tryCall('upgrade');
  if (bought.ok) show({ gold: bought.value.gold, tool: bought.value.tool });
  say(bought.ok ? 'A sharper pickaxe: every swing finds more.' : reasonOf(bought.error));
});

/** The message of a refusal is the one that the endpoint's author wrote, for players. That of the network is for developers. */
function reasonOf({ code, message }: { code: string; message: string }): string {
  return code === 'NETWORK_ERROR' ? 'No connection. Try again in a moment.' : message;
}

function say(text: string): void {
  element('message').textContent = text;
}

function asError(error: unknown): Error & { readonly code: string } {
  return error instanceof SavepointError ? error : Object.assign(new Error(String(error)), { code: 'UNKNOWN' });
}

function sayError(error: unknown): void {
  say(reasonOf(asError(error)));
}

/** Whether changes still arrive: the badge beside the board. */
function showState(state: 'connecting' | 'live' | 'behind' | 'offline'): void {
  element('state').textContent = state;
  element('state').className = state;
}

addEventListener('offline', () => showState('offline'));
addEventListener('online', () => showState('connecting'));

function showBoard({ entries }: Leaderboard<Game['queries']['richest']>): void {
  const rows = entries.map(({ rank, key, value, data }) => {
    const row = document.createElement('li');
    row.classList.toggle('own', key === client.player?.id);
    row.append(cell('rank', String(rank)), cell('name', data.name ?? 'Digger'), cell('value', String(value)));
    return row;
  });
  element('rows').replaceChildren(...rows);
  if (navigator.onLine) showState('live');
}

/** The latest ledger entries, newest first. The server writes them from the commits that changed the gold. */
function showLedger(ledger: Ledger | null): void {
  const rows = (ledger?.entries ?? []).map(({ reason = '', delta, after }) => {
    const row = document.createElement('li');
    row.append(cell('reason', reason), cell('delta', Number(delta) > 0 ? `+${delta}` : String(delta)), cell('value', String(after)));
    return row;
  });
  element('entries').replaceChildren(...rows);
}

function cell(name: string, text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = name;
  // Players choose names, so they are set as text, never as HTML.
  made.textContent = text;
  return made;
}

async function start(): Promise<void> {
  // The browser keeps a secret that proves the player, so nobody else can play as this one.
  const guest = await signInGuest(client);
  nameField.value = localStorage.getItem('name') ?? `Digger ${guest.id.slice(-3)}`;
  openQueueWhenFree().catch(sayError);
  // One connection carries all changes. The board changes at most once a second.
  const live = openLive(client, { onStale: (isStale) => showState(isStale ? 'behind' : 'live') });
  live.values(({ constants }) => show({ price: constants.shop.tool }));
  live.document('players', (player) => player && show({ gold: player.gold, tool: player.tool }));
  live.ledger('players', showLedger, { field: 'gold', order: 'desc', limit: 5 });
  live.leaderboard('richest', showBoard, { limit: 10, onError: ({ message }) => say(message) });
}

start().catch(sayError);
