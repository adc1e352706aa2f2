import { refusal } from '../../kernel/errors.ts';
import type { Project } from '../project/project.ts';
import type { Projects } from '../project/projects.ts';

/** A project for the operator, at the head of the log; a disabled one too. Throws NOT_FOUND. */
export async function openProject(projects: Projects, projectId: string): Promise<Project> {
  const project = await projects.get(projectId);
  await project?.refresh();
  if (project?.authority && !project.authority.deleted) return project;
  throw refusal('NOT_FOUND', `No project ${projectId}; \`savepoint project list\` lists all projects`);
}
