import { filesOfBrowserGame } from './browser-template.ts';
import type { FileKind } from './kinds.ts';
import { schemaLine } from './schemas.ts';

/** What `savepoint init` makes: the files of a folder, by template. */

export const TEMPLATES = ['game', 'browser', 'empty'] as const;
export type Template = (typeof TEMPLATES)[number];

/** Path → text. `folder`: where they will lie. */
export function filesOfTemplate(template: Template, folder: string): ReadonlyMap<string, string> {
  return new Map([...definitionsOf(template, folder), ['.gitignore', GITIGNORE]]);
}

function definitionsOf(template: Template, folder: string): readonly (readonly [path: string, text: string])[] {
  if (template === 'empty') return [];
  if (template === 'browser') return filesOfBrowserGame(folder);
  return GAME.map(([path, kind, text]) => [path, `${schemaLine(path, kind)}${text}`]);
}

/** What a folder keeps from git. */
export const GITIGNORE = `# Keys; what this copy of the folder last had in common with the project, and schemas for editors.
savepoint.credentials.json
.savepoint/
# The data of a node that \`savepoint dev\` starts here.
data/
# What npm and a bundler make.
node_modules/
dist/
`;

type File = readonly [path: string, kind: FileKind, text: string];

const GAME: readonly File[] = [
  [
    'players.collection.yml',
    'collection',
    `sourceVersion: 1
kind: collection
id: players
name: players
description: One document per player. Players read their own; only endpoints write it, so that nobody mints gold by saving a document.
collectionType: per-platformid
access: { read: owner, write: endpoints }
maxRecords: 1
schema:
  name: { type: string }
  gold: { type: number, default: 0, _ledger: true, _currency: gold }
  items: { type: number, default: 0 }
`,
  ],
  [
    'find-gold.endpoint.yml',
    'endpoint',
    `sourceVersion: 1
kind: endpoint
id: find-gold
name: Find gold
description: The first find makes the player's document.
exposure: public
method: POST
input:
  type: object
  properties:
    name: { type: string }
steps:
  - id: purse
    type: write
    collection: players
    key: "{{platformId}}"
    ops:
      - { op: set_if_null, path: name, value: "{{input.name|Hero}}" }
      - { op: inc, path: gold, value: "{{values.start.find}}", reason: found in the forest }
response:
  status: 200
  body: { ok: true, found: "{{values.start.find}}" }
`,
  ],
  [
    'buy.endpoint.yml',
    'endpoint',
    `sourceVersion: 1
kind: endpoint
id: buy
name: Buy an item
description: Looks the price up, refuses whoever cannot pay, and takes gold and gives the item in one commit.
exposure: public
method: POST
imports: [economy]
input:
  type: object
  properties:
    item: { type: string }
  required: [item]
steps:
  - id: player
    type: read
    collection: players
    key: "{{platformId}}"
    required: true
    onMissing: { status: 404, errorCode: NO_PLAYER, message: "Find some gold first." }
  - id: offer
    type: lookup
    source: values
    table: shop
    required: true
    onMissing: { status: 404, errorCode: NO_SUCH_ITEM, message: "The shop has no {{input.item}}." }
    where: { field: item, op: "==", value: "{{input.item}}" }
  - id: price
    type: call
    target: economy.price
    params: { base: "{{offer.price}}", owned: "{{player.items}}" }
  - id: bill
    type: workflow
    workflow: charge
    params: { purse: "{{player.gold}}", cost: "{{price.amount}}" }
  - id: pay
    type: write
    collection: players
    key: "{{platformId}}"
    ops:
      - { op: inc, path: gold, value: "{{-price.amount}}", reason: "bought: {{input.item}}" }
      - { op: inc, path: items, value: 1 }
response:
  status: 200
  body: { ok: true, item: "{{input.item}}", paid: "{{price.amount}}", gold: "{{bill.left}}" }
`,
  ],
  [
    'charge.workflow.yml',
    'workflow',
    `sourceVersion: 1
kind: workflow
id: charge
name: charge
description: Refuses whoever cannot pay, and says what is left.
params:
  purse: { type: number }
  cost: { type: number }
steps:
  - id: affordable
    type: condition
    check: { field: purse, op: ">=", value: "{{cost}}" }
    onFail: { status: 409, error: TOO_POOR, message: "This costs {{cost}} gold; you have {{purse}}." }
  - id: left
    type: transform
    expression: "{{purse}} - {{cost}}"
returns:
  left: "{{left}}"
`,
  ],
  [
    'economy.library.yml',
    'library',
    `sourceVersion: 1
kind: library
id: economy
name: economy
description: Blocks of steps that endpoints and workflows call as economy.NAME.
blocks:
  price:
    params:
      base: { type: number }
      owned: { type: number }
    steps:
      - id: amount
        type: transform
        expression: "{{base}} + {{owned}}"
    returns:
      amount: "{{amount}}"
`,
  ],
  [
    'richest.query.yml',
    'query',
    `sourceVersion: 1
kind: query
id: richest
name: Richest players
type: leaderboard
requiresSecretKey: false
sources:
  - { collectionId: players }
config: { field: gold, order: desc, limit: 10, columns: [name, gold, items] }
`,
  ],
  [
    'values.yml',
    'game-values',
    `items:
  - id: start
    type: group
    name: Start
    description: What a player finds at once
    entries: { find: 20 }
  - id: shop
    type: table
    name: Shop
    columns:
      - { key: item, type: string }
      - { key: price, type: number }
    rows:
      - { item: sword, price: 30 }
      - { item: shield, price: 25 }
`,
  ],
  [
    'rules.yml',
    'rate-limit-rules',
    `rules:
  - id: gold_minute
    name: Gold per minute
    collection: players
    field: gold
    scope: per_player
    window: perMinute
    limit: 200
    action: reject
`,
  ],
  [
    'buys-a-sword.test.yml',
    'test',
    `sourceVersion: 1
kind: test
id: buys-a-sword
name: A player with gold buys a sword
endpoint: buy
platformId: "76561198000000001"
input: { item: sword }
seed:
  collections:
    players:
      "76561198000000001": { name: Ada, gold: 50, items: 0 }
  values: { shop: [{ item: sword, price: 30 }] }
expect:
  status: 200
  body: { ok: true, item: sword, paid: 30, gold: 20 }
`,
  ],
  [
    'too-poor.test.yml',
    'test',
    `sourceVersion: 1
kind: test
id: too-poor
name: Whoever cannot pay is refused
endpoint: buy
platformId: "76561198000000001"
input: { item: sword }
seed:
  collections:
    players:
      "76561198000000001": { name: Ada, gold: 5, items: 0 }
  values: { shop: [{ item: sword, price: 30 }] }
expect:
  outcome: fail
  status: 409
  body: { error: { code: TOO_POOR } }
`,
  ],
];
