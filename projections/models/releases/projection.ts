import { changedApprovals, evolveRelease, isOfRelease, NO_RELEASE } from '../../../src/domain/definition/release/release.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { ApprovalState, ReleaseState } from '../../../src/domain/states.ts';
import { type Json, parseStored, stringifyJson } from '../../../src/kernel/json.ts';
import { printedActor } from '../../actor.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

const BEFORE = 'SELECT body::text AS body FROM {releases} WHERE project = $1';

const SAVE = `
INSERT INTO {releases} (project, body) VALUES ($1, $2::json) ON CONFLICT (project) DO UPDATE SET body = excluded.body`;

const SAVE_APPROVALS = `
INSERT INTO {approvals} (project, approval, asked, ended, publish, body)
SELECT $1, approval, asked, ended, publish, body::json
FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) AS w (approval, asked, ended, publish, body)
ON CONFLICT (project, approval) DO UPDATE SET ended = excluded.ended, publish = excluded.publish, body = excluded.body`;

const COMMENT = `
INSERT INTO {approval_comments} (project, revision, approval, actor, at, body, ticket, said_with)
SELECT $1, revision, approval, actor::json, at, body, ticket, said_with
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
  AS w (revision, approval, actor, at, body, ticket, said_with)
ON CONFLICT DO NOTHING`;

/** Who staged what, and what a second person was asked about. */
export const releases: Projection = {
  name: 'releases',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    await projectComments(events.filter(isComment), tx);
    const own = events.filter(isOfRelease);
    if (own.length === 0) return;
    const [row] = await tx.run<{ body: string }>('releases-before', BEFORE, []);
    let state = row === undefined ? NO_RELEASE : releaseFrom(row.body);
    const changes = new Map<string, ApprovalChange>();
    for (const event of own) {
      const after = evolveRelease(state, event) ?? state;
      for (const approval of changedApprovals(state, after)) changes.set(approval.id, changeOf(approval, event, changes));
      state = after;
    }
    await tx.run('releases-save', SAVE, [printed(state)]);
    await projectApprovals([...changes.values()], tx);
  },
};

interface ApprovalChange {
  readonly approval: ApprovalState;
  /** Of its first event among these. A row that is there keeps what it has. */
  readonly asked: number;
  readonly ended: number | null;
}

function changeOf(approval: ApprovalState, { revision }: ProjectEvent, before: ReadonlyMap<string, ApprovalChange>): ApprovalChange {
  return { approval, asked: before.get(approval.id)?.asked ?? revision, ended: approval.ended === null ? null : revision };
}

async function projectApprovals(changes: readonly ApprovalChange[], tx: Transaction): Promise<void> {
  if (changes.length === 0) return;
  await tx.run('approvals-save', SAVE_APPROVALS, [
    changes.map(({ approval }) => approval.id),
    changes.map(({ asked }) => asked),
    changes.map(({ ended }) => ended),
    changes.map(({ approval, ended }) => (approval.ended?.why === 'used' ? ended : null)),
    changes.map(({ approval }) => printed(approval)),
  ]);
}

type Comment = Extract<ProjectEvent, { readonly type: 'approval.commented' }>;

function isComment(event: ProjectEvent): event is Comment {
  return event.type === 'approval.commented';
}

async function projectComments(comments: readonly Comment[], tx: Transaction): Promise<void> {
  if (comments.length === 0) return;
  await tx.run('approval-comments', COMMENT, [
    comments.map(({ revision }) => revision),
    comments.map(({ data }) => data.approval),
    comments.map(({ metadata }) => printedActor(metadata.actor)),
    comments.map(({ metadata }) => metadata.recordedAt),
    comments.map(({ data }) => data.text),
    comments.map(({ data }) => data.ticket ?? null),
    comments.map(({ data }) => data.with ?? null),
  ]);
}

function printed(state: ReleaseState | ApprovalState): string {
  return stringifyJson(state as unknown as Json);
}

/** The state, from its row. The type is asserted and not checked, because the projection stored it. */
export function releaseFrom(body: string): ReleaseState {
  return parseStored(body) as unknown as ReleaseState;
}
