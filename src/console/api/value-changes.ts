import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { formatOf, withoutAuthoring } from '../words/definition.ts';
import type { Sheet } from '../words/sheet.ts';
import { objectOf } from '../words/value.ts';
import { type WrittenChange, withChanges } from '../words/written-values.ts';
import { LOOK, publishWhyOf, type Why } from './acts.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import { type Served, servedValues } from './values.ts';
import type { Target, View } from './view.ts';

/** The definitions that hold game values: how these are changed, and who changed them. */

/** Where a group or table is written, as a target has it now. */
export interface Held extends Served {
  readonly collection: string | null;
  readonly written: unknown;
}

/** What a change of a group or table would be made to. */
export function holderQuery(project: string, target: Target, collection: string | null) {
  return queryOptions({
    queryKey: [project, 'look', 'values', target, collection],
    queryFn: async (): Promise<Held> => {
      const [values, written] = await Promise.all([
        servedValues(project, target),
        collection === null ? writtenValues(project, target) : writtenCollection(project, target, collection),
      ]);
      return { ...values, collection, written };
    },
    ...LOOK,
  });
}

async function writtenValues(project: string, target: Target): Promise<unknown> {
  const { data } = await answerOf(api.listGameValues({ project, revisionTarget: target, xNsPublishTarget: target }));
  const written: unknown = data;
  return Array.isArray(written) && written.length === 0 ? { items: [] } : written;
}

/** A staged definition with a text of its own stands alone; one without is laid over the live one. */
async function writtenCollection(project: string, target: Target, id: string): Promise<unknown> {
  const staged = target === 'next' ? { includeStaged: 'true', revisionTarget: 'next' as const } : {};
  const { data } = await answerOf(api.listCollections({ project, ...staged, xNsPublishTarget: target }));
  const [first, last] = data.filter((each) => each.id === id);
  return last === undefined || typeof last['sourceText'] === 'string' ? (last ?? first) : { ...withoutAuthoring(objectOf(first)), ...last };
}

/** A text that its author wrote cannot be changed here. */
export class Unwritable extends Error {}

/** What is sent so that a definition has these changes: in its author's text, too, where there is one. */
export async function bodyAfter({ written, collection }: Held, changes: readonly WrittenChange[]): Promise<unknown> {
  const { sourceText: text, sourceFormat, sourcePath } = objectOf(written);
  const changed = withChanges(written, changes);
  if (typeof text !== 'string') return collection === null ? changed : { id: collection, ...changedMembers(changed, changes) };
  const { changedSource } = await import('../words/source-text.ts');
  const made = changedSource(text, formatOf({ sourceFormat, sourcePath }), inText(text, changes));
  if (made === null)
    throw new Unwritable('The text of its file is not what this page can change. Change it in Definitions, or in the file.');
  if (collection === null) return { ...objectOf(changed), sourceText: made };
  return { kind: 'collection', id: collection, sourceText: made, ...authoring({ sourceFormat, sourcePath }) };
}

function authoring(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === 'string'));
}

function changedMembers(changed: unknown, changes: readonly WrittenChange[]): Readonly<Record<string, unknown>> {
  const names = new Set(changes.map(({ path }) => String(path[0])));
  return Object.fromEntries(Object.entries(objectOf(changed)).filter(([name]) => names.has(name)));
}

/** A file may be the bare list that is sent as `items`. */
function inText(text: string, changes: readonly WrittenChange[]): readonly WrittenChange[] {
  const isList = /^(?:\s|#[^\n]*\n|---)*(?:-\s|\[)/.test(text);
  return isList ? changes.map((change) => ({ ...change, path: change.path.slice(1) })) : changes;
}

export interface SaveAsked {
  readonly project: string;
  readonly target: Target;
  /** The revision that was looked at: whoever published since is not overwritten. */
  readonly base: number;
  readonly why: Why;
  readonly collection: string | null;
  readonly body: unknown;
}

/** Stores what {@link bodyAfter} made. Answers the revision of the log that has it. */
export async function saveValues({ project, target, base, why, collection, body }: SaveAsked, intent: string): Promise<number> {
  const about = { project, ...publishWhyOf(why), xNsPublishTarget: target, xNsBase: base, idempotencyKey: intent };
  // It is what the server answered, with changes; the server checks it anew.
  if (collection === null) return (await datedAnswerOf(api.putGameValues({ ...about, gameValues: body as api.GameValues }))).revision;
  return (await datedAnswerOf(api.patchCollection({ ...about, body: body as api.SourceItem }))).revision;
}

export type ValueChange = api.DefinitionChange;

export function valueHistoryQuery({ project, target, at }: View, { id, collection }: Pick<Sheet, 'id' | 'collection'>) {
  return infiniteQueryOptions({
    queryKey: [project, 'value history', id, collection, target, at],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.readGameValueHistory({
          project,
          value: id,
          ...(collection === null ? {} : { collection }),
          ...(at === undefined ? {} : { at }),
          limit: 50,
          ...(pageParam === null ? {} : { before: String(pageParam) }),
          xNsPublishTarget: target,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}
