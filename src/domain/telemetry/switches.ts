import type { JsonObject } from '../../kernel/json.ts';
import { isNumber, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { categoryOf } from './analytics.ts';
import type { TelemetryReport } from './events.ts';

/** The project setting `analytics`: what is recorded, and how long it is kept. */

/** Category of a type → the member that switches it off when `false`. */
const SWITCHES: Readonly<Record<string, string>> = {
  session: 'captureSessions',
  warning: 'captureWarnings',
  error: 'captureErrors',
  endpoint: 'captureEndpointDiagnostics',
  performance: 'managedPerformance',
  network: 'managedNetwork',
  voice: 'managedVoice',
  input: 'managedInputFocus',
  scene: 'managedScene',
  runtime: 'managedRuntime',
  revision: 'managedRevision',
  system: 'managedSystemInfo',
};

/** Whether a project wants this event. A missing switch is on; a failed save is always recorded. */
export function isCaptured(settings: JsonObject, fact: TelemetryReport): boolean {
  if (fact.type === 'save.failed') return true;
  if (member(settings, 'enabled') === false) return false;
  const category = fact.type === 'analytics.tracked' ? categoryOf(fact.data.type) : 'session';
  const name = Object.hasOwn(SWITCHES, category) ? SWITCHES[category] : undefined;
  return name === undefined || member(settings, name) !== false;
}

/** The event as the project wants it kept: `retainErrorStacks: false` removes stacks. */
export function asKept(settings: JsonObject, fact: TelemetryReport): TelemetryReport {
  if (fact.type !== 'analytics.tracked' || fact.data.stack === null || member(settings, 'retainErrorStacks') !== false) return fact;
  return { ...fact, data: { ...fact.data, stack: null } };
}

const DEFAULT_DAYS = 90;
const MAX_DAYS = 3650;

/** Days for which rows of telemetry are kept (`retentionDays`); 0: for ever. */
export function retentionDays(settings: JsonObject): number {
  const value = member(settings, 'retentionDays');
  const days = isNumber(value) ? toDouble(value) : Number.NaN;
  return Number.isFinite(days) && days >= 0 ? Math.min(Math.floor(days), MAX_DAYS) : DEFAULT_DAYS;
}
