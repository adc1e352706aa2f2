import { documentHistory } from '../../contract/routes/history.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { pastHeaders, readAnswer, type Services } from './services.ts';

/** What happened to a document, and what differs between two moments. */
export function documentHistoryHandlers(services: Services): Handlers<typeof documentHistory> {
  const { past } = services.app;
  return answering(services, documentHistory, {
    async history({ caller, params, target, query: { at, limit, before } }) {
      const answer = await past.history(caller, { ...params, target }, { at, limit, before });
      return readAnswer(answer, pastHeaders(answer));
    },

    async compare({ caller, params, target, query: { from, to } }) {
      return readAnswer(await past.compare(caller, { ...params, target }, from, to));
    },
  });
}
