import { targetOf as changedTarget } from '../../../src/domain/definition/release/publish-difference.ts';
import type { DefinitionChange, ProjectEvent, PublishTarget } from '../../../src/domain/events.ts';
import { stringifyJson } from '../../../src/kernel/json.ts';
import { printedActor } from '../../actor.ts';
import type { Projection } from '../../batch.ts';

/** A row is never overwritten, because a publish is a fact. */
const INSERT = `
INSERT INTO {publishes} (project, revision, action, target, hash, generation, restored, changes, actor, cause, at, message, ticket)
SELECT $1, revision, action, target, hash, generation, restored, changes::json, actor::json, cause, at, message, ticket
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[])
  AS w (revision, action, target, hash, generation, restored, changes, actor, cause, at, message, ticket)
ON CONFLICT DO NOTHING`;

type PublishEvent = Extract<ProjectEvent, { readonly type: keyof typeof ACTIONS }>;

export const publishes: Projection = {
  name: 'publishes',
  kind: 'view',
  derived: false,
  async project({ events }, tx) {
    const rows = events.filter(isPublish);
    if (rows.length === 0) return;
    await tx.run('publishes-insert', INSERT, [
      rows.map((event) => event.revision),
      rows.map((event) => ACTIONS[event.type]),
      rows.map(targetOf),
      rows.map((event) => event.data.hash),
      rows.map((event) => (event.type === 'definitions.published' ? null : event.data.generation)),
      rows.map((event) => (event.type === 'definitions.rolledBack' ? event.data.to : null)),
      rows.map((event) => stringifyJson(changesOf(event).map(({ kind, id, hash }) => ({ kind, id, hash })))),
      rows.map((event) => printedActor(event.metadata.actor)),
      rows.map((event) => event.metadata.cause),
      rows.map((event) => event.metadata.recordedAt),
      rows.map((event) => (event.type === 'definitions.nextRenewed' ? null : (event.data.message ?? null))),
      rows.map((event) => (event.type === 'definitions.nextRenewed' ? null : (event.data.ticket ?? null))),
    ]);
  },
};

const ACTIONS = {
  'definitions.published': 'publish',
  'definitions.promoted': 'promote',
  'definitions.rolledBack': 'rollback',
  'definitions.nextRenewed': 'renew',
} as const;

function targetOf(event: PublishEvent): PublishTarget {
  return event.type === 'definitions.nextRenewed' ? 'next' : changedTarget(event);
}

function changesOf(event: PublishEvent): readonly DefinitionChange[] {
  return event.type === 'definitions.nextRenewed' ? [] : event.data.changes;
}

function isPublish(event: ProjectEvent): event is PublishEvent {
  return event.type in ACTIONS;
}
