import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { ListSearch } from '../words/collection.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import { given, type View } from './view.ts';

/** What the pages of collections read. */

export type DocumentList = api.DocumentList;
export type ListedDocument = api.ListedDocument;

const ROWS = 50;

/** Documents of a collection, page by page. */
export function documentsQuery({ project, target }: View, collection: string, { by, order, from, to, begins, is, columns }: ListSearch) {
  const asked = { by, order, $from: from, to, begins, is, columns };
  return infiniteQueryOptions({
    queryKey: [project, 'documents', collection, target, asked],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listDocuments({
          ...{ project, collection, limit: ROWS, xNsPublishTarget: target },
          ...given(asked),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
  });
}
