// A dedicated server. Games report their swings to it. It writes the result of each round once.
import { createServer } from 'node:http';
import { createClient, credentials } from 'savepoint/client';

// SAVEPOINT_URL, SAVEPOINT_PROJECT and SAVEPOINT_SECRET_KEY (or +network_storage_secret_key KEY), or the file savepoint.credentials.json.
const found = credentials();
if (!found.url || !found.projectId || !found.secretKey) {
  console.error(
    `No address or no secret key. Set SAVEPOINT_URL, SAVEPOINT_PROJECT and SAVEPOINT_SECRET_KEY, or start this in the game's folder, where \`savepoint dev\` keeps savepoint.credentials.json (this is ${process.cwd()}).`,
  );
  process.exit(1);
}
const client = createClient({ ...found, clientType: 'dedicated' });
const ROUND_MS = Number(process.env.ROUND_MS ?? 10_000);
const MOST_SWINGS = 20;

/** Player → swings of the round that runs. */
let swings = new Map();
const started = Date.now();
let round = 0;

const server = createServer((request, response) => {
  // The id of an account or of a guest.
  const [, player] = /^\/swing\/([\w-]{1,64})$/.exec(request.url ?? '') ?? [];
  const isSwing = request.method === 'POST' && player !== undefined;
  // The server decides what counts, because no hand is that fast.
  if (isSwing) swings.set(player, Math.min((swings.get(player) ?? 0) + 1, MOST_SWINGS));
  response.writeHead(isSwing ? 202 : 404).end();
});

async function endRound() {
  const counted = swings;
  swings = new Map();
  round += 1;
  for (const [player, count] of counted) await writeRound(player, count);
}

/** A player who is refused is told of, and stops nobody else's round. */
async function writeRound(player, count) {
  try {
    for (let swing = 1; swing <= count; swing++) {
      // The key names the intent: sent again, it is still one swing.
      const dug = await client.as(player).tryCall('dig', {}, { idempotencyKey: `${started}-${round}-${player}-${swing}` });
      if (!dug.ok) console.error(`round ${round}: ${player}: ${dug.error.code}: ${dug.error.message}`);
    }
    const hero = await client.as(player).documents('players').get();
    console.log(`round ${round}: ${player} swung ${count} times and has ${hero?.gold ?? 0} gold`);
  } catch (error) {
    console.error(`round ${round}: ${player}: ${error.message}`);
  }
}

let running = Promise.resolve();
const timer = setInterval(() => {
  running = running.then(endRound);
}, ROUND_MS);

process.once('SIGTERM', async () => {
  clearInterval(timer);
  server.close();
  await running.then(endRound);
});

server.listen(Number(process.env.PORT ?? 7777), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
