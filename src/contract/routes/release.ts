import { z } from 'zod';
import { STAGED_READ, STAGED_WRITTEN } from '../credentials.ts';
import { flag, PUBLISH_BASE, PUBLISHED_HEADERS, WHY } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, count, instant, ok, ticketSaid } from '../values.ts';
import { Approval, Step } from './approvals.ts';
import { about, CLAIMING, DifferingField, ON_BASE, paged, staged } from './managed.ts';

/** What becomes of what is staged: promotion, discard, rollback, and the history of publishes. */

const Changed = z
  .object({ kind: z.string(), id: z.string(), action: z.string().optional(), hash: z.string().nullable().optional() })
  .catchall(anyJson);

/** What happens to a definition. */
const acted = { kind: z.string(), id: z.string(), action: z.enum(['add', 'change', 'delete']) } as const;

/** How a definition differs. */
const differing = {
  members: z.array(z.string()),
  fields: z.array(DifferingField),
  more: count.optional(),
  opens: z.array(z.string()).optional().meta({ description: 'What it opens to more callers, a sentence each' }),
} as const;

/** A definition that differs; with fields only where it is on both sides. */
export const DifferingDefinition = z.strictObject({ ...acted, ...z.strictObject(differing).partial().shape });

/** A change of a publish in the history. */
const Published = z.strictObject({
  kind: z.string(),
  id: z.string(),
  hash: z.string().nullable(),
  action: acted.action.optional(),
  fields: z
    .array(DifferingField)
    .optional()
    .meta({ description: 'Of a changed definition, of which long values are cut; absent where it was too large to be compared' }),
  more: count.optional().meta({ description: 'How many fields are not listed; a publish keeps 30' }),
});

/** Of a dry run. */
const nextDocuments = count.optional().meta({
  description:
    'Of a dry run: how many documents requests to `next` have written, 10 000 at most. They are not taken over: the data of `next` begins anew',
});

const Promoted = z
  .strictObject({
    ok,
    promoted: z.record(z.string(), count).meta({ description: 'How many definitions of each kind change' }),
    changes: z.array(Changed),
    hash: z.string(),
    generation: count.meta({ description: 'Of the data of `next`' }),
    nextDocuments,
    findings: z
      .array(anyObject)
      .meta({ description: 'What is stored and does not fit, and what is opened to more callers: `{code, kind, id, message, …}`' }),
    dryRun: ok.optional(),
  })
  .meta({ id: 'Promoted', description: 'What the promotion changed, or would' });

const flags = { dryRun: flag('As in the body'), force: flag('As in the body') } as const;
const inBody = z.boolean().default(false);
const breakGlass = flag('An owner makes live what nobody approved; `message` says why. The history tells it');

const A_PUBLISH = 'the revision of a publish';
const goal = z.int(A_PUBLISH).min(-1, A_PUBLISH);

/** What promotion, discard and rollback share. */
const CHANGE = {
  ...about,
  method: 'POST',
  keys: STAGED_WRITTEN,
  headers: PUBLISH_BASE,
  writes: true,
  idempotent: true,
  answerHeaders: PUBLISHED_HEADERS,
} as const;

/** In examples: the collection `saves` gets another number of slots. */
export const slotsChanged = (before: number, after: number) => ({
  kind: 'collection',
  id: 'saves',
  action: 'change',
  members: ['maxRecords'],
  fields: [{ path: '/maxRecords', label: 'maxRecords', before, after }],
});

