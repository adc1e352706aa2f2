import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../domain/definition/model/evolve.ts';
import { evolveDocument, isDocumentEvent } from '../../domain/document/evolve.ts';
import { packed } from '../../domain/document/packed.ts';
import { holderAfter } from '../../domain/document/unique.ts';
import type { ProjectEvent, WindowChange } from '../../domain/events.ts';
import { evolveGuest, evolveGuestName, isGuestEvent } from '../../domain/guest/evolve.ts';
import { evolveAppended, evolveKept } from '../../domain/idempotency/answers.ts';
import { evolveWindow } from '../../domain/limit/evolve.ts';
import { evolvePage, isPageEvent } from '../../domain/page/page.ts';
import { evolveAuthority } from '../../domain/project/evolve.ts';
import { evolveRecordList, isRecordListEvent } from '../../domain/record/evolve.ts';
import { evolveSession } from '../../domain/session/evolve.ts';
import type { StateOf, SubjectKind, SubjectState } from '../../domain/states.ts';
import { kindOf, type Subject, type SubjectKey, windowSubject } from '../../domain/subjects.ts';

/** State of a subject after an event that changes it (`subjectsOf`). */
type Evolve<K extends SubjectKind> = (state: StateOf[K] | null, event: ProjectEvent, subject: Subject<K>) => StateOf[K] | null;

/** How the subjects of each kind fold. */
const EVOLVE: { readonly [K in SubjectKind]: Evolve<K> } = {
  authority: evolveAuthority,
  definitions: (state, event) => evolveDefinitions(state ?? EMPTY_DEFINITIONS, event),
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
};

/** State of one subject after an event that changes it. Speculation, tail and loading all fold with it. */
export function evolve(subject: Subject, state: SubjectState | null, event: ProjectEvent): SubjectState | null {
  // The state is of the subject's kind, which the compiler cannot relate to each other.
  const fold = EVOLVE[kindOf(subject)] as Evolve<SubjectKind>;
  return fold(state, event, subject);
}

function documentAfter(state: StateOf['document'] | null, event: ProjectEvent): StateOf['document'] | null {
  if (!isDocumentEvent(event)) return state;
  const next = evolveDocument(state, event, event.metadata.recordedAt);
  // A game that stores whole documents goes on to do so and never reads their parts, so the text is enough. A change of parts needs the value
  // for the next change.
  return event.type === 'document.written' && event.data.changes === undefined ? packed(next) : next;
}

function answerAfter(state: StateOf['idempotency'] | null, event: ProjectEvent): StateOf['idempotency'] | null {
  if (event.type === 'answer.kept') return evolveKept(event.data);
  return event.type === 'record.appended' ? evolveAppended(event.data, event.metadata.recordedAt) : state;
}

/** The hash is the last part of the subject. */
function uniqueAfter(state: StateOf['unique'] | null, event: ProjectEvent, subject: Subject<'unique'>): StateOf['unique'] | null {
  const hash = subject.slice(subject.lastIndexOf('/') + 1);
  if (event.type === 'unique.claimed') {
    const claim = event.data.claims.find(([claimed]) => claimed === hash);
    return claim === undefined ? state : { holder: claim[1] };
  }
  if (!isDocumentEvent(event)) return state;
  const key = event.type === 'record.appended' ? event.data.recordId : event.data.key;
  const holder = holderAfter(event.data.unique, key, hash);
  return holder === undefined ? state : holder === null ? null : { holder };
}

function windowAfter(state: StateOf['window'] | null, event: ProjectEvent, subject: Subject<'window'>): StateOf['window'] | null {
  if (event.type !== 'document.written' && event.type !== 'record.appended' && event.type !== 'call.counted') return state;
  const { space, windows = [] } = event.data;
  const change = changeIn(windows, subject, ({ counter }) => windowSubject(space, counter));
  return change ? evolveWindow(state, change) : state;
}

const FEW_WINDOWS = 8;
const indexed = new WeakMap<readonly WindowChange[], ReadonlyMap<SubjectKey, WindowChange>>();

/** Finds the change of one window. An event with many changes is asked for each of them, so they are indexed once. */
function changeIn(
  windows: readonly WindowChange[],
  subject: SubjectKey,
  subjectOf: (change: WindowChange) => SubjectKey,
): WindowChange | undefined {
  if (windows.length <= FEW_WINDOWS) return windows.find((change) => subjectOf(change) === subject);
  const known = indexed.get(windows) ?? new Map(windows.map((change) => [subjectOf(change), change]));
  indexed.set(windows, known);
  return known.get(subject);
}
