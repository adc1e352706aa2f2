// Usage: node infra/demo/sync-body.mjs FOLDER. Prints the body of `PUT sync` for a folder of source files: NAME.collection.yml,
// NAME.endpoint.yml, NAME.workflow.yml, NAME.library.yml, NAME.test.yml, and values.json, queries.json, rules.json.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const text = (name) => readFileSync(join(folder, name), 'utf8');
const sources = (kind) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`.${kind}.yml`))
    .map((name) => ({ kind, sourceFormat: 'yaml', sourcePath: name, sourceText: text(name) }));
const json = (name) => (existsSync(join(folder, name)) ? JSON.parse(text(name)) : undefined);

// Tests that are sent replace all that there are.
const tests = sources('test');

const body = {
  collections: sources('collection'),
  endpoints: sources('endpoint'),
  workflows: sources('workflow'),
  libraries: sources('library'),
  gameValues: json('values.json'),
  queries: json('queries.json'),
  rateLimitRules: json('rules.json'),
  tests: tests.length === 0 ? undefined : tests,
};
console.log(JSON.stringify(body));
