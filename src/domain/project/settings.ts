import type { z } from 'zod';
import type { Settings } from '../../contract/answers.ts';
import { expectedOf, initialOf } from '../../contract/resources/member.ts';
import { type ProjectSettings, projectName, settings, type WrittenSettings } from '../../contract/resources/settings.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';

/** Project settings, as `src/contract/resources/settings.ts` describes them: which values are accepted, and how stored ones are read. */

export { MAX_NAME, type ProjectSettings } from '../../contract/resources/settings.ts';

type SettingName = keyof ProjectSettings;

/** How one setting is read. `accept` gives the value to keep, or `undefined` for an invalid one. */
export interface SettingRule {
  readonly fallback: Json;
  readonly expected: string;
  accept(value: Json): Json | undefined;
}

const NAMES = Object.keys(settings.shape) as SettingName[];
const RULES = NAMES.map((name) => [name, ruleOf(settings.shape[name])] as const);

export const SETTING_RULES: Readonly<Record<string, SettingRule>> = Object.fromEntries(RULES);
const NAME_RULE = ruleOf(projectName);

function ruleOf(schema: z.ZodType<Json | undefined>): SettingRule {
  return {
    fallback: initialOf(schema) ?? null,
    expected: expectedOf(schema),
    accept: (value) => schema.safeParse(value).data,
  };
}

/** The rule of a setting, or of the project's name; `undefined`: there is no such setting. */
export function settingRule(name: string): SettingRule | undefined {
  if (name === 'name') return NAME_RULE;
  return Object.hasOwn(SETTING_RULES, name) ? SETTING_RULES[name] : undefined;
}

/** What a `settings.changed` event changes in a project. */
export interface Settable {
  readonly name: string;
  readonly settings: JsonObject;
}

/** A project's name and settings after a `settings.changed` event. */
export function withChanges({ name, settings }: Settable, { name: renamed, ...changes }: JsonObject): Settable {
  return { name: typeof renamed === 'string' ? renamed : name, settings: { ...settings, ...changes } };
}

const parsed = new WeakMap<JsonObject, ProjectSettings>();

/** The stored settings with defaults. An unusable stored value counts as not set. Made once per settings object. */
export function projectSettings(stored: JsonObject): ProjectSettings {
  const known = parsed.get(stored);
  if (known !== undefined) return known;
  const written: WrittenSettings = stored;
  const entries = RULES.map(([name, rule]): [string, Json] => {
    const value = written[name];
    return [name, (value === undefined ? undefined : rule.accept(value)) ?? rule.fallback];
  });
  // The boundary between JSON and the typed settings: every rule above accepts only its member's type.
  const typed = Object.fromEntries(entries) as unknown as ProjectSettings;
  parsed.set(stored, typed);
  return typed;
}

/**
 * Body of the GET answer, with the settings under `settings` and `config`, since tools read either. The editor wants two flags at the top
 * level too.
 */
export function settingsBody(projectId: string, project: Settable): Settings {
  const set = projectSettings(project.settings);
  const shown = { name: project.name, ...set };
  const { enableAuthSessions, enableEncryptedRequests } = set;
  return { ok: true, projectId, settings: shown, config: shown, enableAuthSessions, enableEncryptedRequests };
}
