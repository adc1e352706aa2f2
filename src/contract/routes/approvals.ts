import { z } from 'zod';
import { APPROVING_KEYS, STAGED_READ, STAGING_KEYS } from '../credentials.ts';
import { RELEASE_ACTIONS } from '../events/release.ts';
import { PUBLISH_BASE, READ_HEADERS, WHY } from '../parameters.ts';
import { type Route, route } from '../route.ts';
import { anyJson, count, instant, lineOf, ok, ticketAsked, ticketSaid } from '../values.ts';
import { about, paged } from './managed.ts';

/** A second person before anything goes live: who asked, who approved, what was said. */

const A_GOAL = 'the revision of a publish';

/** Who did something, and what the key or the person is called. */
const Actor = z.object({ kind: z.string(), label: z.string().nullable().optional() }).catchall(anyJson);

export const Step = z.strictObject({ by: Actor, at: instant }).meta({ id: 'ReleaseStep', description: 'Who did it, and when' });

export const Approval = z
  .strictObject({
    id: z.string(),
    action: z.enum(RELEASE_ACTIONS),
    to: z.int().nullable().meta({ description: 'Of a rollback: the revision that live shows again' }),
    difference: z.string().meta({ description: 'SHA-256 of what would change' }),
    base: z.string().meta({ description: 'Hash of live, which it is the difference to' }),
    phase: z.enum(['asked', 'approved', 'declined', 'withdrawn', 'void', 'used', 'bypassed']).meta({
      description:
        '`void`: something was staged or discarded, or live changed. `used`: it is live. `bypassed`: an owner made it live, and nobody approved',
    }),
    asked: Step,
    decided: Step.nullable().meta({ description: 'Who approved or declined' }),
    ended: z
      .strictObject({ ...Step.shape, why: z.enum(['staged', 'discarded', 'live', 'used', 'withdrawn']) })
      .nullable()
      .meta({ description: 'What ended it otherwise' }),
  })
  .meta({ id: 'Approval', description: 'What somebody asked a second person about' });

const Comment = z.strictObject({
  revision: count,
  by: Actor,
  at: instant,
  text: z.string().meta({ description: 'Empty where a ticket alone was named' }),
  ticket: ticketSaid,
  with: z.enum(['request', 'approve', 'decline', 'withdraw']).nullable().meta({ description: 'What it was said with' }),
});

const comment = lineOf(500).meta({ description: 'For whoever reads it, now and in the history' });
const said = { comment: comment.exactOptional(), ticket: ticketAsked } as const;
const One = z.strictObject({ ok, approval: Approval }).meta({ id: 'ApprovalShown', description: 'An approval' });

const READ = { ...about, method: 'GET', keys: STAGED_READ, idempotent: false } as const;
const CHANGE = {
  ...about,
  method: 'POST',
  writes: true,
  idempotent: true,
  unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'approvals' } },
  answerHeaders: READ_HEADERS,
} as const;
const APPROVING = { ...CHANGE, keys: APPROVING_KEYS } as const;
const ASKING = { ...CHANGE, keys: STAGING_KEYS } as const;
const ERRORS = ['VALIDATION_FAILED', 'NOT_FOUND', 'APPROVAL_PHASE'] as const;

const ID = '5b1c04f2a9d7e310';
const MARA = { by: { kind: 'person', person: 'per_0123456789abcdef', label: 'mara' }, at: '2026-03-01T12:00:00.000Z' } as const;
const APPROVAL = {
  ...{ id: ID, action: 'promote', to: null, difference: '0123456789abcdef', base: 'fedcba9876543210', phase: 'asked' },
  ...{ asked: MARA, decided: null, ended: null },
} as const;

