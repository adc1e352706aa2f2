import { pino } from 'pino';
import type { Credentials } from '../../../infra/harness/project.ts';
import { verify } from '../../../projections/verify.ts';
import { type Installation, openInstallation } from '../../../src/compose/installation.ts';
import { readConfig } from '../../../src/config.ts';
import type { KeyKind, Permissions } from '../../../src/domain/events.ts';

/**
 * What an operator's commands do beside a node, in this process: for tests that need it done and are about something else, because a
 * process of its own takes most of a second. That the commands do it is proved in commands.test.ts.
 */

/** `DATABASE_URL` or `SAVEPOINT_DATA`, as the node has it. */
export type Env = Readonly<Record<string, string>>;

/** The database with its tables. */
export const migrated = (env: Env) => beside(env, async () => undefined);

export function newProject(env: Env, name: string): Promise<Credentials> {
  return beside(env, async ({ operator, projected }) => {
    const { revision, ...project } = await operator.createProject(name);
    await projected(project.projectId, revision);
    return project;
  });
}

export function deleteProject(env: Env, projectId: string): Promise<void> {
  return beside(env, async ({ operator, projected }) => {
    const { revision } = await operator.deleteProject(projectId);
    await projected(projectId, revision);
  });
}

/** The key itself. */
export function newApiKey(env: Env, projectId: string, permissions?: Permissions, kind: KeyKind = 'secret'): Promise<string> {
  return beside(env, async ({ operator, projected }) => {
    const { key, revision } = await operator.createKey(projectId, kind, kind, permissions);
    await projected(projectId, revision);
    return key;
  });
}

/** What `savepoint verify` finds. */
export const verified = (env: Env) => beside(env, ({ log, pool }) => verify({ log, pool }));

async function beside<T>(env: Env, work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation(readConfig(env), pino({ level: 'silent' }));
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}
