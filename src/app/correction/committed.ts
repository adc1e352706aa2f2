import type { DocumentChange } from '../../domain/correction/three-way.ts';
import { evolveDocument, isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import type { Operation, Posting, ProjectEvent, SaveRecord, Space } from '../../domain/events.ts';
import { evolveRecordList, isRecordListEvent } from '../../domain/record/evolve.ts';
import type { DocumentState } from '../../domain/states.ts';
import { documentSubject, recordListSubject } from '../../domain/subjects.ts';
import { groupBy } from '../../kernel/group.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';

/** What a commit did to one document. */
export interface CommittedDocument extends DocumentChange {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
}

/** What a commit did to one player's list of save records. */
interface CommittedList {
  readonly space: Space;
  readonly collection: string;
  readonly player: string;
  readonly before: readonly SaveRecord[];
  readonly after: readonly SaveRecord[];
}

export interface Committed {
  readonly documents: readonly CommittedDocument[];
  readonly lists: readonly CommittedList[];
}

/** Reads what was there before a commit, and folds its events onto that. `isAsked`: which documents; left out: all of them. */
export async function committedBy(past: Past, project: Project, commit: Commit, isAsked = (_: Address) => true): Promise<Committed> {
  const written = commit.events
    .filter(isDocumentEvent)
    .filter((event) => isAsked({ collection: event.data.collection, key: keyOf(event) }));
  const documents = groupBy(written, (event) => documentSubject(event.data.space, event.data.collection, keyOf(event)));
  const lists = groupBy(commit.events.filter(isRecordListEvent), ({ data }) => recordListSubject(data.space, data.collection, data.player));
  const postings = commit.events.flatMap((event) => (event.type === 'ledger.posted' ? event.data.postings : []));
  return {
    documents: await Promise.all(
      [...documents.values()].map((events) => committedDocument(past, project, commit.first - 1, events, postings)),
    ),
    lists: await inTurns([...lists.values()], (events) => committedList(past, project, commit.first - 1, events)),
  };
}

interface Address {
  readonly collection: string;
  readonly key: string;
}

type WrittenEvent = Extract<ProjectEvent, { readonly type: 'document.written' | 'document.deleted' | 'record.appended' }>;

async function committedDocument(
  past: Past,
  project: Project,
  revision: number,
  events: readonly WrittenEvent[],
  postings: readonly Posting[],
): Promise<CommittedDocument> {
  const [first] = events;
  if (first === undefined) throw new Error('a document without events');
  const { space, collection } = first.data;
  const key = keyOf(first);
  const fork = 'fork' in first.data ? first.data.fork : undefined;
  const known = fork ?? (await past.documentAt(project, { space, collection, key }, revision));
  let state: DocumentState | null = known === null ? null : { ...known, createdAt: 0, updatedAt: 0, balances: undefined };
  for (const event of events) state = evolveDocument(state, event, event.metadata.recordedAt);
  const entries = postings
    .filter((posting) => posting.collection === collection && posting.key === key)
    .flatMap((posting) => posting.entries);
  return { space, collection, key, before: known?.document ?? null, after: state?.document ?? null, ops: opsOf(events), entries };
}

function opsOf(events: readonly WrittenEvent[]): readonly Operation[] | null {
  const ops: Operation[] = [];
  for (const event of events) {
    if (event.type !== 'document.written' || event.data.ops === undefined) return null;
    ops.push(...event.data.ops);
  }
  return ops;
}

type ListEvent = Extract<ProjectEvent, { readonly type: 'record.created' | 'record.renamed' | 'record.deleted' }>;

async function committedList(past: Past, project: Project, revision: number, events: readonly ListEvent[]): Promise<CommittedList> {
  const [first] = events;
  if (first === undefined) throw new Error('a list without events');
  const { space, collection, player, fork } = first.data;
  const before = fork ?? (await past.recordsAt(project, space, collection, player, revision));
  let records = before;
  for (const event of events) records = evolveRecordList({ records }, event, event.metadata.recordedAt).records;
  return { space, collection, player, before, after: records };
}
