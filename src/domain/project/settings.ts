import { isArray, isNumber, isObject, type Json, type JsonObject, stringifyJson, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';

/** Project settings: names, types, ranges and defaults (management 16, and the decisions for what is ours). */

export interface ProjectSettings {
  readonly description: string;
  readonly enabled: boolean;
  readonly requirePlayerAuth: boolean;
  readonly enableAuthSessions: boolean;
  readonly authSessionTtlSeconds: number;
  readonly enableEncryptedRequests: boolean;
  /** Age limit of a request id, seconds. */
  readonly encryptedRequestWindowSeconds: number;
  readonly playerKeyMode: 'player' | 'playerSave';
  readonly inputValidation: 'enforce' | 'off';
  readonly validateEndpointWrites: boolean;
  readonly strictSaveVersion: boolean;
  readonly nextData: 'isolated' | 'shared';
  readonly fillDefaults: boolean;
  readonly revisionEnforcementEnabled: boolean;
  readonly revisionEnforcementMode: 'allow_continue' | 'force_upgrade';
  readonly revisionGracePeriodMinutes: number | null;
  readonly revisionPostGraceAction: 'block_writes' | 'block_all';
  readonly revisionForceEndpointUpgrade: boolean;
  readonly revisionNotifyMessage: string;
  readonly revisionShowDefaultMessage: boolean;
  readonly revisionShowNewVersionBanner: boolean;
  readonly revisionShowUpdateOptions: boolean;
  readonly revisionEscalateAfterMinutes: number | null;
  readonly revisionShowPopupOnce: boolean;
  readonly revisionTestOutdatedEditor: boolean;
  readonly revisionTestOutdatedLive: boolean;
  readonly analytics: JsonObject;
  readonly webhooks: JsonObject;
  readonly endpointRateLimits: JsonObject | null;
}

export type SettingName = keyof ProjectSettings;

/** How one setting is read. `accept` gives the value to keep, or `undefined` for what cannot be one. */
export interface SettingRule {
  readonly fallback: Json;
  readonly expected: string;
  accept(value: Json): Json | undefined;
}

const MAX_MESSAGE = 500;
const MAX_DESCRIPTION = 256;
export const MAX_NAME = 64;
/** Characters of a setting that is an object: every node holds the settings of every project that it has open. */
const MAX_OBJECT = 16_384;

export const SETTING_RULES: Readonly<Record<SettingName, SettingRule>> = {
  description: text('', MAX_DESCRIPTION),
  enabled: flag(true),
  requirePlayerAuth: flag(false),
  enableAuthSessions: flag(false),
  authSessionTtlSeconds: whole(3600, 60, 86_400),
  enableEncryptedRequests: flag(false),
  // The security config is what clients obey, and it says 120 (management, traps 15).
  encryptedRequestWindowSeconds: whole(120, 30, 600),
  // What the published service answers for one document a player: settings copied from there are taken as they come.
  playerKeyMode: aliased(oneOf('player', 'playerSave'), { public: 'player' }),
  inputValidation: oneOf('enforce', 'off'),
  validateEndpointWrites: flag(false),
  strictSaveVersion: flag(false),
  nextData: oneOf('isolated', 'shared'),
  fillDefaults: flag(true),
  revisionEnforcementEnabled: flag(false),
  revisionEnforcementMode: oneOf('allow_continue', 'force_upgrade'),
  revisionGracePeriodMinutes: minutes(5, 1440),
  revisionPostGraceAction: aliased(oneOf('block_writes', 'block_all'), { block_saves: 'block_writes', allow_readonly: 'block_writes' }),
  revisionForceEndpointUpgrade: flag(false),
  revisionNotifyMessage: text('', MAX_MESSAGE),
  revisionShowDefaultMessage: flag(false),
  revisionShowNewVersionBanner: flag(true),
  revisionShowUpdateOptions: flag(true),
  revisionEscalateAfterMinutes: minutes(60, 1440),
  revisionShowPopupOnce: flag(true),
  revisionTestOutdatedEditor: flag(false),
  revisionTestOutdatedLive: flag(false),
  analytics: switches(),
  webhooks: object({}),
  endpointRateLimits: object(null),
};

/** A project's name is changed like a setting, and kept beside them: every project has one from its creation. */
const NAME_RULE: SettingRule = {
  fallback: '',
  expected: `a text of 1 to ${MAX_NAME} characters`,
  accept: (value) => (typeof value === 'string' && value.trim() !== '' && value.trim().length <= MAX_NAME ? value.trim() : undefined),
};

/** The rule of a setting, or of the project's name; `undefined`: there is no such setting. */
export function settingRule(name: string): SettingRule | undefined {
  if (name === 'name') return NAME_RULE;
  return isSettingName(name) ? SETTING_RULES[name] : undefined;
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTING_RULES, name);
}

