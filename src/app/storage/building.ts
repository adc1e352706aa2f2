import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';

/** How long a read waits for the views to show the publish that asked for what it reads, ms. */
const PUBLISH_MS = 5_000;

/**
 * Reads a board or a list. Tables that lack the publish that asked for it (`isKnown`) would not show an old one, but that it is empty. So a
 * publish is waited for longer than a change of documents. Throws 503 `BEHIND`.
 */
export async function published<Found>(
  { views }: Pick<AppContext, 'views'>,
  { id, set }: Project,
  read: () => Promise<Found>,
  isKnown: (found: Found) => boolean,
): Promise<Found> {
  const found = await read();
  if (isKnown(found)) return found;
  await views.caughtUp(id, set.head, PUBLISH_MS);
  const later = await read();
  if (!isKnown(later)) throw refusal('BEHIND');
  return later;
}

/** Refuses what is still being filled after a publish: 503 `BUILDING`. `fraction`: the part that is done, 0 to below 1. */
export function building(fraction: number, message?: string): Refusal {
  return refusal('BUILDING', message, { error: { details: { fraction: Math.floor(fraction * 1_000) / 1_000 } } });
}
