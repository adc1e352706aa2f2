import { z } from 'zod';
import { alsoNamed, anyText, flag, json, numberThat, optional, text, word } from './member.ts';

/** Limits on the growth of numbers, and on the calls of an endpoint. */

export const WINDOW_NAMES = ['perMinute', 'perHour', 'perDay', 'perWeek', 'perMonth', 'perYear'] as const;
export type WindowName = (typeof WINDOW_NAMES)[number];

/** `perMinute` → `maxPerMinute`: the window's name in the flat form of a rule. */
export function flatName<W extends WindowName>(window: W): FlatName<W> {
  return `maxP${window.slice(1)}` as FlatName<W>;
}
export type FlatName<W extends WindowName = WindowName> = W extends `p${infer Rest}` ? `maxP${Rest}` : never;

export const MAX_LIMIT = 1_000_000_000;
/** A limit. Older editors send it as text. */
const limit = z.union([numberThat(z.number().positive().max(MAX_LIMIT)), z.string().regex(/^\s*\d+(\.\d+)?\s*$/)]).nullable();

const LENGTHS: Readonly<Record<WindowName, string>> = {
  perMinute: 'minute',
  perHour: 'hour',
  perDay: 'day',
  perWeek: 'week',
  perMonth: 'month',
  perYear: 'year',
};

/** One member for each window. */
function perWindow<Name extends string>(nameOf: (window: WindowName) => Name): { readonly [N in Name]: z.ZodOptional<typeof limit> } {
  const entries = WINDOW_NAMES.map((window) => [nameOf(window), optional(limit, `The most in a ${LENGTHS[window]} (UTC).`)]);
  return Object.fromEntries(entries);
}

const bare = perWindow((window): WindowName => window);
const flat = perWindow((window): FlatName => flatName(window));

const window = optional(z.enum(WINDOW_NAMES), 'The window that `limit` is for, in UTC.');
const ofWindow = optional(limit, 'The most in that window.');
const windows = optional(z.strictObject(bare), 'Limits of several windows: `{perMinute: 10, perDay: 500}`.');
const scope = optional(word(['per_player', 'global']), 'Whether each player has a count of their own.', {
  default: 'per_player',
  code: 'INVALID_RATE_LIMIT_SCOPE',
  expected: 'per_player or global; it is per_player',
});
const enabled = optional(flag, '`false`: it limits nothing.', { default: true, code: 'INVALID_FLAG', expected: 'true or false' });

export const rule = z
  .strictObject({
    id: optional(text, 'Names it in refusals and counters: 1 to 64 letters, digits or `_`. Made of collection and field when left out.'),
    name: optional(text, 'What people call it. Its id when left out.'),
    description: optional(anyText, 'For people.'),
    notes: optional(json, 'For people.'),
    collection: optional(text, 'The collection, or `*` for all.', { default: '*' }),
    field: optional(text, 'Path of the number, or `*` for all.', { default: '*' }),
    action: optional(
      word(['reject', 'flag', 'clamp']),
      '`reject`: 429 RATE_LIMIT. `clamp`: what the limit leaves is granted. `flag`: stored, and noted.',
      { default: 'reject', code: 'INVALID_RATE_LIMIT_ACTION', expected: 'reject, flag or clamp; it rejects' },
    ),
    scope,
    enabled,
    webhook: optional(json, 'Kept for editors.'),
    window,
    limit: ofWindow,
    windows,
    ...flat,
  })
  .meta({ id: 'Rule', description: 'Bounds how much a number may grow in a window.' });
alsoNamed.add(rule, { pattern: '^_' });

export const rules = z
  .union([z.looseObject({ rules: z.array(rule).describe('The rules.') }), z.array(rule)])
  .meta({ id: 'RateLimitRules', description: 'All rate-limit rules of a project, replaced whole.' });

/** `rateLimits` of an endpoint. */
export const callLimits = z
  .strictObject({
    ...bare,
    ...flat,
    window,
    limit: ofWindow,
    windows,
    scope,
    action: optional(word(['reject']), 'A call that is too many is refused.', {
      default: 'reject',
      code: 'INVALID_RATE_LIMIT_ACTION',
      expected: 'reject: a call that is too many is refused',
    }),
    enabled,
    mode: optional(text, '`none`: it limits nothing.'),
  })
  .meta({ id: 'CallLimits', description: 'How often an endpoint may be called: `{perMinute: 10}`.' });