/** What a `settings.changed` changes of a project. */
export interface Settable {
  readonly name: string;
  readonly settings: JsonObject;
}

export function withChanges({ name, settings }: Settable, { name: renamed, ...changes }: JsonObject): Settable {
  return { name: typeof renamed === 'string' ? renamed : name, settings: { ...settings, ...changes } };
}

const views = new WeakMap<JsonObject, ProjectSettings>();

/** The stored settings with defaults; what is stored and unusable counts as not set. Made once per settings object. */
export function projectSettings(stored: JsonObject): ProjectSettings {
  const known = views.get(stored);
  if (known !== undefined) return known;
  const entries = Object.entries(SETTING_RULES).map(([name, rule]): [string, Json] => {
    const value = member(stored, name);
    return [name, (value === undefined ? undefined : rule.accept(value)) ?? rule.fallback];
  });
  // The boundary between JSON and the typed view: every rule above accepts only its member's type.
  const settings = Object.fromEntries(entries) as unknown as ProjectSettings;
  views.set(stored, settings);
  return settings;
}

/** Members of the GET answer, twice under `settings` and `config`; the editor wants the two flags at one level (management 4.5). */
export function settingsBody(projectId: string, project: Settable): JsonObject {
  const settings: JsonObject = { name: project.name, ...projectSettings(project.settings) };
  const { enableAuthSessions = false, enableEncryptedRequests = false } = settings;
  return { ok: true, projectId, settings, config: settings, enableAuthSessions, enableEncryptedRequests };
}

function flag(fallback: boolean): SettingRule {
  const accept = (value: Json) => {
    if (typeof value === 'boolean') return value;
    return value === 'true' ? true : value === 'false' ? false : undefined;
  };
  return { fallback, expected: 'true or false', accept };
}

function whole(fallback: number, min: number, max: number): SettingRule {
  const accept = (value: Json) => {
    const number = isNumber(value) ? Math.trunc(toDouble(value)) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
  return { fallback, expected: `a whole number from ${min} to ${max}`, accept };
}

/** Null, `disabled` and anything not positive switch it off; the rest is brought into the range. */
function minutes(min: number, max: number): SettingRule {
  const accept = (value: Json) => {
    if (value === null || value === 'disabled') return null;
    const number = isNumber(value) ? Math.trunc(toDouble(value)) : Number.NaN;
    if (Number.isNaN(number)) return undefined;
    return number <= 0 ? null : Math.min(Math.max(number, min), max);
  };
  return { fallback: null, expected: `minutes from ${min} to ${max}, or null`, accept };
}

function oneOf(fallback: string, ...others: readonly string[]): SettingRule {
  const values = [fallback, ...others];
  const accept = (value: Json) => (typeof value === 'string' && values.includes(value) ? value : undefined);
  return { fallback, expected: `one of ${values.join(', ')}`, accept };
}

function aliased(rule: SettingRule, aliases: Readonly<Record<string, string>>): SettingRule {
  const accept = (value: Json) => {
    const alias = typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : undefined;
    return rule.accept(alias ?? value);
  };
  return { ...rule, accept };
}

function text(fallback: string, most: number): SettingRule {
  const accept = (value: Json) => (typeof value === 'string' && value.length <= most ? value : undefined);
  return { fallback, expected: `a text of at most ${most} characters`, accept };
}

/** What clients read of the analytics settings (security 5.2); they take nothing else for a switch. Others may stand beside them. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...['enabled', 'captureSessions', 'captureWarnings', 'captureErrors', 'captureLocalWarnings', 'captureLocalErrors'],
  ...['captureEndpointDiagnostics', 'managedLibraryEvents', 'managedPerformance', 'managedNetwork', 'managedVoice'],
  ...['managedInputFocus', 'managedScene', 'managedRuntime', 'managedRevision', 'managedSystemInfo', 'retainErrorStacks'],
  // Ours, and no client's.
  'captureEndpointCalls',
]);

function switches(): SettingRule {
  const any = object({});
  const fits = ([name, value]: [string, Json]) => {
    if (name === 'allowedEventTypes') return isArray(value) && value.every((type) => typeof type === 'string');
    return typeof value === 'boolean' || !SWITCHES.has(name);
  };
  const accept = (value: Json) => (isObject(value) && Object.entries(value).every(fits) ? any.accept(value) : undefined);
  return { ...any, expected: `${any.expected}, its switches true or false, allowedEventTypes a list of texts`, accept };
}

function object(fallback: JsonObject | null): SettingRule {
  const accept = (value: Json) => {
    if (value === null) return fallback === null ? null : undefined;
    return isObject(value) && stringifyJson(value).length <= MAX_OBJECT ? value : undefined;
  };
  return { fallback, expected: `an object of at most ${MAX_OBJECT} characters`, accept };
}
