import { z } from 'zod';
import { map, needed, optional } from './member.ts';

/** Pages: texts and key-value lists that a project shows to anybody. */

/** Characters. */
export const LONGEST_TITLE = 120;
export const LONGEST_CONTENT = 100_000;

const about = {
  slug: needed(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), 'Names the page.'),
  title: needed(z.string().min(1).max(LONGEST_TITLE), 'Its title.'),
  statusLevel: optional(z.string().regex(/^[a-z0-9_-]{1,32}$/), 'How the game shows it.'),
};

export const page = z
  .discriminatedUnion('pageType', [
    z.strictObject({
      ...about,
      pageType: needed(z.literal('markdown'), 'A text.'),
      contentMd: needed(z.string().max(LONGEST_CONTENT), 'Markdown.'),
    }),
    z.strictObject({ ...about, pageType: needed(z.literal('keyvalue'), 'Keys and values.'), kvData: needed(map, 'Key → value.') }),
  ])
  .meta({ id: 'Page', description: 'What a project shows to anybody.' });
