import { requireKind } from './arguments.ts';
import { SavepointError } from './errors.ts';
import type { ReportFilter } from './options.ts';

/** Which reports a client makes. The project has the same switches; a report goes out if both want it. */

/** The switches by name, each with what it governs. Whatever is left out is on. */
export interface AnalyticsSwitches {
  /** Everything. */
  readonly enabled?: boolean;
  /** Joins, heartbeats and goodbyes. */
  readonly captureSessions?: boolean;
  readonly captureWarnings?: boolean;
  readonly captureErrors?: boolean;
  /** Warnings of an editor (`clientType: 'editor'`). */
  readonly captureLocalWarnings?: boolean;
  /** Errors of an editor. */
  readonly captureLocalErrors?: boolean;
  /** What is told of endpoint calls: types `endpoint.…`. */
  readonly captureEndpointDiagnostics?: boolean;
  /** What a client library tells by itself: types `network_storage…` and `library.…`. */
  readonly managedLibraryEvents?: boolean;
  /** Types `performance.…`; the other switches likewise. */
  readonly managedPerformance?: boolean;
  readonly managedNetwork?: boolean;
  readonly managedVoice?: boolean;
  /** Types `input.…`. */
  readonly managedInputFocus?: boolean;
  readonly managedScene?: boolean;
  readonly managedRuntime?: boolean;
  readonly managedRevision?: boolean;
  /** Types `system.…`. */
  readonly managedSystemInfo?: boolean;
  /** Stacks of errors. */
  readonly retainErrorStacks?: boolean;
}

type Switch = keyof AnalyticsSwitches;

/** Every switch, with what the types of its reports begin with; `null`: it does not go by type. */
const TYPES: { readonly [Name in Switch]-?: RegExp | null } = {
  enabled: null,
  captureSessions: /^session\b/,
  captureWarnings: null,
  captureErrors: null,
  captureLocalWarnings: null,
  captureLocalErrors: null,
  captureEndpointDiagnostics: /^endpoint\b/,
  managedLibraryEvents: /^(?:network_storage|library\b)/,
  managedPerformance: /^performance\b/,
  managedNetwork: /^network\b/,
  managedVoice: /^voice\b/,
  managedInputFocus: /^input\b/,
  managedScene: /^scene\b/,
  managedRuntime: /^runtime\b/,
  managedRevision: /^revision\b/,
  managedSystemInfo: /^system\b/,
  retainErrorStacks: null,
};

/**
 * The switches of a client, for its option `analytics`. A name that is no switch is refused: it would have no effect.
 *
 * @example
 * ```ts
 * const quiet = createClient({ url, projectId, publicKey, analytics: analyticsSwitches({ managedVoice: false }) });
 * await analyticsOf(quiet).track('voice.muted'); // → null
 * ```
 */
export function analyticsSwitches(switches: AnalyticsSwitches): ReportFilter {
  requireKind('switches', switches, 'object');
  for (const [name, given] of Object.entries(switches)) {
    if (!Object.hasOwn(TYPES, name)) throw new SavepointError('INVALID_ARGUMENT', `\`${name}\` is no switch of analytics`);
    if (given !== undefined) requireKind(name, given, 'boolean');
  }
  const isOn = (name: Switch) => switches[name] !== false;
  const byType = (Object.entries(TYPES) as [Switch, RegExp | null][]).filter(([name]) => !isOn(name)).map(([, type]) => type);
  return (report, isLocal) => {
    const { type, severity } = report;
    if (!isOn('enabled') || byType.some((off) => off?.test(type.toLowerCase()))) return null;
    if (severity === 'warning' && !(isOn('captureWarnings') && (!isLocal || isOn('captureLocalWarnings')))) return null;
    if (severity === 'error' && !(isOn('captureErrors') && (!isLocal || isOn('captureLocalErrors')))) return null;
    if (severity === 'session' && !isOn('captureSessions')) return null;
    return isOn('retainErrorStacks') ? report : { ...report, stack: undefined };
  };
}
