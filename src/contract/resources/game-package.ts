import { z } from 'zod';
import { isNumber, type Json, toDouble } from '../../kernel/json.ts';
import { optional, type Written } from './member.ts';

/** The game's package as its editor sends it: the revision that players should run. */

/** A revision may be a number as text. Null, an empty text and 0 mean no revision; some editors send them. */
function told(value: unknown): unknown {
  const sent = value as Json;
  if (sent === '') return null;
  if (typeof sent === 'string' && /^\d{1,16}$/.test(sent)) return Number(sent);
  return isNumber(sent) ? toDouble(sent) : sent;
}

const revisionId = z.preprocess(told, z.int().min(0).nullable()).transform((id) => (id === 0 ? null : id));

export const gamePackage = z.looseObject({
  currentRevisionId: optional(revisionId, 'The revision that players should run. Null keeps the known one.'),
  latestRevisionId: optional(revisionId, 'The newest revision. The current one when it was never sent.'),
});

/** Members of a package as they were received or stored. */
export type WrittenPackage = Written<typeof gamePackage>;
