import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../domain/definition/evolve.ts';
import { evolveDocument, isDocumentEvent } from '../../domain/document/evolve.ts';
import { packed } from '../../domain/document/packed.ts';
import { holderAfter } from '../../domain/document/unique.ts';
import type { ProjectEvent, Space, WindowChange } from '../../domain/events.ts';
import { evolveGuest, evolveGuestName, isGuestEvent } from '../../domain/guest/evolve.ts';
import { evolveAppended, evolveKept } from '../../domain/idempotency/answers.ts';
import { evolveWindow } from '../../domain/limit/evolve.ts';
import { evolvePage, isPageEvent } from '../../domain/page/page.ts';
import { evolveAuthority } from '../../domain/project/evolve.ts';
import { evolveRecordList, isRecordListEvent } from '../../domain/record/evolve.ts';
import { evolveSession } from '../../domain/session/evolve.ts';
import {
  asAuthority,
  asDefinitions,
  asDocument,
  asFamily,
  asGuest,
  asPage,
  asRecordList,
  asWindow,
  type SubjectState,
} from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, type SubjectKey, windowSubject } from '../../domain/subjects.ts';

/** State of one subject after an event that changes it (`subjectsOf`). Speculation, tail and loading all fold with it. */
export function evolve(subject: SubjectKey, state: SubjectState | null, event: ProjectEvent): SubjectState | null {
  if (subject === AUTHORITY) return evolveAuthority(asAuthority(state), event);
  if (subject === DEFINITIONS) return evolveDefinitions(asDefinitions(state) ?? EMPTY_DEFINITIONS, event);
  if (subject.startsWith('session/')) return evolveSession(asFamily(state), event);
  if (isGuestEvent(event)) return subject.startsWith('guest/') ? evolveGuest(asGuest(state), event) : evolveGuestName(event);
  if (event.type === 'request.consumed') return { until: event.data.until };
  if (event.type === 'answer.kept') return evolveKept(event.data);
  if (isRecordListEvent(event)) return evolveRecordList(asRecordList(state), event, event.metadata.recordedAt);
  if (subject.startsWith('unique/')) return uniqueAfter(subject, state, event);
  if (event.type === 'call.counted') return windowAfter(subject, state, event.data);
  if (isPageEvent(event)) return evolvePage(asPage(state), event, event.metadata.recordedAt);
  if (!isDocumentEvent(event)) return state;
  const { recordedAt } = event.metadata;
  if (subject.startsWith('document/')) {
    const next = evolveDocument(asDocument(state), event, recordedAt);
    // A game that stores whole documents goes on to do so and never reads their parts, so the text is enough. A change of parts needs the value
    // for the next change.
    return event.type === 'document.written' && event.data.changes === undefined ? packed(next) : next;
  }
  if (event.type === 'document.deleted') return state;
  if (subject.startsWith('idempotency/')) return event.type === 'record.appended' ? evolveAppended(event.data, recordedAt) : state;
  return windowAfter(subject, state, event.data);
}

/** The hash is the last part of the subject. */
function uniqueAfter(subject: SubjectKey, state: SubjectState | null, event: ProjectEvent): SubjectState | null {
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

function windowAfter(
  subject: SubjectKey,
  state: SubjectState | null,
  { space, windows }: { readonly space: Space; readonly windows?: readonly WindowChange[] | undefined },
): SubjectState | null {
  const change = windows === undefined ? undefined : changeIn(windows, space, subject);
  return change ? evolveWindow(asWindow(state), change) : state;
}

const FEW_WINDOWS = 8;
const indexed = new WeakMap<readonly WindowChange[], ReadonlyMap<SubjectKey, WindowChange>>();

/** Finds the change of one window. An event with many changes is asked for each of them, so they are indexed once. */
function changeIn(windows: readonly WindowChange[], space: Space, subject: SubjectKey): WindowChange | undefined {
  const subjectOf = ({ counter }: WindowChange) => windowSubject(space, counter);
  if (windows.length <= FEW_WINDOWS) return windows.find((change) => subjectOf(change) === subject);
  const known = indexed.get(windows) ?? new Map(windows.map((change) => [subjectOf(change), change]));
  indexed.set(windows, known);
  return known.get(subject);
}
