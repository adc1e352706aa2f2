import { spaceOf } from '../../domain/access/context.ts';
import { type PublishContext, settingsOf } from '../context.ts';
import type { Project } from '../project/project.ts';

/** Documents counted at most. */
const MAX_COUNTED = 10_000;

/** How many documents requests to `next` have written, which a promotion or rollback does not take over; 0 where they write to live. */
export async function stagedDocuments({ views, limits }: PublishContext, project: Project): Promise<number> {
  const space = spaceOf(settingsOf(project), project.definitions, 'next');
  if (space === 'live') return 0;
  // What testers have just written counts, too.
  await views.caughtUp(project.id, project.set.head, limits.viewWaitMs);
  return views.stagedDocumentCount(project.id, space, MAX_COUNTED);
}
