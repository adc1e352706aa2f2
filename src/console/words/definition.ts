import { exactJson } from './exact.ts';
import { jsonLinesStart, type Members, objectOf } from './value.ts';

/** Definitions as their authors wrote them. */

export const DEFINITION_KINDS = [
  { kind: 'collection', many: 'Collections', scope: 'collections', section: 'collections' },
  { kind: 'endpoint', many: 'Endpoints', scope: 'endpoints', section: 'endpoints' },
  { kind: 'workflow', many: 'Workflows', scope: 'workflows', section: 'workflows' },
  { kind: 'library', many: 'Libraries', scope: 'workflows', section: 'libraries' },
  { kind: 'query', many: 'Queries', scope: 'queries', section: 'queries' },
  { kind: 'game-values', many: 'Game values', scope: 'game_values', section: 'gameValues' },
  { kind: 'rate-limit-rules', many: 'Rate limits', scope: 'rate_limits', section: 'rateLimitRules' },
] as const;

export type DefinitionKind = (typeof DEFINITION_KINDS)[number]['kind'];
export type ListedKind = Exclude<DefinitionKind, 'game-values' | 'rate-limit-rules'>;

export function kindNamed(name: string): (typeof DEFINITION_KINDS)[number] | undefined {
  return DEFINITION_KINDS.find(({ kind }) => kind === name);
}

/** Stands in addresses for saved tests, which are read here and written in the folder of the game. */
export const TESTS = 'tests';

/** The id of what there is one of. */
export const SINGLE = '*';

export function isListed(kind: DefinitionKind): kind is ListedKind {
  return kind !== 'game-values' && kind !== 'rate-limit-rules';
}

/**
 * The text of a definition. Of data it is printed as far as somebody asks for it: a table may have megabytes, of which a screen shows
 * little.
 */
export class DefinitionText {
  readonly #data: unknown;
  #whole: string | null;

  private constructor(whole: string | null, data: unknown) {
    this.#whole = whole;
    this.#data = data;
  }

  static written(text: string): DefinitionText {
    return new DefinitionText(text, null);
  }

  static printed(data: unknown): DefinitionText {
    return new DefinitionText(null, data);
  }

  get whole(): string {
    this.#whole ??= `${exactJson(this.#data, 2)}\n`;
    return this.#whole;
  }

