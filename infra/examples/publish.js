// Publishes the game of the examples, all of it in one commit: node publish.js URL PROJECT SECRET
import { readdirSync, readFileSync } from 'node:fs';

const [url, projectId, secretKey] = process.argv.slice(2);
if (secretKey === undefined) throw new Error('usage: node publish.js URL PROJECT SECRET');

const folder = new URL('game/', import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), 'utf8');
/** The sources of a kind: `dig.endpoint.yml` and its like. */
const sources = (kind) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`.${kind}.yml`))
    .map((name) => ({ kind, authoringMode: 'source', sourceFormat: 'yaml', sourcePath: name, sourceText: text(name) }));

const answer = await fetch(`${url}/v3/manage/${projectId}/sync?strict=true`, {
  method: 'PUT',
  headers: { 'x-api-key': secretKey, 'content-type': 'application/json' },
  body: JSON.stringify({
    collections: sources('collection'),
    endpoints: sources('endpoint'),
    gameValues: JSON.parse(text('values.json')),
    queries: JSON.parse(text('queries.json')),
  }),
});
if (!answer.ok) throw new Error(await answer.text());
console.log('The game is live.');
