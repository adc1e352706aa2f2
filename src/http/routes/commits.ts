import type { Explained, LoggedRequest } from '../../contract/answers.ts';
import { commits } from '../../contract/routes/commits.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Handlers } from '../handlers.ts';
import { hiddenFrom } from '../masking.ts';
import { answering } from '../request.ts';
import { isRevealed } from '../reveal.ts';
import { managed, type Services } from './services.ts';

/** What happened in a project. */
export function commitHandlers(services: Services): Handlers<typeof commits> {
  const { app } = services;
  return answering(services, commits, {
    async explain({ exchange, caller, params: { held }, query: { withoutFollowed } }) {
      const hidden = await hiddenFrom(app, exchange, caller.projectId);
      const { result, ...answer } = await app.explain(caller, held, { hidden, isFollowed: !withoutFollowed });
      const { meanings, personal, leftOut, alike, called } = result;
      const found = result.calls === 'none' ? [] : await requestsOf(services, caller.projectId, held, meanings);
      const calls = result.calls === 'all' ? found : found.filter(({ platformId }) => platformId !== null);
      // A look for personal values is recorded with its answer, also where nothing is found; and where it was not looked, that nothing is
      // there is not known.
      const isKnown = personal.length === 0 && !isRevealed(exchange);
      if (isKnown && meanings.length === 0 && calls.length === 0 && alike.names.length === 0)
        throw refusal('NOT_FOUND', [NOTHING, ...leftOut.map(({ why }) => why)].join('. '));
      const unasked = personal.length === 0 ? {} : { personal: [...personal] };
      const untold = leftOut.length === 0 ? {} : { leftOut: [...leftOut] };
      const like = alike.names.length === 0 ? {} : { alike };
      const told = {
        meanings: [...meanings],
        calls: [...calls],
        ...(called === undefined ? {} : { called }),
        ...like,
        ...unasked,
        ...untold,
      };
      return managed({ ...answer, result: { ok: true, id: held, ...told } });
    },
    names: async ({ caller, query: { holds } }) => managed(await app.findNames(caller, holds ?? '')),
    list: async ({ caller, query }) => managed(await app.commits.list(caller, query)),
  });
}

/** Requests of the call log that an explanation shows. */
const CALLS = 10;
const NOTHING =
  'Nothing that may be shown here has this id, name or unique value, nor a request that the call log keeps. A document is asked for as collection/key, an entry of ' +
  'game values as group.entry, and a player by id; `savepoint player find` finds one by name. What was stored a moment ago may need a second';

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
