import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type Definition,
  type DefinitionKind,
  definitionsIn,
  isListed,
  kindNamed,
  type ListedKind,
  SINGLE,
  singleDefinition,
} from '../words/definition.ts';
import { withExactNumbers } from '../words/exact.ts';
import { Refused, refusalOf } from '../words/refusal.ts';
import { listOf, objectOf } from '../words/value.ts';
import { LOOK, publishWhyOf, type Why } from './acts.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import { definitionsOf, type View } from './view.ts';

/** Definitions as source: read, looked at by the validator, staged. */

interface Definitions {
  readonly definitions: readonly Definition[];
  /** The revision that they are of. */
  readonly base: number;
}

export function definitionsQuery(view: View, kind: DefinitionKind) {
  const { project, target, at } = view;
  return queryOptions({
    queryKey: [project, 'definitions', kind, target, at],
    queryFn: (): Promise<Definitions> => (isListed(kind) ? listed(view, kind) : single(view, kind)),
  });
}

const LISTS = {
  collection: api.listCollections,
  endpoint: api.listEndpoints,
  workflow: api.listWorkflows,
  library: api.listLibraries,
  query: api.listQueries,
} as const;

async function listed(view: View, kind: ListedKind): Promise<Definitions> {
  const { body, revision } = await datedAnswerOf(LISTS[kind](definitionsOf(view)));
  return { definitions: definitionsIn(kind, body.data), base: revision };
}

async function single(view: View, kind: DefinitionKind): Promise<Definitions> {
  const { item, data, isThere, base } = kind === 'game-values' ? await storedValues(view) : await storedRules(view);
  return { definitions: isThere ? [singleDefinition(kind, item, data)] : [], base };
}

async function storedValues(view: View) {
  const { body, revision } = await datedAnswerOf(api.listGameValues(definitionsOf(view)));
  const data: unknown = body.data;
  return { item: data, data, isThere: !Array.isArray(data) || data.length > 0, base: revision };
}

async function storedRules(view: View) {
  const { body, revision } = await datedAnswerOf(api.listRateLimitRules(definitionsOf(view)));
  return { item: body as unknown, data: { rules: body.rules }, isThere: body.rules.length > 0, base: revision };
}

/** The saved tests, which are for live and next alike. */
export function testsQuery({ project }: View) {
  return queryOptions({
    queryKey: [project, 'tests'],
    queryFn: async () => (await answerOf(api.listTests({ project }))).data,
  });
}

