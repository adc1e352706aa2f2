import { isDocumentEvent, keyOf } from '../../../src/domain/document/evolve.ts';
import type { EventType, ProjectEvent } from '../../../src/domain/events.ts';
import { isGuestEvent } from '../../../src/domain/guest/evolve.ts';
import { isPageEvent } from '../../../src/domain/page/page.ts';
import { isRecordListEvent } from '../../../src/domain/record/evolve.ts';
import { AUTHORITY, DEFINITIONS, documentSubject, pageSubject, recordListSubject, type SubjectKey } from '../../../src/domain/subjects.ts';
import type { Projection } from '../../batch.ts';
import { ACCESS_EVENTS } from '../access/projection.ts';
import { BLOCK_REVISIONS, hashOfSubject } from './block.ts';

const APPEND = `
INSERT INTO {subjects} AS s (project, block, hashes, revisions)
SELECT $1, revision / ${BLOCK_REVISIONS},
       array_agg(${hashOfSubject('subject')} ORDER BY revision), array_agg(revision ORDER BY revision)
FROM unnest($2::text[], $3::bigint[]) AS w (subject, revision)
GROUP BY revision / ${BLOCK_REVISIONS}
ON CONFLICT (project, block) DO UPDATE SET hashes = s.hashes || excluded.hashes, revisions = s.revisions || excluded.revisions`;

/**
 * The index of subjects that have a readable history: documents, save records, pages, definitions, keys and settings. Rate windows, answers,
 * guests, sessions and request ids are left out, because no request reads the history of one.
 */
export const subjects: Projection = {
  name: 'subjects',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    if (events.length === 0) return;
    const indexed = events.filter((event) => !UNINDEXED.has(event.type) && !isGuestEvent(event));
    await tx.run('subjects-append', APPEND, [indexed.map(indexedSubject), indexed.map((event) => event.revision)]);
  },
};

const UNINDEXED: ReadonlySet<EventType> = new Set<EventType>([
  'write.flagged',
  'correction.made',
  'ledger.posted',
  'call.counted',
  'unique.claimed',
  'answer.kept',
  'answers.swept',
  'publish.awaited',
  'log.foreign',
  'log.redacted',
  'data.redacted',
  ...ACCESS_EVENTS,
]);

function indexedSubject(event: ProjectEvent): SubjectKey {
  if (isDocumentEvent(event)) return documentSubject(event.data.space, event.data.collection, keyOf(event));
  if (isRecordListEvent(event)) return recordListSubject(event.data.space, event.data.collection, event.data.player);
  if (isPageEvent(event)) return pageSubject(event.data.slug);
  const definitions = event.type === 'source.stored' || event.type.startsWith('definitions.');
  return definitions ? DEFINITIONS : AUTHORITY;
}
