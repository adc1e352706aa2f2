import { queryOptions } from '@tanstack/react-query';
import { LOOK, publishWhyOf, saidAs, type Why } from './acts.ts';
import { isAttended } from './attended.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import { stateOf } from './queries.ts';
import type { View } from './view.ts';

/** What a second person is asked about. */

export type Approval = api.Approval;

/** How often it is asked what another person did: while somebody is at the page, and else, ms. */
const EVERY_MS = 3_000;
const UNATTENDED_MS = 10_000;

/**
 * Whether the project asks for a second person, what waits for one, and the newest that was asked. `beside`: in how many others the same is
 * asked: all of them together cost what one does.
 */
export function approvalsQuery({ project }: View, beside = 0) {
  return queryOptions({
    queryKey: [project, 'approvals'],
    queryFn: () => answerOf(api.listApprovals({ project, limit: 20 })),
    refetchInterval: ({ state: { data } }) => data?.required === true && (isAttended() ? EVERY_MS : UNATTENDED_MS) * (1 + beside),
  });
}

/** What was published since an approval led to something, newest first: asked again until it shows that. */
export function publishesSinceQuery({ project }: View, { id, ended }: Approval) {
  const since = ended?.at ?? '';
  return queryOptions({
    queryKey: [project, 'publishes since', id],
    queryFn: async () => (await answerOf(api.listPublishes({ project, limit: 10 }))).publishes,
    refetchInterval: ({ state: { data } }) => data !== undefined && !data.some(({ at }) => at >= since) && isAttended() && EVERY_MS,
  });
}

/** One, with what was said about it: while it waits others go on saying something. */
export function approvalQuery({ project }: View, approval: string) {
  return queryOptions({
    queryKey: [project, 'approval', approval],
    queryFn: () => answerOf(api.readApproval({ project, approval })),
    refetchInterval: ({ state: { data } }) => data?.approval.phase === 'asked' && (isAttended() ? EVERY_MS : UNATTENDED_MS),
  });
}

/**
 * What would change, of one that is open. It is read once the approval is known, and whatever changes it ends the approval: so nobody
 * agrees to anything else than this. `state`: of what is staged, what that and live are, by a name.
 */
export function askedChangesQuery({ project }: View, { id, action, to }: Approval) {
  return queryOptions({
    queryKey: [project, 'look', 'approval', id],
    queryFn: async () => {
      if (action === 'promote') {
        const difference = await answerOf(api.diff({ project }));
        return { changes: difference.changes, state: stateOf(difference) };
      }
      const { revision } = await datedAnswerOf(api.readApproval({ project, approval: id }));
      // Revision 0 made the project: nothing was published before.
      const goal = String(Math.max(0, to ?? 0));
      const { changes } = await answerOf(api.compareDefinitions({ project, $from: String(revision), to: goal }));
      return { changes, state: null };
    },
    ...LOOK,
  });
}

interface Asked {
  readonly project: string;
  readonly action: Approval['action'];
  readonly to: number | null;
  /** The revision that was looked at. */
  readonly base: number;
  readonly why: Why;
}

export function askApproval({ project, action, to, base, why }: Asked, intent: string) {
  return answerOf(api.askApproval({ project, xNsBase: base, idempotencyKey: intent, body: { action, to, ...saidAs('comment', why) } }));
}

export type Verdict = 'approve' | 'decline' | 'withdraw' | 'comment';

interface Decided {
  readonly project: string;
  readonly approval: string;
  readonly verdict: Verdict;
  readonly why: Why;
}

export function decideApproval({ project, approval, verdict, why }: Decided, intent: string) {
  const about = { project, approval, idempotencyKey: intent } as const;
  switch (verdict) {
    case 'approve':
      return answerOf(api.giveApproval({ ...about, body: saidAs('comment', why) }));
    case 'decline':
      return answerOf(api.declineApproval({ ...about, body: saidAs('comment', why) }));
    case 'withdraw':
      return answerOf(api.withdrawApproval({ ...about, ...publishWhyOf(why) }));
    case 'comment':
      return answerOf(api.commentApproval({ ...about, body: { ...saidAs('comment', why), comment: why.reason.trim() } }));
  }
}