export function definitionHistoryQuery({ project, target, at }: View, kind: DefinitionKind, id: string) {
  return infiniteQueryOptions({
    queryKey: [project, 'definition history', kind, id, target, at],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.readDefinitionHistory({
          project,
          kind,
          id,
          ...(at === undefined ? {} : { at }),
          limit: 30,
          ...(pageParam === null ? {} : { before: String(pageParam) }),
          xNsPublishTarget: target,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}

/** The JSON Schema of a kind, for completion. */
export function schemaQuery(kind: DefinitionKind) {
  return queryOptions({
    queryKey: ['schema', kind],
    queryFn: async (): Promise<Readonly<Record<string, unknown>>> => {
      const answer = await fetch(`/schemas/${kind}.json`);
      return answer.ok ? objectOf(await answer.json()) : {};
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export interface Edited {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
  readonly text: string;
}

/** A text that cannot be sent, because it cannot be read. */
export class Unreadable extends Error {}

/** The body of a push of one definition: its text as it is, or what it says, where it was pushed as data. */
async function pushOf({ kind, definition: { format, path, isAuthored }, text }: Edited): Promise<Readonly<Record<string, unknown>>> {
  const section = kindNamed(kind)?.section ?? kind;
  const source = { sourceFormat: format, ...(path === null ? {} : { sourcePath: path }), sourceText: text };
  if (isListed(kind)) return { [section]: [isAuthored ? { kind, ...source } : parsed(text)] };
  if (!isAuthored) return { [section]: parsed(text) };
  const { plainOf } = await import('../words/source-text.ts');
  const said = plainOf(text);
  if (said === undefined) throw new Unreadable('The text cannot be read as it is.');
  const whole = Array.isArray(said) ? { [kind === 'game-values' ? 'items' : 'rules']: said } : objectOf(said);
  return { [section]: { ...whole, ...source } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(withExactNumbers(text)) as unknown;
  } catch (error) {
    throw new Unreadable(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export interface Found {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly suggestedFix: string;
  readonly line: number | null;
  readonly column: number | null;
}

export interface Looked {
  readonly findings: readonly Found[];
  /** What the text says that it is. */
  readonly ids: readonly string[];
}

/** What a push to next would be told of a text. Nothing is written. */
export function lookQuery(project: string, edited: Edited) {
  return queryOptions({
    queryKey: [project, 'look', 'definition', edited.kind, edited.definition.id, numberOf(edited.text)],
    queryFn: () => lookedAt(project, edited),
    placeholderData: keepPreviousData,
    ...LOOK,
  });
}

let numbered = { text: '', number: 0 };

/** A number for the text that is looked at, another for each: a key is printed at every turn, and a text may have megabytes. */
function numberOf(text: string): number {
  if (text !== numbered.text) numbered = { text, number: numbered.number + 1 };
  return numbered.number;
}

async function lookedAt(project: string, edited: Edited): Promise<Looked> {
  try {
    const body = await pushOf(edited);
    const answer = await api.preflight({ project, xNsPublishTarget: 'next', body });
    const told = objectOf(answer.data);
    const section = objectOf(told[kindNamed(edited.kind)?.section ?? '']);
    if (section['total'] === undefined && answer.status !== 200) throw new Refused(refusalOf(answer.status, answer.data));
    const results = listOf(section['results'] ?? [section]).map(objectOf);
    return {
      findings: results.flatMap(({ diagnostics }) => listOf(diagnostics).map(foundIn)),
      ids: results.map((each) => String(each['resourceId'] ?? '')),
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const found = { severity: 'error', code: 'UNREADABLE', message: error.message, suggestedFix: '', line: null, column: null } as const;
    return { findings: [found], ids: [] };
  }
}

function foundIn(raw: unknown): Found {
  const { severity, code, message, suggestedFix, line, column } = objectOf(raw);
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code: String(code),
    message: String(message),
    suggestedFix: typeof suggestedFix === 'string' ? suggestedFix : '',
    line: typeof line === 'number' ? line : null,
    column: typeof column === 'number' ? column : null,
  };
}

export interface StagingAsked extends Edited {
  readonly project: string;
  readonly base: number;
  readonly why: Why;
}

/** Stages a text, unless somebody published since `base`. Gives the revision that next is of then. */
export async function stageDefinition({ project, base, why, ...edited }: StagingAsked, intent: string) {
  const body = await pushOf(edited);
  const about = { project, ...publishWhyOf(why), xNsPublishTarget: 'next', xNsBase: base, idempotencyKey: intent } as const;
  return (await datedAnswerOf(api.sync({ ...about, body }))).revision;
}

export interface TakenAsked {
  readonly project: string;
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly base: number;
  readonly why: Why;
}

/** Takes back what is staged of a definition. */
export function discardDefinition({ project, kind, id, base, why }: TakenAsked, intent: string) {
  const body = { kind, ...(id === SINGLE ? {} : { id }) };
  return answerOf(api.discard({ project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent, body }));
}

const REMOVALS = {
  collection: api.deleteCollection,
  endpoint: api.deleteEndpoint,
  workflow: api.deleteWorkflow,
  library: api.deleteLibrary,
  query: api.deleteQuery,
} as const;

/** Stages the removal of a definition: the promotion carries it out. */
export function removeDefinition({ project, kind, id, base, why }: TakenAsked & { readonly kind: ListedKind }, intent: string) {
  return answerOf(REMOVALS[kind]({ project, id, ...publishWhyOf(why), xNsPublishTarget: 'next', xNsBase: base, idempotencyKey: intent }));
}