export const approvals = {
  ask: route({
    ...ASKING,
    id: 'askApproval',
    path: '/:project/approvals',
    summary: 'Ask a second person to agree to what is staged, or to a rollback',
    description: [
      'In a project whose setting `approvals` is `required`, nothing goes live without one: a push to live is 409 APPROVAL_NEEDED, and so are `promote`',
      'and `rollback` until somebody else has approved exactly that. Whatever is staged or discarded afterwards, and any change of live, voids it.',
      '409 NOTHING_TO_APPROVE where nothing would change, APPROVAL_PHASE where it is asked for already.',
    ].join('\n'),
    headers: PUBLISH_BASE,
    body: {
      schema: z.strictObject({
        action: z.enum(RELEASE_ACTIONS).default('promote'),
        to: z
          .int(A_GOAL)
          .min(-1, A_GOAL)
          .nullable()
          .default(null)
          .meta({ description: 'Of a rollback, as its own route takes it; null: one back' }),
        ...said,
      }),
      required: false,
    },
    answers: { 200: One },
    errors: [
      ...ERRORS,
      ...(['APPROVALS_OFF', 'NOTHING_TO_APPROVE', 'NOTHING_TO_ROLL_BACK', 'PUBLISH_NOT_FOUND', 'ROLLBACK_TIMEOUT'] as const),
      ...(['PUBLISH_CONFLICT', 'INVALID_REQUEST', 'BEHIND', 'BUSY'] as const),
    ],
    example: { body: { comment: 'Summer prices', ticket: 'T-77' }, answer: { ok: true, approval: APPROVAL } },
  }),
  list: route({
    ...READ,
    id: 'listApprovals',
    path: '/:project/approvals',
    summary: 'What a second person was asked about, newest first, and whether this project asks for one',
    query: paged,
    answers: {
      200: z
        .strictObject({
          ok,
          required: z.boolean().meta({ description: 'Whether the setting `approvals` is `required`' }),
          open: z.array(Approval).meta({ description: 'Those that wait for a person, or for the publish that was approved' }),
          approvals: z.array(Approval),
          before: count.nullable(),
        })
        .meta({ id: 'Approvals', description: 'A page of approvals' }),
    },
    errors: ['INVALID_REQUEST'],
    example: { answer: { ok: true, required: true, open: [APPROVAL], approvals: [APPROVAL], before: null } },
  }),
  read: route({
    ...READ,
    id: 'readApproval',
    path: '/:project/approvals/:approval',
    summary: 'An approval, with what was said about it',
    answers: {
      200: z
        .strictObject({ ok, approval: Approval, comments: z.array(Comment).meta({ description: 'The first 200, oldest first' }) })
        .meta({ id: 'ApprovalRead', description: 'An approval, with its comments' }),
    },
    errors: ['NOT_FOUND', 'INVALID_REQUEST'],
    example: {
      params: { approval: ID },
      answer: {
        ok: true,
        approval: APPROVAL,
        comments: [{ revision: 41, ...MARA, text: 'Summer prices', ticket: 'T-77', with: 'request' }],
      },
    },
  }),
  give: route({
    ...APPROVING,
    id: 'giveApproval',
    path: '/:project/approvals/:approval/approve',
    summary: 'Agree to exactly what was asked about',
    description: [
      'A person does, no key: 403 APPROVER_IS_KEY. Whoever staged a part of it does not, nor who asked, where a key staged it or it is a rollback:',
      '403 APPROVER_IS_AUTHOR. 409 APPROVAL_PHASE where it is void, since something was staged or live changed while it was read.',
    ].join('\n'),
    body: { schema: z.strictObject(said), required: false },
    answers: { 200: One },
    errors: [...ERRORS, 'APPROVER_IS_KEY', 'APPROVER_IS_AUTHOR'],
    example: { params: { approval: ID }, body: {}, answer: { ok: true, approval: { ...APPROVAL, phase: 'approved', decided: MARA } } },
  }),
  decline: route({
    ...APPROVING,
    id: 'declineApproval',
    path: '/:project/approvals/:approval/decline',
    summary: 'Do not agree, or no longer',
    body: { schema: z.strictObject(said), required: false },
    answers: { 200: One },
    errors: [...ERRORS, 'APPROVER_IS_KEY'],
    example: {
      params: { approval: ID },
      body: { comment: 'The axe is too cheap' },
      answer: { ok: true, approval: { ...APPROVAL, phase: 'declined', decided: MARA } },
    },
  }),
  comment: route({
    ...ASKING,
    id: 'commentApproval',
    path: '/:project/approvals/:approval/comments',
    summary: 'Say something about what was asked',
    body: { schema: z.strictObject({ ...said, comment }), required: true },
    answers: { 200: One },
    errors: ['VALIDATION_FAILED', 'NOT_FOUND'],
    example: { params: { approval: ID }, body: { comment: 'Why so cheap?' }, answer: { ok: true, approval: APPROVAL } },
  }),
  withdraw: route({
    ...ASKING,
    method: 'DELETE',
    id: 'withdrawApproval',
    path: '/:project/approvals/:approval',
    summary: 'Ask no more',
    query: WHY,
    unfit: { code: 'INVALID_REQUEST' },
    answers: { 200: One },
    errors: ['NOT_FOUND', 'APPROVAL_PHASE', 'INVALID_REQUEST'],
    example: {
      params: { approval: ID },
      answer: { ok: true, approval: { ...APPROVAL, phase: 'withdrawn', ended: { ...MARA, why: 'withdrawn' } } },
    },
  }),
} as const satisfies Readonly<Record<string, Route>>;

export type ApprovalSchema = typeof Approval;
