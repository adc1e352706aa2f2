import type { Explained, LoggedRequest } from '../../contract/answers.ts';
import { commits } from '../../contract/routes/commits.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** What happened in a project. */
export function commitHandlers(services: Services): Handlers<typeof commits> {
  const { app } = services;
  return answering(services, commits, {
    async explain({ caller, params: { held } }) {
      const { result: meanings, ...answer } = await app.explain(caller, held);
      const calls = await requestsOf(services, caller.projectId, held, meanings);
      if (meanings.length === 0 && calls.length === 0) throw refusal('NOT_FOUND', NOTHING);
      return managed({ ...answer, result: { ok: true, id: held, meanings: [...meanings], calls: [...calls] } });
    },
    list: async ({ caller, query }) => managed(await app.commits.list(caller, query)),
  });
}

/** Requests of the call log that an explanation shows. */
const CALLS = 10;
const NOTHING =
  'Nothing in the log of this project, and no request that the call log keeps, has this id. What was stored a moment ago may need a second';

/** What the call log has under this id: of what was refused it alone knows. Of a commit, its request. */
async function requestsOf(
  { callLog }: Services,
  project: string,
  held: string,
  meanings: Explained['meanings'],
): Promise<readonly LoggedRequest[]> {
  const of = meanings.find(({ is }) => is === 'revision' || is === 'event' || is === 'publish')?.commits[0]?.requestId ?? held;
  const any = { slug: null, platformId: null, errors: false, status: null, code: null, from: null, to: null };
  return (await callLog.read(project, { ...any, requestId: of }, { limit: CALLS, cursor: null, after: null })).requests;
}
