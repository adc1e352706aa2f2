import type { SourceKind } from '../../domain/definition/kinds.ts';
import { compileItem } from '../../domain/definition/source.ts';
import type { Json } from '../../kernel/json.ts';
import { turns } from '../../kernel/turns.ts';
import type { AppContext } from '../context.ts';

/** An element of a push, and what it should be. */
export type Pushed = readonly [item: Json, kind: SourceKind];

/**
 * A source text takes milliseconds to parse, and what decides about a push is done in one go: a push of a thousand texts would hold up
 * every game on the node. What is compiled here is remembered by its item.
 */
export async function compileAhead(context: Pick<AppContext, 'scheduler'>, items: readonly Pushed[]): Promise<void> {
  const rest = turns(context.scheduler);
  for (const [item, kind] of items) {
    compileItem(item, kind);
    await rest();
  }
}
