import { z } from 'zod';
import { READ_HEADERS } from '../parameters.ts';
import { anyJson, ok } from '../values.ts';

/**
 * What the routes for studios and their tools share: definitions, publishing, tests, settings. All need a secret key, except
 * `revision-init`.
 */

export const staged = { publishTarget: z.enum(['live', 'next']).optional().meta({ description: '`next`, where the push was staged' }) };
export const store = { source: z.string().meta({ description: 'Where definitions are kept' }) };

/** Where two forms differ, as the rules of differences tell it. */
export const DifferingField = z
  .strictObject({
    path: z.string().meta({ description: 'A JSON pointer' }),
    label: z.string().meta({ description: 'The same for people' }),
    before: anyJson.optional(),
    after: anyJson.optional(),
    moved: ok.optional().meta({
      description:
        'An item of a list stands elsewhere among those that stayed: `before` and `after` are places from 1 on, or names in order where many moved',
    }),
  })
  .meta({ id: 'DifferingField', description: 'Where two forms differ; a side without a value is left out' });

/** A source file of an author, as tools push it. */
export const SourceItem = z
  .object({ sourceText: z.string(), kind: z.string().optional(), id: z.string().optional(), sourcePath: z.string().optional() })
  .catchall(anyJson)
  .meta({ id: 'SourceItem', description: 'A definition as the text of a source file, YAML or JSON' });

export const Diagnostic = z
  .strictObject({
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    message: z.string(),
    type: z.string().optional(),
    resourceKind: z.string().optional(),
    resourceId: z.string().nullable().optional(),
    sourcePath: z.string().optional().meta({ description: 'The file, or the member that is wrong' }),
    sourcePointer: z.string().optional().meta({ description: 'JSON pointer into the definition' }),
    file: z.string().optional(),
    line: z.int().optional(),
    column: z.int().optional(),
    suggestedFix: z.string().optional(),
  })
  .meta({ id: 'Diagnostic', description: 'What the validator or the compiler found' });

export const diagnostics = z.array(Diagnostic).optional();
export const INVALID = ['VALIDATION_FAILED'] as const;
export const PUSHED = [
  'VALIDATION_FAILED',
  'SOURCE_COMPILE_FAILED',
  'STRICT_FINDINGS',
  'COMPILE_LIMIT',
  'COMPILER_FAILED',
  'UNIQUE_VIOLATION',
  'REVEAL_NEEDED',
] as const;
/** Refusals of `x-ns-base`. */
export const ON_BASE = ['PUBLISH_CONFLICT', 'INVALID_REQUEST', 'WRITE_CONFLICT'] as const;

export const CLAIMING = ['COLLECTION_TOO_LARGE', 'BEHIND', 'MANAGEMENT_MUTATION_FAILED'] as const;

export const about = { family: 'manage', tag: 'Publishing', answerHeaders: READ_HEADERS } as const;
export const ofProject = { ...about, tag: 'Project' } as const;
/** How many items a page holds, and at most. */
export const PAGE = { initial: 50, most: 200 } as const;
export const pageSize = z.int().min(1).max(PAGE.most).default(PAGE.initial);
export const paged = {
  limit: pageSize,
  before: z.string().meta({ description: '`before` of the page before' }),
} as const;

/** The collection that the examples use. */
export const SAVES = {
  id: 'saves',
  name: 'saves',
  collectionType: 'per-platformid',
  accessMode: 'public',
  maxRecords: 5,
  allowRecordDelete: true,
  schema: { name: { type: 'string' }, gold: { type: 'number', _ledger: true } },
};
