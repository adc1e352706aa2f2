import { z } from 'zod';
import { READ_HEADERS } from '../parameters.ts';
import { route } from '../route.ts';
import { anyObject, instant, ok } from '../values.ts';

const page = {
  ok,
  slug: z.string(),
  title: z.string(),
  statusLevel: z.string().nullable(),
  updatedAt: instant,
  html: z.literal('').optional(),
};

const Page = z
  .union([
    z.strictObject({ ...page, type: z.literal('markdown'), markdown: z.string() }),
    z.strictObject({ ...page, type: z.literal('keyvalue'), data: anyObject }),
  ])
  .meta({ id: 'Page', description: 'A page of the project' });

export const pages = {
  read: route({
    id: 'readPage',
    method: 'GET',
    path: '/:project/:page',
    family: 'pages',
    tag: 'Pages',
    summary: 'A page of the project, for anybody; a browser gets it as a document',
    keys: null,
    query: { format: z.string().meta({ description: 'Any other than `json` leaves out `html`; with any, a browser gets JSON, too' }) },
    answers: { 200: Page },
    texts: { 'text/html; charset=utf-8': 'The page as a document' },
    answerHeaders: READ_HEADERS,
    errors: ['NOT_FOUND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        slug: 'news',
        title: 'News',
        type: 'markdown',
        statusLevel: null,
        updatedAt: '2026-03-01T12:00:00.000Z',
        markdown: '# News',
        html: '',
      },
    },
  }),
} as const;
