import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Why } from '../../api/acts.ts';
import { type Approval, approvalQuery } from '../../api/approvals.ts';
import { publishesQuery } from '../../api/queries.ts';
import { sessionQuery } from '../../api/session.ts';
import { useView } from '../../frame/view.ts';
import { isOpen } from '../../words/approval.ts';
import { offeredHint, reasonOf, type Said, saidOfStaged } from '../../words/publish.ts';
import type { DefinitionChange } from './changes.tsx';

/** Why something is published: what was said about it before is offered, so that nobody says it twice. */

export interface StagedWhy {
  readonly why: Why;
  readonly change: (why: Why) => void;
  /** Whose words these are, while nobody has changed them. */
  readonly hint: string | null;
}

/** Whether it is known what was said to who is asked. */
export function useIsSaidKnown(approval: Approval): boolean {
  return useQuery(approvalQuery(useView(), approval.id)).isSuccess;
}

/** Begins with what was said when it was staged; of what a second person is asked about, with what was said to that person. */
export function useStagedWhy(changes: readonly DefinitionChange[], approval?: Approval): StagedWhy {
  const view = useView();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const [typed, setTyped] = useState<Why | null>(null);
  const isAsked = approval !== undefined && isOpen(approval);
  const publishes = useInfiniteQuery(publishesQuery(view)).data?.pages.flatMap((page) => page.publishes) ?? [];
  const comments = useQuery({ ...approvalQuery(view, approval?.id ?? ''), enabled: isAsked }).data?.comments ?? [];
  const asked: readonly Said[] = comments.filter((comment) => isAsked && comment.with === 'request');
  const [said, when] = asked.length > 0 ? [asked, 'asked for'] : [saidOfStaged(changes, publishes), 'staged'];
  const isOffered = typed === null && said.length > 0;
  return {
    why: typed ?? reasonOf(said),
    change: setTyped,
    hint: isOffered ? offeredHint(said, when, person.id) : null,
  };
}
