import { createClient, type Leaderboard, openLive } from 'savepoint/client';
import './style.css';

/** What the client knows of the game: a wrong slug, field or code does not compile. */
interface Game {
  readonly documents: { readonly players: { readonly name: string; readonly gold: number; readonly tool: number } };
  readonly endpoints: {
    readonly dig: { readonly input: { name?: string }; readonly answer: { found: number; gold: number }; readonly refusals: never };
    readonly upgrade: {
      readonly input: Record<never, never>;
      readonly answer: { tool: number; gold: number };
      readonly refusals: 'TOO_POOR' | 'NO_PLAYER';
    };
  };
  readonly queries: { readonly richest: { readonly name: string; readonly tool: number } };
  readonly values: { readonly shop: { readonly tool: number } };
}

const client = createClient<Game>({
  url: import.meta.env['VITE_SAVEPOINT_URL'],
  projectId: import.meta.env['VITE_SAVEPOINT_PROJECT'],
  publicKey: import.meta.env['VITE_SAVEPOINT_KEY'],
  player: ownId(),
});

/** An id that this browser makes up and keeps. A game with logins gives the login's id, and a token that proves it. */
function ownId(): string {
  const stored = localStorage.getItem('player');
  if (stored !== null) return stored;
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
  const id = `7${String(a).padStart(8, '0').slice(-8)}${String(b).padStart(8, '0').slice(-8)}`;
  localStorage.setItem('player', id);
  return id;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

const nameField = element('name') as HTMLInputElement;
nameField.value = localStorage.getItem('name') ?? `Digger ${client.player?.id.slice(-3)}`;
nameField.addEventListener('change', () => localStorage.setItem('name', nameField.value));

function show(purse: { readonly gold?: number; readonly tool?: number }): void {
  if (purse.gold !== undefined) element('gold').textContent = String(purse.gold);
  if (purse.tool !== undefined) element('tool').textContent = String(purse.tool);
}

element('dig').addEventListener('click', async () => {
  const dug = await client.tryCall('dig', { name: nameField.value });
  if (!dug.ok) return say(dug.error.message);
  show(dug.value);
  say('');
  const found = document.createElement('span');
  found.className = 'found';
  found.textContent = `+${dug.value.found}`;
  found.addEventListener('animationend', () => found.remove());
  element('dig').append(found);
});

element('upgrade').addEventListener('click', async () => {
  const bought = await client.tryCall('upgrade');
  if (bought.ok) show(bought.value);
  // TOO_POOR comes with its author's own words.
  say(bought.ok ? 'A sharper pickaxe: every swing finds more.' : bought.error.message);
});

function say(text: string): void {
  element('message').textContent = text;
}

function showBoard({ entries }: Leaderboard<Game['queries']['richest']>): void {
  const rows = entries.map(({ rank, key, value, data }) => {
    const row = document.createElement('li');
    row.classList.toggle('own', key === client.player?.id);
    row.append(cell('rank', String(rank)), cell('name', data.name), cell('value', String(value)));
    return row;
  });
  element('rows').replaceChildren(...rows);
}

function cell(name: string, text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = name;
  // Names come from players: text, never HTML.
  made.textContent = text;
  return made;
}

// Both come as they change, over one connection. What this page writes shows at once, and the board at most once a second.
const live = openLive(client);
live.document('players', (player) => show(player ?? {}));
live.leaderboard('richest', showBoard, { limit: 10, onError: ({ message }) => say(message) });
