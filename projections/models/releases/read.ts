import type { Pool } from 'pg';
import type { ApprovalComment, ApprovalPage, ApprovalRow } from '../../../src/app/ports/approvals.ts';
import type { ApprovalState } from '../../../src/domain/states.ts';
import { parseStored } from '../../../src/kernel/json.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';

/** $1 project, $2 before, $3 rows. */
const NEWEST = throughViews(`
SELECT body::text AS body, asked::float8 AS asked, ended::float8 AS ended FROM {approvals} WHERE project = $1 AND asked < $2 ORDER BY asked DESC LIMIT $3`);

const ONE = throughViews(
  'SELECT body::text AS body, asked::float8 AS asked, ended::float8 AS ended FROM {approvals} WHERE project = $1 AND approval = $2',
);

/** $1 project, $2 approval, $3 rows. */
const COMMENTS = throughViews(`
SELECT revision::float8 AS revision, actor, at::float8 AS at, body AS text, ticket, said_with AS with FROM {approval_comments}
WHERE project = $1 AND approval = $2 ORDER BY revision LIMIT $3`);

/** $1 Unix ms, $2 rows. */
const DUE = throughViews(`
SELECT r.project FROM {releases} r JOIN {projects} p ON p.project = r.project AND NOT p.deleted
WHERE r.body -> 'schedule' ->> 'phase' = 'waiting' AND (r.body -> 'schedule' ->> 'at')::float8 <= $1
ORDER BY (r.body -> 'schedule' ->> 'at')::float8 LIMIT $2`);

interface StoredApproval extends Omit<ApprovalRow, 'approval'> {
  readonly body: string;
}

function approvalIn({ body, ...row }: StoredApproval): ApprovalRow {
  return { approval: approvalFrom(body), ...row };
}

/** Projects in which a promotion is due, the longest due first. */
export async function projectsWithDuePromotions(pool: Pool, now: number, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>({ ...QUERY_TIMEOUT, name: 'due-promotions', text: DUE, values: [now, limit] });
  return rows.map(({ project }) => project);
}

/** Approvals that were asked for before a revision, the newest first. */
export async function readApprovals(
  pool: Pool,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<ApprovalPage> {
  const query = { ...QUERY_TIMEOUT, name: 'approvals', text: NEWEST, values: [projectId, before, limit + 1] };
  const { rows } = await pool.query<StoredApproval>(query);
  const page = rows.slice(0, limit);
  return { approvals: page.map(approvalIn), next: rows.length > limit ? (page.at(-1)?.asked ?? null) : null };
}

/** `null`: there is none of this id. */
export async function readApproval(pool: Pool, projectId: string, approval: string): Promise<ApprovalRow | null> {
  const { rows } = await pool.query<StoredApproval>({ ...QUERY_TIMEOUT, name: 'approval', text: ONE, values: [projectId, approval] });
  return rows[0] === undefined ? null : approvalIn(rows[0]);
}

/** What was said about an approval, oldest first. */
export async function readApprovalComments(
  pool: Pool,
  projectId: string,
  approval: string,
  limit: number,
): Promise<readonly ApprovalComment[]> {
  const query = { ...QUERY_TIMEOUT, name: 'approval-comments', text: COMMENTS, values: [projectId, approval, limit] };
  return (await pool.query<ApprovalComment>(query)).rows;
}

function approvalFrom(body: string): ApprovalState {
  // The type is asserted and not checked, because the projection stored the state.
  return parseStored(body) as unknown as ApprovalState;
}
