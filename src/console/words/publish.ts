import { saidValue, valueText } from './value.ts';

/** What is published, in words. */

const KINDS: Readonly<Record<string, string>> = {
  collection: 'Collection',
  endpoint: 'Endpoint',
  workflow: 'Workflow',
  library: 'Library',
  query: 'Query',
  'game-values': 'Game values',
  'rate-limit-rules': 'Rate limits',
  tests: 'Tests',
};
const ACTIONS: Readonly<Record<string, string>> = { add: 'is new', change: 'changes', delete: 'is removed' };
const ACTED: Readonly<Record<string, string>> = { add: 'new', change: 'changed', delete: 'removed' };
const DEEDS: Readonly<Record<string, string>> = {
  publish: 'pushed to',
  promote: 'promoted what was staged to',
  rollback: 'rolled back',
  renew: 'renewed',
};

/** The kind of a definition with its id; of kinds that there is one of, the kind alone. */
export function definitionName({ kind, id }: { readonly kind: string; readonly id: string }): string {
  const name = KINDS[kind] ?? kind;
  return id === '*' || id === kind ? name : `${name} ${id}`;
}

/** What becomes of it, after its name. */
export function becomes(action: string): string {
  return ACTIONS[action] ?? action;
}

export function became(action: string): string {
  return ACTED[action] ?? action;
}

/** A value that comes or goes: of a group of game values what it holds, of a table how long it is, of anything else the value. */
export function heldText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return valueText(value);
  if (Array.isArray(value)) return saidValue(value);
  if ('entries' in value) return saidValue(value.entries);
  if ('rows' in value && Array.isArray(value.rows)) return `a table of ${value.rows.length} ${value.rows.length === 1 ? 'row' : 'rows'}`;
  return saidValue(value);
}

/** What was done, before the word for live or next. */
export function publishDeed(action: string): string {
  return DEEDS[action] ?? action;
}
