import { isObject, type Json } from '../../kernel/json.ts';
import type { ClosedDocuments } from './fields.ts';

/** Members that a name may have: only these, none, any, or those of a document or a list of documents. */
export type Shape = readonly string[] | 'plain' | 'open' | ClosedDocuments;

/** The names that a token may begin with. */
export interface ShapedNames {
  /** `undefined`: nothing has this name. */
  shapeOf(name: string): Shape | undefined;
  /** Adds the finding for a name that nothing has. */
  unknown(name: string, pointer: string): void;
  /** Whether a name is bound in another way than as the item of a loop. */
  isBoundBesidesItems(name: string): boolean;
  /** Whether a name that is always there is bound to something else. */
  isRebound(name: string): boolean;
}

/** Two shapes under one name agree if both are of the same documents. */
export function isSame(one: Shape, other: Shape): boolean {
  return isDocuments(one) && isDocuments(other) && one.root === other.root;
}

export function isDocuments(shape: Shape | undefined): shape is ClosedDocuments {
  return typeof shape === 'object' && 'root' in shape;
}

export function keysOf(json: Json | undefined): Shape {
  return isObject(json) ? Object.keys(json) : 'open';
}
