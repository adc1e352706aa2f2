import { DEFINITION_KINDS } from '../../contract/events/project.ts';
import { definitionHistory } from '../../contract/routes/definition-history.ts';
import { documentHistory, saveRecordHistory } from '../../contract/routes/history.ts';
import type { DefinitionKind } from '../../domain/events.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, pastHeaders, readAnswer, type Services } from './services.ts';

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

/** The same for a player's list of save records. */
export function saveRecordHistoryHandlers(services: Services): Handlers<typeof saveRecordHistory> {
  const { saveRecordHistory: history } = services.app;
  return answering(services, saveRecordHistory, {
    async changes({ caller, params, target, query: { at, limit, before } }) {
      const answer = await history.changes(caller, { ...params, target }, { at, limit, before });
      return readAnswer(answer, pastHeaders(answer));
    },

    async compare({ caller, params, target, query: { from, to } }) {
      return readAnswer(await history.compare(caller, { ...params, target }, from, to));
    },
  });
}

/** The same for definitions and game values. */
export function definitionHistoryHandlers(services: Services): Handlers<typeof definitionHistory> {
  const { definitionHistory: history } = services.app;
  return answering(services, definitionHistory, {
    async changes({ caller, params, target, query: { at, limit, before } }) {
      return managed(await history.changes(caller, { ...named(params), target }, { at, limit, before }));
    },

    async compare({ caller, params, target, query: { from, to } }) {
      return managed(await history.compare(caller, { ...named(params), target }, from, to));
    },

    async compareAll({ caller, target, query: { from, to, toTarget } }) {
      return managed(await history.compareAll(caller, { target, at: from }, { target: toTarget ?? target, at: to }));
    },

    async valueChanges({ caller, params, target, query: { at, limit, before, collection } }) {
      return managed(await history.valueChanges(caller, { id: params.value, collection, target }, { at, limit, before }));
    },

    async compareValue({ caller, params, target, query: { from, to, collection } }) {
      return managed(await history.compareValue(caller, { id: params.value, collection, target }, from, to));
    },
  });
}

/** The schema of the route refuses any other kind. */
function named({ kind, id }: { readonly kind: string; readonly id: string }): { readonly kind: DefinitionKind; readonly id: string } {
  const known = DEFINITION_KINDS.find((each) => each === kind);
  if (known === undefined) throw notFound('definition');
  return { kind: known, id };
}
