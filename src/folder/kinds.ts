import { basename } from 'node:path';
import { type SingleKind, SOURCE_KINDS, type SourceKind } from '../domain/kinds.ts';

/**
 * The file names of sources: `heroes.collection.yml` contains the collection `heroes`, `values.yml` all game values. Each may be YAML
 * (`.yml`,
 * `.yaml`) or JSON, and be in any subfolder.
 */

/** The kind of definitions in a file. */
export type FileKind = SourceKind | SingleKind;

export type Format = 'yaml' | 'json';

/** Files that hold everything of a kind: game values and rules as one document, queries and tests as a list. */
const WHOLE: Readonly<Record<string, FileKind>> = {
  values: 'game-values',
  'game-values': 'game-values',
  rules: 'rate-limit-rules',
  'rate-limit-rules': 'rate-limit-rules',
  queries: 'query',
  tests: 'test',
};

/** The names of files that hold everything of a kind. */
export const WHOLE_NAMES: readonly string[] = Object.keys(WHOLE);

export interface FileName {
  readonly kind: FileKind;
  readonly format: Format;
  /** Whether the file is a list of definitions. */
  readonly isList: boolean;
  /** The id of a definition that names none itself; `null` for files that hold everything of their kind. */
  readonly id: string | null;
}

/** The kind and id of a source file by its path; `null` if it is not a source. */
export function fileNameOf(path: string): FileName | null {
  const match = /^(.+)\.(ya?ml|json)$/i.exec(basename(path));
  if (match === null) return null;
  const [, stem = '', ending = ''] = match;
  const format: Format = ending.toLowerCase() === 'json' ? 'json' : 'yaml';
  const whole = Object.hasOwn(WHOLE, stem.toLowerCase()) ? WHOLE[stem.toLowerCase()] : undefined;
  if (whole !== undefined) return { kind: whole, format, isList: whole === 'query' || whole === 'test', id: null };
  const kind = SOURCE_KINDS.find((each) => stem.toLowerCase().endsWith(`.${each}`));
  return kind === undefined ? null : { kind, format, isList: false, id: stem.slice(0, -kind.length - 1) };
}

/** The name of a definition's own file: `heroes.collection.yml`, `values.yml`. */
export function fileOf(kind: FileKind, id: string, format: Format = 'yaml'): string {
  const ending = format === 'json' ? 'json' : 'yml';
  if (kind === 'game-values') return `values.${ending}`;
  if (kind === 'rate-limit-rules') return `rules.${ending}`;
  return `${id}.${kind}.${ending}`;
}
