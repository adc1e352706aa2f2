import { linkOptions } from '@tanstack/react-router';
import type { Meaning } from '../api/queries.ts';
import { SINGLE, TESTS } from '../words/definition.ts';
import { useMay, useMayReadDocuments, useView } from './view.ts';

/** The page of what has a name; `null`: it has none, or the person does not see it. */
export function usePageOf(): (meaning: Pick<Meaning, 'is' | 'named'>) => ReturnType<typeof pageOf> {
  const { project } = useView();
  const mayDo = useMay();
  const readsDocuments = useMayReadDocuments();
  return (meaning) => pageOf(project, meaning, { readsDocuments, runsQueries: mayDo('queries', 'x'), readsKeys: mayDo('settings', 'r') });
}

interface May {
  readonly readsDocuments: boolean;
  readonly runsQueries: boolean;
  readonly readsKeys: boolean;
}

function pageOf(project: string, { is, named }: Pick<Meaning, 'is' | 'named'>, { readsDocuments, runsQueries, readsKeys }: May) {
  if (named === undefined) return null;
  const { id, what, part, collection, field, player, target } = named;
  const definition = (kind: string, of = id) =>
    linkOptions({ to: '/p/$project/definitions/$kind/$id', params: { project, kind, id: of }, search: { target } });
  switch (is) {
    case 'value':
      return linkOptions({
        to: '/p/$project/values/$value',
        params: { project, value: id },
        search: { target, ...(what === 'column' ? { column: part } : { row: part }) },
      });
    case 'board':
      if (!runsQueries) return definition('query');
      return linkOptions({ to: '/p/$project/boards/$query', params: { project, query: id }, search: { target } });
    case 'collection':
      if (!readsDocuments) return definition('collection');
      return linkOptions({ to: '/p/$project/collections/$collection', params: { project, collection: id }, search: { target } });
    case 'rule':
      return part === undefined ? definition('rate-limit-rules', SINGLE) : definition('collection');
    case 'test':
      return definition(TESTS);
    case 'endpoint':
    case 'workflow':
    case 'library':
    case 'query':
      return definition(is);
    case 'key':
      return readsKeys ? linkOptions({ to: '/p/$project/keys', params: { project }, search: { key: id } }) : null;
    case 'person':
      return linkOptions({ to: '/p/$project/people', params: { project } });
    case 'record':
    case 'document': {
      if (player !== undefined && field !== undefined)
        return linkOptions({ to: '/p/$project/players/$player', params: { project, player } });
      const of = collection ?? '';
      if (player === undefined)
        return linkOptions({ to: '/p/$project/collections/$collection/$key', params: { project, collection: of, key: id } });
      return linkOptions({
        to: '/p/$project/players/$player/documents/$collection/$key',
        params: { project, player, collection: of, key: id },
      });
    }
    default:
      return null;
  }
}
