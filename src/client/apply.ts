import type { OwnWrite } from './connection.ts';
import type { Operation } from './operations.ts';

/** Predicts what a document will be after writes that are under way. The server's value replaces the prediction. */

type Node = Readonly<Record<string, unknown>>;

export function applied(document: unknown, { document: whole, ops }: OwnWrite['change']): unknown {
  if (ops === undefined) return whole === undefined ? null : whole;
  return ops.reduce((value: unknown, op) => changedAt(value, op.path === '$' ? [] : op.path.split('.'), op), document);
}

function changedAt(value: unknown, [name, ...rest]: readonly string[], op: Operation): unknown {
  if (name === undefined) return changed(value, op);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? changedAt(item, rest, op) : item));
  const node = isNode(value) ? value : {};
  return { ...node, [name]: changedAt(node[name], rest, op) };
}

function changed(value: unknown, { op, value: given, match }: Operation): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  switch (op) {
    case 'set':
      return given;
    case 'set_if_null':
      return value ?? given;
    case 'inc':
      return (typeof value === 'number' ? value : 0) + Number(given);
    case 'push':
      return [...list, given];
    case 'remove':
      return list.filter((item) => JSON.stringify(item) !== JSON.stringify(given));
    case 'pull':
      return list.filter((item) => !matches(item, match));
    case 'merge':
      return { ...(isNode(value) ? value : {}), ...(given as object) };
  }
}

function matches(item: unknown, match: unknown): boolean {
  if (!isNode(item) || !isNode(match)) return false;
  return Object.entries(match).every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
