import { isPageSlug } from '../../domain/page/page.ts';
import { isProjectId } from '../../domain/project/keys.ts';
import type { PageState } from '../../domain/states.ts';
import { pageSubject } from '../../domain/subjects.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Positioned } from '../answers.ts';
import type { AppContext } from '../context.ts';

export interface Pages {
  /** Needs no key. Throws 404 NOT_FOUND for an unknown project or page. */
  read(projectId: string, slug: string): Promise<PageAnswer>;
}

interface PageAnswer extends Positioned {
  readonly page: PageState;
}

/** Pages are public. Only the operator makes them. */
export function createPages(context: AppContext): Pages {
  return {
    async read(projectId, slug) {
      const known = isProjectId(projectId) && isPageSlug(slug);
      const project = known ? (context.projects.peek(projectId) ?? (await context.projects.get(projectId))) : null;
      if (!project?.authority || project.authority.deleted) throw notFound('page', 'No page under this name');
      project.used();
      const page = (await project.read(pageSubject(slug))).state;
      const { stale } = context.projects.freshness(project);
      if (page === null) throw notFound('page', 'No page under this name');
      return { page, position: project.set.head, stale };
    },
  };
}