export const release = {
  promote: route({
    ...CHANGE,
    id: 'promote',
    path: '/:project/promote',
    summary: 'Make the staged definitions live',
    description: [
      '`findings` tells of stored documents that the staged schema would refuse, of collections that would be removed and hold documents,',
      'of fields that ledgers would follow no more, and of values that are to be unique and are not. With these 409 PROMOTION_FINDINGS, and',
      'nothing is promoted, unless `force`. ACCESS_WIDENED tells what would be open to more callers, and stops nothing; nor does PERSONAL_UNSEEN, which a person is told who gives no `x-ns-reveal`: personal fields were not looked at. A dry run answers all with 200. Large collections are looked at in part (`complete: false`),',
      'with an `estimate`. Any other member of the body is 400 INVALID_BODY.',
    ].join('\n'),
    query: { ...flags, breakGlass, ...WHY },
    body: { schema: z.strictObject({ dryRun: inBody, force: inBody, breakGlass: inBody }), required: false },
    answers: { 200: Promoted },
    errors: [
      'PROMOTION_FINDINGS',
      'APPROVAL_NEEDED',
      'UNIQUE_VIOLATION',
      'REVEAL_NEEDED',
      'PUBLISH_CONFLICT',
      'INVALID_REQUEST',
      ...CLAIMING,
    ],
    example: {
      body: { dryRun: true },
      answer: {
        ok: true,
        promoted: { endpoints: 0, collections: 1 },
        changes: [{ kind: 'collection', id: 'saves', action: 'change' }],
        hash: '0123456789abcdef',
        generation: 0,
        nextDocuments: 0,
        dryRun: true,
        findings: [],
      },
    },
  }),
  discard: route({
    ...CHANGE,
    id: 'discard',
    path: '/:project/discard',
    summary: 'Take back what is staged. Live stays, and the data that calls to `next` wrote',
    description:
      '`{}`: everything that was pushed to `next`. `{kind}` or `{kind, id}`, as `GET diff` names them: a part of it. Nothing staged: 200.',
    query: { dryRun: flags.dryRun, ...WHY },
    body: {
      schema: z.strictObject({ kind: z.string().optional(), id: z.string().optional(), dryRun: inBody }),
      required: false,
    },
    answers: {
      200: z
        .strictObject({ ok, changes: z.array(Changed), dryRun: ok.optional(), ...staged })
        .meta({ id: 'Discarded', description: 'What is staged no more' }),
    },
    errors: [...CLAIMING, ...ON_BASE],
    example: {
      body: { dryRun: true },
      answer: { ok: true, changes: [{ kind: 'collection', id: 'saves', action: 'discard' }], dryRun: true, publishTarget: 'next' },
    },
  }),
  rollback: route({
    ...CHANGE,
    id: 'rollback',
    path: '/:project/rollback',
    summary: 'Make live what it was before its last publish or promotion; again for one further back. Starts new data of `next`',
    description: [
      '409 NOTHING_TO_ROLL_BACK where there is none. Saved tests stay as they are. With `to` it goes to what live was right after the',
      'publish, promotion or rollback of that revision, as `GET publishes` names it (-1: before any); 404 PUBLISH_NOT_FOUND where',
      'nothing was published live there. Any other member of the body is 400 INVALID_BODY. With `dryRun` each change says what would differ,',
      'as in `GET diff`. What live was is read from the log, one search of a project at a time: 503 BUSY where it did not begin within',
      '`COMMAND_TIMEOUT_MS`, 503 ROLLBACK_TIMEOUT where it did not end.',
    ].join('\n'),
    query: { ...WHY, dryRun: flags.dryRun, breakGlass, to: goal.meta({ description: 'As in the body' }) },
    body: { schema: z.strictObject({ dryRun: inBody, breakGlass: inBody, to: goal.nullable().optional() }), required: false },
    answers: {
      200: z
        .strictObject({
          ok,
          to: z.int().meta({ description: 'The revision that live shows again; -1: none' }),
          changes: z.array(DifferingDefinition),
          hash: z.string(),
          generation: count,
          nextDocuments,
          dryRun: ok.optional(),
        })
        .meta({ id: 'RolledBack', description: 'What the rollback changed, or would' }),
    },
    errors: [
      'NOTHING_TO_ROLL_BACK',
      'APPROVAL_NEEDED',
      'PUBLISH_NOT_FOUND',
      'ROLLBACK_TIMEOUT',
      'PUBLISH_CONFLICT',
      'UNIQUE_VIOLATION',
      'REVEAL_NEEDED',
      ...CLAIMING,
    ],
    example: {
      body: { dryRun: true },
      answer: {
        ok: true,
        to: 4,
        hash: '0123456789abcdef',
        generation: 0,
        nextDocuments: 0,
        dryRun: true,
        changes: [slotsChanged(6, 5)],
      },
    },
  }),
  diff: route({
    ...about,
    id: 'diff',
    method: 'GET',
    path: '/:project/diff',
    summary: 'What a promotion would change, field by field',
    description: [
      '`members` are the top-level members that differ; `fields` where they differ, as `{path, label, before, after}`: `path` is a JSON pointer, `label` the same for people (`Shop › sword › price`), and the',
      'side on which nothing stands is left out. 200 fields of a definition at most, `more` says how many beyond them; a value of more than',
      '1000 characters is a text with its beginning. A step that moved is told by the order of the ids.',
    ].join('\n'),
    keys: STAGED_READ,
    answers: {
      200: z
        .strictObject({
          ok,
          liveHash: z.string(),
          nextHash: z.string(),
          staged: z.boolean(),
          changes: z.array(
            z.strictObject({
              ...acted,
              ...differing,
              stagedBy: z.array(Step).meta({ description: 'Who staged it, each with the last time' }),
            }),
          ),
        })
        .meta({ id: 'Difference', description: 'What is staged against what is live' }),
    },
    errors: [],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        liveHash: '0123456789abcdef',
        nextHash: 'fedcba9876543210',
        staged: true,
        changes: [
          { ...slotsChanged(5, 6), stagedBy: [{ by: { kind: 'secret', keyId: 'k1', label: 'first' }, at: '2026-03-01T12:00:00.000Z' }] },
        ],
      },
    },
  }),
  publishes: route({
    ...about,
    id: 'listPublishes',
    method: 'GET',
    path: '/:project/publishes',
    summary: 'Publishes, promotions and rollbacks, newest first, with who, when, what and the hash',
    keys: STAGED_READ,
    query: paged,
    answers: {
      200: z
        .strictObject({
          ok,
          liveHash: z.string(),
          nextHash: z.string(),
          publishes: z.array(
            z
              .strictObject({
                revision: count,
                action: z.enum(['publish', 'promote', 'rollback', 'renew']),
                target: z.enum(['live', 'next']),
                hash: z.string(),
                generation: count.nullable(),
                restored: z.int().optional().meta({ description: 'Of a rollback: the revision that live shows again; -1: before any' }),
                undoneBy: count.optional().meta({
                  description: 'The rollback that undid it, unless a later one brought it back. It is looked for among the last 200',
                }),
                changes: z.array(Published),
                actor: z.object({ kind: z.string(), label: z.string().nullable().optional() }).catchall(anyJson),
                cause: z.string(),
                approval: Approval.optional().meta({ description: 'What a second person agreed to, or an owner went past' }),
                message: z.string().optional().meta({ description: 'Why, as `message` of the request said' }),
                ticket: ticketSaid,
                at: instant,
              })
              .meta({ id: 'Publish' }),
          ),
          before: z.int().nullable(),
        })
        .meta({ id: 'Publishes', description: 'A page of the history' }),
    },
    errors: ['INVALID_REQUEST', 'BEHIND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        liveHash: '0123456789abcdef',
        nextHash: 'fedcba9876543210',
        before: null,
        publishes: [
          {
            revision: 4,
            action: 'publish',
            target: 'live',
            hash: '0123456789abcdef',
            generation: null,
            changes: [
              {
                kind: 'collection',
                id: 'saves',
                hash: '0123456789abcdef',
                action: 'change',
                fields: [{ path: '/maxRecords', label: 'maxRecords', before: 5, after: 6 }],
              },
            ],
            actor: { kind: 'secret', keyId: 'k1', label: 'first' },
            cause: 'collection.put',
            message: 'Slots for saves',
            ticket: 'T-77',
            at: '2026-03-01T12:00:00.000Z',
          },
        ],
      },
    },
  }),
} as const;
