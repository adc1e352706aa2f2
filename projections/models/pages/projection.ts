import type { PageSaved, ProjectEvent } from '../../../src/domain/events.ts';
import { isPageEvent, type PageEvent } from '../../../src/domain/page/page.ts';
import type { PageState } from '../../../src/domain/states.ts';
import { parseStored, stringifyJson } from '../../../src/kernel/json.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

const SAVE = `
INSERT INTO {pages} (project, slug, page, created_at, updated_at, revision) VALUES ($1, $2, $3::json, $4, $4, $5)
ON CONFLICT (project, slug) DO UPDATE SET page = excluded.page, updated_at = excluded.updated_at, revision = excluded.revision`;

const REMOVE = 'DELETE FROM {pages} WHERE project = $1 AND slug = $2';

/** Pages are few and change rarely, so they are written one by one. */
export const pages: Projection = {
  name: 'pages',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    for (const event of events.filter(isPageEvent)) await follow(tx, event);
  },
};

async function follow(tx: Transaction, event: ProjectEvent & PageEvent): Promise<void> {
  if (event.type === 'page.removed') {
    await tx.run('pages-remove', REMOVE, [event.data.slug]);
    return;
  }
  const { data, metadata, revision } = event;
  await tx.run('pages-save', SAVE, [data.slug, stringifyJson({ ...data }), metadata.recordedAt, revision]);
}

/** The page, from its row. */
export function pageFrom(text: string, createdAt: number, updatedAt: number): PageState {
  // The type is asserted and not checked, because the projection stored the event's data.
  return { page: parseStored(text) as unknown as PageSaved, createdAt, updatedAt };
}
