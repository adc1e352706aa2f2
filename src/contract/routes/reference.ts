import { z } from 'zod';
import { SCHEMA_FILES } from '../resources/files.ts';
import { route } from '../route.ts';
import { anyObject, ok } from '../values.ts';
import { about } from './system.ts';

/** What the server tells of itself: its front page, schemas, and its reference. */

const version = z.string();

export const schemas = {
  read: route({
    ...about,
    id: 'readSchema',
    method: 'GET',
    path: '/schemas/:file',
    summary: 'The JSON Schema of a kind of source file, for editors',
    params: { file: z.enum(SCHEMA_FILES).meta({ description: 'The kind, and `.json`' }) },
    answers: { 200: anyObject.meta({ description: 'A JSON Schema of draft 2020-12' }) },
    errors: ['NOT_FOUND'],
    example: { params: { file: 'collection.json' }, answer: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } },
  }),
} as const;

/** What browsers are told of a page that the server makes. */
const PAGE_HEADERS = {
  'Content-Security-Policy': z.string().meta({ description: 'The page loads nothing but what this server serves' }),
  'X-Content-Type-Options': z.literal('nosniff').meta({ description: 'The type is the one that is said' }),
  'Referrer-Policy': z.literal('no-referrer').meta({ description: 'Links do not say where they were followed' }),
} as const;
const CACHE = { 'Cache-Control': z.string().meta({ description: 'How long the answer may be kept' }) } as const;
const path = z.string().meta({ description: 'A path, relative to this one' });

export const home = {
  read: route({
    ...about,
    id: 'readHome',
    method: 'GET',
    path: '/',
    summary: 'What this server is, and where its reference and its probes are; a browser gets it as a page',
    answers: {
      200: z
        .strictObject({
          ok,
          product: z.string(),
          version,
          docs: path.optional(),
          manual: path.optional(),
          openapi: path.optional(),
          health: path,
          ready: path,
        })
        .meta({ id: 'Home', description: 'Where things are. `docs`, `manual` and `openapi` are left out where `API_DOCS` is off' }),
    },
    texts: { 'text/html; charset=utf-8': 'The same as a page, with whether the server is ready' },
    answerHeaders: CACHE,
    example: {
      answer: {
        ok: true,
        product: 'savepoint',
        version: '0.1.0',
        docs: 'docs',
        manual: 'manual',
        openapi: 'openapi.json',
        health: 'health',
        ready: 'ready',
      },
    },
  }),
  icon: route({
    ...about,
    id: 'readIcon',
    method: 'GET',
    path: '/favicon.svg',
    hidden: true,
    summary: "The icon of the server's pages",
    answers: { 200: z.string() },
    texts: { 'image/svg+xml': 'The icon' },
    noJson: true,
    answerHeaders: CACHE,
  }),
} as const;

/** The setting `API_DOCS` switches them off. */
export const reference = {
  openApi: route({
    ...about,
    id: 'readOpenApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description of the API',
    answers: { 200: anyObject.meta({ description: 'An OpenAPI 3.1 document' }) },
    answerHeaders: CACHE,
    errors: ['NOT_FOUND'],
    example: { answer: { openapi: '3.1.0', info: { title: 'Savepoint', version: '0.1.0' } } },
  }),
  page: route({
    ...about,
    id: 'readReference',
    method: 'GET',
    path: '/docs',
    summary: 'The same as a page for people',
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'The page' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  slash: route({
    ...about,
    id: 'readReferenceWithSlash',
    method: 'GET',
    path: '/docs/',
    hidden: true,
    summary: 'Leads to the page',
    answers: { 308: z.strictObject({ ok }) },
    answerHeaders: { Location: z.literal('../docs').meta({ description: 'Where the page is, relative to this path' }) },
    errors: ['NOT_FOUND'],
  }),
  manual: route({
    ...about,
    id: 'readManual',
    method: 'GET',
    path: '/manual',
    summary: 'The pages of the manual',
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'Links to the pages' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  manualSlash: route({
    ...about,
    id: 'readManualWithSlash',
    method: 'GET',
    path: '/manual/',
    hidden: true,
    summary: 'Leads to the pages',
    answers: { 308: z.strictObject({ ok }) },
    answerHeaders: { Location: z.literal('../manual').meta({ description: 'Where the pages are, relative to this path' }) },
    errors: ['NOT_FOUND'],
  }),
  manualPage: route({
    ...about,
    id: 'readManualPage',
    method: 'GET',
    path: '/manual/:page',
    summary: 'A page of the manual',
    params: { page: z.string().meta({ description: 'Its name, such as `security`' }) },
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'The page' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  asset: route({
    ...about,
    id: 'readReferenceAsset',
    method: 'GET',
    path: '/docs/:asset',
    hidden: true,
    summary: 'What the page is made of',
    params: { asset: z.string() },
    answers: { 200: z.string() },
    texts: { 'text/javascript; charset=utf-8': 'A script', 'text/css; charset=utf-8': 'A style sheet' },
    noJson: true,
    answerHeaders: { 'X-Content-Type-Options': PAGE_HEADERS['X-Content-Type-Options'], ...CACHE },
    errors: ['NOT_FOUND'],
  }),
} as const;