  /** All of it, or more than so many characters of its beginning. */
  start(length: number): string {
    if (this.#whole !== null) return this.#whole;
    const start = jsonLinesStart(this.#data, length);
    return start.length > length ? start : `${start}\n`;
  }
}

export interface Definition {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly name: string;
  readonly text: DefinitionText;
  readonly format: 'yaml' | 'json';
  /** Of the file that it came from; `null`: none was sent. */
  readonly path: string | null;
  /** Whether the text is its author's; otherwise it was pushed as data, and is shown as JSON. */
  readonly isAuthored: boolean;
  readonly state: 'live' | 'staged' | 'removed';
}

/** Definitions that are offered in place of one that there is not. */
const MEANT = 4;

/** Those that somebody may mean by an id that none has, the likeliest first: a part of the name is the same, or few letters differ. */
export function meantBy<D extends Pick<Definition, 'id' | 'name'>>(id: string, definitions: readonly D[]): readonly D[] {
  const sought = id.toLowerCase();
  const likely = definitions.flatMap((definition) => {
    const distances = [definition.id, definition.name].map((name) => farness(sought, name.toLowerCase()));
    const far = Math.min(...distances);
    return far <= Math.max(2, Math.ceil(sought.length / 3)) ? [{ definition, far }] : [];
  });
  return likely
    .sort((one, other) => one.far - other.far)
    .slice(0, MEANT)
    .map(({ definition }) => definition);
}

/** Letters that differ; 1 where one name is a part of the other. */
function farness(sought: string, name: string): number {
  if (sought.length > 2 && (name.includes(sought) || sought.includes(name))) return 1;
  let row = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (const [place, letter] of [...sought].entries()) {
    const next = [place + 1];
    for (const [at, other] of [...name].entries())
      next.push(Math.min((row[at] ?? 0) + (letter === other ? 0 : 1), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The definitions of a listing: what is staged stands in the place of what is live. */
export function definitionsIn(kind: ListedKind, items: readonly Members[]): readonly Definition[] {
  const found = new Map<string, Members>();
  for (const item of items) {
    const id = String(item['id']);
    const under = found.get(id);
    const isWhole = under === undefined || typeof item['sourceText'] === 'string' || item['stagedRemoval'] === true;
    found.set(id, isWhole ? item : { ...withoutAuthoring(under), ...item });
  }
  return [...found.values()].map((item) => definitionOf(kind, item)).sort((one, other) => one.id.localeCompare(other.id));
}

const AUTHORING = ['authoringMode', 'sourceFormat', 'sourcePath', 'sourceText'];
const OF_LISTINGS = ['revisionTarget', 'stagedRemoval', ...AUTHORING];

/** A definition without the text that its author wrote. */
export function withoutAuthoring(item: Members): Members {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !AUTHORING.includes(name)));
}

function definitionOf(kind: ListedKind, item: Members): Definition {
  const { id, name, revisionTarget, stagedRemoval } = item;
  const state = stagedRemoval === true ? 'removed' : revisionTarget === 'next' ? 'staged' : 'live';
  const data = Object.fromEntries(Object.entries(item).filter(([member]) => !OF_LISTINGS.includes(member)));
  return { kind, id: String(id), name: typeof name === 'string' ? name : String(id), ...sourceIn(item, data), state };
}

/** The one definition of a kind that there is one of. */
export function singleDefinition(kind: DefinitionKind, item: unknown, data: unknown): Definition {
  const name = kindNamed(kind)?.many ?? kind;
  return { kind, id: SINGLE, name, ...sourceIn(objectOf(item), data), state: 'live' };
}

function sourceIn(item: Members, data: unknown): Pick<Definition, 'text' | 'format' | 'path' | 'isAuthored'> {
  const { sourceText, sourcePath } = item;
  if (typeof sourceText !== 'string') return { text: DefinitionText.printed(data), format: 'json', path: null, isAuthored: false };
  return {
    text: DefinitionText.written(sourceText),
    format: formatOf(item),
    path: typeof sourcePath === 'string' ? sourcePath : null,
    isAuthored: true,
  };
}

/** What a definition was written in: as it says itself, else by the name of its file. */
export function formatOf({ sourceFormat, sourcePath }: Members): Definition['format'] {
  const isJson = typeof sourceFormat === 'string' ? sourceFormat.toLowerCase() === 'json' : String(sourcePath).endsWith('.json');
  return isJson ? 'json' : 'yaml';
}

/** What a new definition begins with. */
export function templateOf(kind: ListedKind, id: string): Definition {
  const text = DefinitionText.written(TEMPLATES[kind](id));
  return { kind, id, name: id, text, format: 'yaml', path: `${id}.${kind}.yml`, isAuthored: true, state: 'staged' };
}

const head = (kind: string, id: string) => `sourceVersion: 1\nkind: ${kind}\nid: ${id}\nname: ${id}\n`;

const TEMPLATES: Readonly<Record<ListedKind, (id: string) => string>> = {
  collection: (id) => `${head('collection', id)}description: One document per player. Players read their own; endpoints write it.
collectionType: per-platformid
access: { read: owner, write: endpoints }
schema:
  name: { type: string }
`,
  endpoint: (id) => `${head('endpoint', id)}exposure: public
method: POST
input:
  type: object
  properties:
    name: { type: string }
steps:
  - id: greeting
    type: transform
    value: "Hello {{input.name|you}}"
response:
  status: 200
  body: { ok: true, greeting: "{{greeting}}" }
`,
  workflow: (id) => `${head('workflow', id)}params:
  amount: { type: number }
steps:
  - id: doubled
    type: transform
    value: "{{params.amount}}"
`,
  library: (id) => `${head('library', id)}blocks:
  same:
    params:
      amount: { type: number }
    steps:
      - id: result
        type: return
        value: { amount: "{{params.amount}}" }
`,
  query: (id) => `${head('query', id)}type: leaderboard
sources:
  - collectionId: players
config:
  field: gold
`,
};

/** How ids of definitions are written. */
export const DEFINITION_ID = /^[A-Za-z0-9_-]{1,128}$/;
