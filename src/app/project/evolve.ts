import { evolveGrant, evolveGrantPlayer } from '../../domain/correction/grant.ts';
import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../domain/definition/model/evolve.ts';
import { evolveRelease } from '../../domain/definition/release/release.ts';
import { evolveDocument, evolvePosted, isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import { packed } from '../../domain/document/packed.ts';
import { holderAfter } from '../../domain/document/unique.ts';
import type { ProjectEvent } from '../../domain/events.ts';
import { evolveGuest, evolveGuestName, isGuestEvent } from '../../domain/guest/evolve.ts';
import { evolveKept } from '../../domain/idempotency/answers.ts';
import { evolveWindow } from '../../domain/limit/evolve.ts';
import { evolvePage, isPageEvent } from '../../domain/page/page.ts';
import { evolveAuthority } from '../../domain/project/evolve.ts';
import { evolveRecordList, isRecordListEvent } from '../../domain/record/evolve.ts';
import { evolveSession } from '../../domain/session/evolve.ts';
import type { StateOf, SubjectKind, SubjectState } from '../../domain/states.ts';
import { documentSubject, kindOf, type Subject, type SubjectKey, undoneSubject, windowSubject } from '../../domain/subjects.ts';

/** State of a subject after an event that changes it (`subjectsOf`). */
type Evolve<K extends SubjectKind> = (state: StateOf[K] | null, event: ProjectEvent, subject: Subject<K>) => StateOf[K] | null;

/** How the subjects of each kind fold. */
const EVOLVE: { readonly [K in SubjectKind]: Evolve<K> } = {
  authority: evolveAuthority,
  definitions: (state, event) => evolveDefinitions(state ?? EMPTY_DEFINITIONS, event),
  release: evolveRelease,
  document: documentAfter,
  window: windowAfter,
  unique: uniqueAfter,
  idempotency: answerAfter,
  records: (state, event) => (isRecordListEvent(event) ? evolveRecordList(state, event, event.metadata.recordedAt) : state),
  page: (state, event) => (isPageEvent(event) ? evolvePage(state, event, event.metadata.recordedAt) : state),
  session: evolveSession,
  guest: (state, event) => (isGuestEvent(event) ? evolveGuest(state, event) : state),
  'guest-name': (state, event) => (isGuestEvent(event) ? evolveGuestName(event) : state),
  request: (state, event) => (event.type === 'request.consumed' ? { until: event.data.until } : state),
  undone: undoneAfter,
  grant: evolveGrant,
  'grant-player': evolveGrantPlayer,
  alarm: (state, event) => (event.type === 'alarm.raised' ? { amount: event.data.amount } : state),
};

/** State of one subject after an event that changes it. Speculation, tail and loading all fold with it. */
export function evolve(subject: Subject, state: SubjectState | null, event: ProjectEvent): SubjectState | null {
  // The state is of the subject's kind, which the compiler cannot relate to each other.
  const fold = EVOLVE[kindOf(subject)] as Evolve<SubjectKind>;
  return fold(state, event, subject);
}

function documentAfter(state: StateOf['document'] | null, event: ProjectEvent, subject: Subject<'document'>): StateOf['document'] | null {
  if (event.type === 'ledger.posted') return postedAfter(state, event, subject);
  if (!isDocumentEvent(event)) return state;
  const next = evolveDocument(state, event, event.metadata.recordedAt);
  // A game that stores whole documents goes on to do so and never reads their parts, so the text is enough. A change of parts needs the
  // value for the next change.
  return event.type === 'document.written' && event.data.ops === undefined ? packed(next) : next;
}

type Posted = Extract<ProjectEvent, { readonly type: 'ledger.posted' }>;

function postedAfter(state: StateOf['document'] | null, event: Posted, subject: Subject<'document'>): StateOf['document'] | null {
  const { data, balances } = event;
  const own = placesOf(data.postings, subject, ({ collection, key }) => documentSubject(data.space, collection, key));
  let after = state;
  for (const place of own) {
    const posting = data.postings[place];
    if (after === null || posting === undefined) continue;
    after = evolvePosted(after, posting, balances && { text: balances[place] });
  }
  return after;
}

function answerAfter(state: StateOf['idempotency'] | null, event: ProjectEvent): StateOf['idempotency'] | null {
  return event.type === 'answer.kept' ? evolveKept(event.data) : state;
}

/** The hash is the last part of the subject. */
function uniqueAfter(state: StateOf['unique'] | null, event: ProjectEvent, subject: Subject<'unique'>): StateOf['unique'] | null {
  const hash = subject.slice(subject.lastIndexOf('/') + 1);
  if (event.type === 'unique.claimed') {
    const claim = event.data.claims.find(([claimed]) => claimed === hash);
    return claim === undefined ? state : { holder: claim[1] };
  }
  if (!isDocumentEvent(event)) return state;
  const holder = holderAfter(event.data.unique, keyOf(event), hash);
  return holder === undefined ? state : holder === null ? null : { holder };
}

function undoneAfter(state: StateOf['undone'] | null, event: ProjectEvent, subject: Subject<'undone'>): StateOf['undone'] | null {
  if (event.type !== 'correction.made') return state;
  const found = event.data.undone?.find(([revision]) => undoneSubject(revision) === subject);
  return found === undefined ? state : { undone: found[1] };
}

function windowAfter(state: StateOf['window'] | null, event: ProjectEvent, subject: Subject<'window'>): StateOf['window'] | null {
  if (event.type !== 'document.written' && event.type !== 'record.appended' && event.type !== 'call.counted') return state;
  const { space, windows = [] } = event.data;
  const [place] = placesOf(windows, subject, ({ counter }) => windowSubject(space, counter));
  const change = place === undefined ? undefined : windows[place];
  return change ? evolveWindow(state, change) : state;
}

const FEW = 8;
const indexed = new WeakMap<readonly unknown[], ReadonlyMap<SubjectKey, readonly number[]>>();

/** Where a subject stands in an event's list. An event with a long list is asked for each of its subjects, so they are indexed once. */
function placesOf<Item>(items: readonly Item[], subject: SubjectKey, subjectOf: (item: Item) => SubjectKey): readonly number[] {
  if (items.length <= FEW) return items.flatMap((item, place) => (subjectOf(item) === subject ? [place] : []));
  const known = indexed.get(items) ?? indexOf(items.map(subjectOf));
  indexed.set(items, known);
  return known.get(subject) ?? [];
}

function indexOf(subjects: readonly SubjectKey[]): ReadonlyMap<SubjectKey, readonly number[]> {
  const places = new Map<SubjectKey, number[]>();
  for (const [place, subject] of subjects.entries()) {
    const known = places.get(subject);
    if (known === undefined) places.set(subject, [place]);
    else known.push(place);
  }
  return places;
}
