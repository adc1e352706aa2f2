import type { z } from 'zod';
import { collection } from './collection.ts';
import { sourceFile } from './definition.ts';
import { gameValues } from './game-values.ts';
import { endpoint, library, workflow } from './logic.ts';
import { query } from './query.ts';
import { rules } from './rate-limits.ts';
import { settings } from './settings.ts';
import { writtenTest } from './test.ts';

/** The files that authors write, by the names of their JSON Schemas. */
export const SOURCE_FILES = {
  collection: sourceFile('collection', collection, 'A collection of documents.'),
  endpoint: sourceFile('endpoint', endpoint, 'An endpoint.'),
  workflow: sourceFile('workflow', workflow, 'A workflow.'),
  library: sourceFile('library', library, 'A library of blocks.'),
  query: sourceFile('query', query, 'A query.'),
  test: sourceFile('test', writtenTest, 'A test of an endpoint.'),
  'game-values': gameValues,
  'rate-limit-rules': rules,
  settings,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type SourceFileName = keyof typeof SOURCE_FILES;

/** Names under which their JSON Schemas are served. */
export const SCHEMA_FILES = Object.keys(SOURCE_FILES).map((name) => `${name}.json`) as readonly `${SourceFileName}.json`[];
