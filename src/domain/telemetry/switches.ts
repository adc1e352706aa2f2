import { type AnalyticsSetting, analytics } from '../../contract/resources/analytics.ts';
import { fitting } from '../../contract/resources/member.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { categoryOf } from './analytics.ts';
import type { AnalyticsTracked, TelemetryReport } from './events.ts';

/** Which reports are kept, by the project setting `analytics`. */

type Switch = { [Name in keyof AnalyticsSetting]: AnalyticsSetting[Name] extends boolean ? Name : never }[keyof AnalyticsSetting];

/** Category of a type → the member that switches it off when `false`. */
const SWITCHES: Readonly<Record<string, Switch>> = {
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

const known = new WeakMap<JsonObject, AnalyticsSetting>();

/** The setting with its defaults. An invalid member counts as not set: earlier releases accepted some. Parsed once for each object. */
export function analyticsSetting(stored: JsonObject): AnalyticsSetting {
  let setting = known.get(stored);
  if (setting === undefined) {
    setting = analytics.parse(fitting(analytics.shape, stored));
    known.set(stored, setting);
  }
  return setting;
}

/** Categories of which editors have a switch of their own, beside that of everybody. */
const LOCAL_SWITCHES: Readonly<Record<string, Switch>> = { warning: 'captureLocalWarnings', error: 'captureLocalErrors' };
/** What client libraries send by themselves. */
const LIBRARY_TYPE = /^(?:network_storage|library\b)/;

/** Whether a project wants this event. A failed save is always recorded. `isLocal`: an editor reports it. */
export function isCaptured(setting: AnalyticsSetting, fact: TelemetryReport, isLocal = false): boolean {
  if (fact.type === 'save.failed') return true;
  if (!setting.enabled) return false;
  if (fact.type !== 'analytics.tracked') return setting.captureSessions;
  const { type, sentType } = fact.data;
  if (!setting.managedLibraryEvents && LIBRARY_TYPE.test(nameOf(sentType))) return false;
  const category = categoryOf(type);
  if (!isAllowed(setting, fact.data, category)) return false;
  const tables = isLocal ? [SWITCHES, LOCAL_SWITCHES] : [SWITCHES];
  return tables.every((table) => {
    const name = Object.hasOwn(table, category) ? table[category] : undefined;
    return name === undefined || setting[name];
  });
}

/** `allowedEventTypes` is about the events that a game makes up: those without a severity and without a switch. */
function isAllowed({ allowedEventTypes }: AnalyticsSetting, { sentType, severity }: AnalyticsTracked, category: string): boolean {
  const isOwn = (severity === null || severity === 'custom') && !Object.hasOwn(SWITCHES, category) && !LIBRARY_TYPE.test(nameOf(sentType));
  return !isOwn || allowedEventTypes === undefined || allowedEventTypes.some((type) => nameOf(type) === nameOf(sentType));
}

/** Clients send `_` for a blank, and types are stored in small letters. */
function nameOf(type: string | null): string {
  return (type ?? '').trim().toLowerCase().replace(/\s/g, '_');
}

/** The event as the project wants it kept: `retainErrorStacks: false` removes stacks. */
export function asKept(setting: AnalyticsSetting, fact: TelemetryReport): TelemetryReport {
  if (fact.type !== 'analytics.tracked' || fact.data.stack === null || setting.retainErrorStacks) return fact;
  return { ...fact, data: { ...fact.data, stack: null } };
}
