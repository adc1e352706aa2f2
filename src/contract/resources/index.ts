import { collection } from './collection.ts';
import { condition } from './condition.ts';
import { field } from './field.ts';
import { gameValues } from './game-values.ts';
import { endpoint, library, workflow } from './logic.ts';
import { query } from './query.ts';
import { rule, rules } from './rate-limits.ts';
import { settings } from './settings.ts';
import { step } from './step.ts';
import { analyticsEvent, heartbeat } from './telemetry.ts';
import { test } from './test.ts';

/** The schemas of all resources. Types, validation, documentation and editor help are made from them. */
export const resources = {
  collection,
  field,
  endpoint,
  step,
  condition,
  workflow,
  library,
  query,
  gameValues,
  rule,
  rateLimitRules: rules,
  test,
  settings,
  analyticsEvent,
  heartbeat,
} as const;
