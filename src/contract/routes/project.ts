import { z } from 'zod';
import { ANY_SECRET_KEY, managementKeys } from '../credentials.ts';
import { PLAYER, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { count, instant, ok } from '../values.ts';
import { ofProject, paged } from './managed.ts';

export const Flag = z
  .strictObject({
    revision: count,
    collection: z.string(),
    key: z.string(),
    rule: z.string(),
    window: z.string(),
    start: instant.meta({ description: 'Of the window' }),
    platformId: z.string().meta({ description: 'Whose limit it was; `*`: of all together' }),
    amount: z.number().meta({ description: 'What the write asked for' }),
    limit: z.number(),
    at: instant,
    eventId: z.string(),
  })
  .meta({ id: 'Flag', description: 'A write that went over a rule' });

const check = z.strictObject({ ok: z.boolean(), message: z.string() });

const Validated = z
  .strictObject({
    ok: z.boolean(),
    project: z.strictObject({ id: z.string(), title: z.string(), name: z.string(), settings: z.strictObject({ enabled: z.boolean() }) }),
    checks: z.strictObject({ projectId: check, secretKey: check, publicKey: check }),
    permissions: z.record(z.string(), z.string()).optional().meta({ description: 'Of a key that is not permitted everything' }),
  })
  .meta({ id: 'Validated', description: 'What the keys are good for' });

/** Facts about a project, besides its definitions. */
export const projectFacts = {
  validate: route({
    ...ofProject,
    id: 'validateKeys',
    method: 'GET',
    path: '/:project/validate',
    summary: 'Check the keys of a project',
    keys: ANY_SECRET_KEY,
    headers: { 'x-public-key': z.string().meta({ description: 'A public key to check beside the secret one' }) },
    answers: { 200: Validated },
    errors: [],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        project: { id: 'demo', title: 'Demo', name: 'Demo', settings: { enabled: true } },
        checks: {
          projectId: { ok: true, message: 'Found' },
          secretKey: { ok: true, message: 'Valid' },
          publicKey: { ok: false, message: 'Not provided' },
        },
      },
    },
  }),
  flags: route({
    ...ofProject,
    id: 'listFlags',
    method: 'GET',
    path: '/:project/flags',
    summary: 'Writes that went over rate-limit rules with the action `flag`, the first of each window, newest first',
    keys: managementKeys('r', 'rate_limits'),
    query: { ...paged, platformId: z.string().meta({ description: 'Of one player only', examples: [PLAYER] }) },
    headers: TARGET,
    answers: {
      200: z
        .strictObject({
          ok,
          flags: z.array(Flag),
          before: z.int().nullable(),
        })
        .meta({ id: 'Flags', description: 'A page of flagged writes' }),
    },
    errors: ['INVALID_REQUEST', 'INVALID_PLATFORMID', 'BEHIND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        flags: [
          {
            revision: 12,
            collection: 'saves',
            key: PLAYER,
            rule: 'gold_day',
            window: 'perDay',
            start: '2026-03-01T00:00:00.000Z',
            platformId: PLAYER,
            amount: 500,
            limit: 400,
            at: '2026-03-01T12:00:00.000Z',
            eventId: '0191b7a0-0000-7000-8000-000000000000',
          },
        ],
        before: null,
      },
    },
  }),
} as const;
