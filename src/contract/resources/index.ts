import type { z } from 'zod';
import { key, session } from './access.ts';
import { collection } from './collection.ts';
import { condition } from './condition.ts';
import { field } from './field.ts';
import { gameValues } from './game-values.ts';
import { endpoint, library, workflow } from './logic.ts';
import { page } from './page.ts';
import { query } from './query.ts';
import { rule, rules } from './rate-limits.ts';
import { settings } from './settings.ts';
import { step } from './step.ts';
import { analyticsEvent, heartbeat } from './telemetry.ts';
import { test } from './test.ts';

/** What the product speaks of, as data: schemas of which types, checks, documentation and editors' help are made. */
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
  key,
  page,
  session,
  analyticsEvent,
  heartbeat,
} as const;

export type Resources = typeof resources;
export type Resource<Name extends keyof Resources> = z.output<Resources[Name]>;
export type Collection = Resource<'collection'>;
export type Field = Resource<'field'>;
export type Endpoint = Resource<'endpoint'>;
export type Workflow = Resource<'workflow'>;
export type Library = Resource<'library'>;
export type Query = Resource<'query'>;
export type GameValues = Resource<'gameValues'>;
export type RateLimitRule = Resource<'rule'>;
export type TestCase = Resource<'test'>;
export type Page = Resource<'page'>;
export type Heartbeat = Resource<'heartbeat'>;
