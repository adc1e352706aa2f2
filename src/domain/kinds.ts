import { isReserved } from '../kernel/json-read.ts';
import type { DefinitionKind } from './events.ts';

/** Kinds that exist many times per project and are pushed as arrays. */
export type ListedKind = 'collection' | 'endpoint' | 'workflow' | 'library' | 'query';

/** Kinds that exist once per project, as one document under `SINGLE_ID`. */
export type SingleKind = 'game-values' | 'rate-limit-rules';

/** Kinds that source files can be written in. */
export type SourceKind = ListedKind | 'test';

export const SOURCE_KINDS: readonly SourceKind[] = ['collection', 'endpoint', 'workflow', 'library', 'query', 'test'];

/** The name of the section of a push that contains a kind. */
export const SECTIONS = {
  collection: 'collections',
  endpoint: 'endpoints',
  workflow: 'workflows',
  library: 'libraries',
  query: 'queries',
  test: 'tests',
  'game-values': 'gameValues',
  'rate-limit-rules': 'rateLimitRules',
} as const satisfies Readonly<Record<SourceKind | SingleKind, string>>;

/** The kinds that can be staged in `next` and promoted. */
export const STAGED_KINDS: readonly (ListedKind | SingleKind)[] = [
  'endpoint',
  'collection',
  'workflow',
  'library',
  'query',
  'game-values',
  'rate-limit-rules',
];

export function isListed(kind: DefinitionKind): kind is ListedKind {
  return kind === 'collection' || kind === 'endpoint' || kind === 'workflow' || kind === 'library' || kind === 'query';
}

/** The member that names a definition beside its id: `slug` of endpoints, `name` of everything else. */
export function nameMember(kind: ListedKind): 'slug' | 'name' {
  return kind === 'endpoint' ? 'slug' : 'name';
}

const ID = /^[A-Za-z0-9_-]{1,128}$/;
/** Slugs may hold dots, but must not be the path segments `.` or `..`. */
const SLUG = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,128}$/;

export function isDefinitionId(kind: SourceKind, id: string): boolean {
  return (kind === 'endpoint' ? SLUG : ID).test(id) && !isReserved(id);
}
