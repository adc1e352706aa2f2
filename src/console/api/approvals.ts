import { queryOptions } from '@tanstack/react-query';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { View } from './view.ts';

/** What a second person is asked about. */

export type Approval = api.Approval;

/** How often what another person may have decided is asked for, where a second person is asked for at all. */
const EVERY_MS = 10_000;

/** Whether the project asks for a second person, what waits for one, and the newest that was asked. */
export function approvalsQuery({ project }: View) {
  return queryOptions({
    queryKey: [project, 'approvals'],
    queryFn: () => answerOf(api.listApprovals({ project, limit: 20 })),
    refetchInterval: ({ state }) => (state.data?.required ? EVERY_MS : false),
  });
}

/** One, with what was said about it. */
export function approvalQuery({ project }: View, approval: string) {
  return queryOptions({
    queryKey: [project, 'approval', approval],
    queryFn: () => answerOf(api.readApproval({ project, approval })),
  });
}

interface Asked {
  readonly project: string;
  readonly action: Approval['action'];
  readonly to: number | null;
  /** The revision that was looked at. */
  readonly base: number;
  readonly comment: string;
}

function saying(comment: string) {
  return comment.trim() === '' ? {} : { comment: comment.trim() };
}

export function askApproval({ project, action, to, base, comment }: Asked, intent: string) {
  return answerOf(api.askApproval({ project, xNsBase: base, idempotencyKey: intent, body: { action, to, ...saying(comment) } }));
}

export type Verdict = 'approve' | 'decline' | 'withdraw' | 'comment';

interface Decided {
  readonly project: string;
  readonly approval: string;
  readonly verdict: Verdict;
  readonly comment: string;
}

export function decideApproval({ project, approval, verdict, comment }: Decided, intent: string) {
  const about = { project, approval, idempotencyKey: intent } as const;
  switch (verdict) {
    case 'approve':
      return answerOf(api.giveApproval({ ...about, body: saying(comment) }));
    case 'decline':
      return answerOf(api.declineApproval({ ...about, body: saying(comment) }));
    case 'withdraw':
      return answerOf(api.withdrawApproval(about));
    case 'comment':
      return answerOf(api.commentApproval({ ...about, body: { comment: comment.trim() } }));
  }
}
