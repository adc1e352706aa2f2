import { z } from 'zod';
import { STAGED_READ, STAGED_WRITTEN } from '../credentials.ts';
import { PUBLISH_BASE, READ_HEADERS, WHY } from '../parameters.ts';
import { type Route, route } from '../route.ts';
import { instant, ok, ticketSaid } from '../values.ts';
import { Step } from './approvals.ts';
import { about } from './managed.ts';

/** A promotion at a chosen time. */

const Schedule = z
  .strictObject({
    id: z.string(),
    at: instant.meta({ description: 'When it is to go live' }),
    message: z.string().optional().meta({ description: 'Why, which the publish tells then' }),
    ticket: ticketSaid,
    difference: z.string().meta({ description: 'SHA-256 of what would change' }),
    base: z.string().meta({ description: 'Hash of live, which it is the difference to' }),
    phase: z.enum(['waiting', 'withdrawn', 'void', 'used', 'missed']).meta({
      description:
        '`void`: something was staged or discarded, or live changed. `used`: it is live. `missed`: its time came, and it did not go live',
    }),
    scheduled: Step,
    ended: z
      .strictObject({
        ...Step.shape,
        why: z.enum(['staged', 'discarded', 'live', 'used', 'withdrawn', 'missed']),
        code: z.string().optional().meta({ description: 'Of one that was missed: the code of the refusal' }),
        reason: z.string().optional(),
        ticket: ticketSaid,
        unseen: z.array(z.string()).optional().meta({
          description:
            'Of one that is live: collections of which it was not looked whether documents fit personal fields, as no reason was given',
        }),
      })
      .nullable()
      .meta({ description: 'What ended it' }),
  })
  .meta({ id: 'PromotionSchedule', description: 'A promotion at a chosen time' });

const One = z
  .strictObject({ ok, schedule: Schedule.nullable().meta({ description: 'The newest; null: none was ever scheduled' }) })
  .meta({ id: 'ScheduleShown', description: 'What is scheduled' });

const PATH = '/:project/promote/schedule';
const CHANGE = { ...about, path: PATH, keys: STAGED_WRITTEN, writes: true, idempotent: true, answerHeaders: READ_HEADERS } as const;

const MARA = { by: { kind: 'person', person: 'per_0123456789abcdef', label: 'mara' }, at: '2026-03-01T12:00:00.000Z' } as const;
const SCHEDULE = {
  ...{ id: '5b1c04f2a9d7e310', at: '2026-03-02T06:00:00.000Z', message: 'Summer prices' },
  ...{ difference: '0123456789abcdef', base: 'fedcba9876543210', phase: 'waiting', scheduled: MARA, ended: null },
} as const;

export const schedules = {
  readPromotionSchedule: route({
    ...about,
    method: 'GET',
    id: 'readPromotionSchedule',
    path: PATH,
    keys: STAGED_READ,
    idempotent: false,
    summary: 'The promotion at a chosen time that waits, or what became of the last one',
    answers: { 200: One },
    errors: ['INVALID_REQUEST'],
    example: { answer: { ok: true, schedule: SCHEDULE } },
  }),
  schedulePromotion: route({
    ...CHANGE,
    method: 'POST',
    id: 'schedulePromotion',
    summary: 'Make live at a chosen time exactly what is staged now',
    description: [
      'Between a minute and 90 days ahead, one at a time in a project: 409 PROMOTION_PHASE where one waits, and where nothing would change. Whatever',
      'is staged or discarded afterwards, and any change of live, voids it. At its time it goes live in the name of who scheduled it, within about a',
      'minute and once over all nodes, by the rules of `promote`, and its tests run on next: with findings, a test that fails, without the approval that the project asks for, or where who scheduled it may no',
      'longer promote, it is missed, and `ended` says why. What a person scheduled looks at no personal field, which `unseen` says, and makes none unique: nobody is there to say why. A promotion by hand before its time is the end of it.',
    ].join('\n'),
    query: WHY,
    headers: PUBLISH_BASE,
    body: {
      schema: z.strictObject({ at: z.iso.datetime({ offset: true }).meta({ description: 'ISO 8601, with its zone' }) }),
      required: true,
    },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'promotion' } },
    answers: { 200: One },
    errors: ['VALIDATION_FAILED', 'PROMOTION_PHASE', 'PUBLISH_CONFLICT', 'INVALID_REQUEST', 'BEHIND', 'BUSY'],
    example: { body: { at: '2026-03-02T07:00:00+01:00' }, answer: { ok: true, schedule: SCHEDULE } },
  }),
  unschedulePromotion: route({
    ...CHANGE,
    method: 'DELETE',
    id: 'unschedulePromotion',
    summary: 'Take back the promotion that waits for its time',
    description: 'With `schedule`, the one that was looked at: 409 PROMOTION_PHASE where another one waits by now.',
    query: {
      ...WHY,
      schedule: z.string().max(64).meta({ description: 'The `id` of the one that is meant; left out: whichever waits' }),
    },
    headers: PUBLISH_BASE,
    unfit: { code: 'INVALID_REQUEST' },
    answers: { 200: One },
    errors: ['PROMOTION_PHASE', 'PUBLISH_CONFLICT', 'INVALID_REQUEST', 'BEHIND', 'BUSY'],
    example: {
      query: { schedule: SCHEDULE.id },
      answer: { ok: true, schedule: { ...SCHEDULE, phase: 'withdrawn', ended: { ...MARA, why: 'withdrawn' } } },
    },
  }),
} as const satisfies Readonly<Record<string, Route>>;

export type ScheduleSchema = typeof Schedule;
