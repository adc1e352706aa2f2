import type { PublishTarget } from '../../domain/events.ts';
import { operatorAccess } from '../access.ts';
import { runSavedTests, type TestContext, type TestsDone } from '../management/test-runs.ts';
import type { Projects } from '../project/projects.ts';
import { openProject } from './open-project.ts';

/** Runs the saved tests of a project for the operator, from the command line and as a job. There is no time limit and no key. */
export interface ProjectTests {
  /** Works for a disabled project too. Throws NOT_FOUND. */
  run(projectId: string, target: PublishTarget, onProgress?: (done: number, of: number) => void): Promise<TestsDone>;
}

export function createProjectTests(context: TestContext & { readonly projects: Projects }): ProjectTests {
  return {
    async run(projectId, target, onProgress) {
      const project = await openProject(context.projects, projectId);
      const environment = { project, actor: { kind: 'operator' as const }, accessOf: operatorAccess(target) };
      return runSavedTests(context, environment, onProgress === undefined ? {} : { onProgress });
    },
  };
}
