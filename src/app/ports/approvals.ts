import type { Actor } from '../../domain/events.ts';
import type { ApprovalState } from '../../domain/states.ts';

/** What is read of approvals. */

export interface ApprovalRow {
  readonly approval: ApprovalState;
  /** Revision at which it was asked for. */
  readonly asked: number;
  /** Revision of what used, voided or withdrew it; `null`: nothing did. */
  readonly ended: number | null;
}

export interface ApprovalPage {
  /** The newest first. */
  readonly approvals: readonly ApprovalRow[];
  /** Where the next page begins; `null`: there is none. */
  readonly next: number | null;
}

/** What somebody said about an approval. */
export interface ApprovalComment {
  readonly revision: number;
  readonly actor: Actor;
  /** Unix ms. */
  readonly at: number;
  /** Empty where a ticket alone was named. */
  readonly text: string;
  readonly ticket: string | null;
  /** What it was said with; `null`: by itself. */
  readonly with: 'request' | 'approve' | 'decline' | 'withdraw' | null;
}

export interface ApprovalReader {
  /** Those that were asked for before a revision. */
  approvals(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<ApprovalPage>;
  approval(projectId: string, approval: string): Promise<ApprovalRow | null>;
  /** The first of them, oldest first. */
  approvalComments(projectId: string, approval: string, limit: number): Promise<readonly ApprovalComment[]>;
}
