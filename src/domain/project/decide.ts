import { analytics } from '../../contract/resources/analytics.ts';
import { namesIn } from '../../contract/resources/member.ts';
import type { SettingsBody, WrittenSettings } from '../../contract/resources/settings.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { DomainEvent, KeyKind, Permissions } from '../events.ts';
import type { Finding } from '../finding.ts';
import type { ApiKey, AuthorityState, DefinitionsState } from '../states.ts';
import { acceptMember, acceptMembers } from '../wire-names.ts';
import { displayKey, hashKey, isProjectId } from './keys.ts';
import { DEFAULT_PERMISSIONS, widened } from './permissions.ts';
import { MAX_NAME, projectSettings, SETTING_RULES, settingRule } from './settings.ts';

/** Changes of projects, keys and settings by an operator, or by a manager with the `settings` scope. */

export interface ProjectDecision {
  readonly events: readonly DomainEvent[];
}

export const MAX_KEYS = 100;

/** Creates a project. `projectId` names the stream and is part of every path, so the id of a deleted project is never used again. */
export function createProject(
  state: AuthorityState | null,
  command: { readonly projectId: string; readonly name: string },
): ProjectDecision | Refusal {
  const { projectId } = command;
  if (!isProjectId(projectId))
    return refusal('VALIDATION_FAILED', 'A project id is 1 to 64 letters, digits, _ or -, starting with a letter or digit');
  if (state !== null) return new Refusal(409, 'PROJECT_EXISTS', 'A project with this id exists, or existed');
  const name = command.name.trim() === '' ? projectId : command.name.trim();
  if (name.length > MAX_NAME) return refusal('VALIDATION_FAILED', `A project name has at most ${MAX_NAME} characters`);
  return { events: [{ type: 'project.created', data: { projectId, name } }] };
}

/** Deleting a deleted project changes nothing. */
export function deleteProject(state: AuthorityState | null): ProjectDecision | Refusal {
  if (state === null) return noProject();
  return { events: state.deleted ? [] : [{ type: 'project.deleted', data: {} }] };
}

export interface IssueKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  /** 1 to 64 characters. */
  readonly label: string;
  /** The key itself. It is hashed here and never kept. */
  readonly key: string;
  /** Permissions of a secret key. Left out: the default map; `null`: everything. */
  readonly permissions?: Permissions;
}

/** Issues a key. Refuses with 404 NOT_FOUND, 400 VALIDATION_FAILED, and 409 KEY_EXISTS for an id or key that the project has. */
export function issueKey(state: AuthorityState | null, command: IssueKey): ProjectDecision | Refusal {
  const { keyId, kind, label, key } = command;
  if (state === null || state.deleted) return noProject();
  if (state.keys.size >= MAX_KEYS) return refusal('VALIDATION_FAILED', `A project has at most ${MAX_KEYS} keys`);
  if (label.trim() === '' || label.length > MAX_NAME) return refusal('VALIDATION_FAILED', `A key's label has 1 to ${MAX_NAME} characters`);
  const hash = hashKey(key);
  const taken = [...state.keys.values()].some((other) => other.keyId === keyId || other.hash === hash);
  if (taken) return new Refusal(409, 'KEY_EXISTS', 'This key exists already');
  const sent = command.permissions === undefined ? DEFAULT_PERMISSIONS : command.permissions;
  const permissions = kind === 'public' ? null : sent;
  return { events: [{ type: 'key.issued', data: { keyId, kind, label, hash, display: displayKey(kind, key), permissions } }] };
}

/** A key of another project. Of a secret key only the hash is known. */
export interface AdoptKey {
  readonly kind: KeyKind;
  readonly label: string;
  /** The key itself if it is public, else its display form. */
  readonly display: string;
  /** SHA-256 (hex) of a secret key; `null` for a public one. */
  readonly hash: string | null;
  readonly permissions: Permissions;
  readonly enabled: boolean;
}

/** Adopts a key of another project. A key that this project already has is left unchanged. */
export function adoptKey(state: AuthorityState | null, keyId: string, key: AdoptKey): ProjectDecision | Refusal {
  if (state === null || state.deleted) return noProject();
  const { kind, label, display } = key;
  const hash = key.hash ?? hashKey(display);
  if ([...state.keys.values()].some((other) => other.hash === hash)) return { events: [] };
  if (state.keys.size >= MAX_KEYS) return refusal('VALIDATION_FAILED', `A project has at most ${MAX_KEYS} keys`);
  const permissions = kind === 'public' ? null : key.permissions;
  const issued: DomainEvent = { type: 'key.issued', data: { keyId, kind, label, hash, display, permissions } };
  const disabled: DomainEvent = { type: 'key.changed', data: { keyId, enabled: false } };
  return { events: key.enabled ? [issued] : [issued, disabled] };
}

export interface KeyChange {
  readonly enabled?: boolean;
  /** In place of what the key may do. */
  readonly permissions?: Permissions;
  /** Beside what the key may do. */
  readonly added?: Permissions;
}

/** Changes a key, and records only what differs. 404 NOT_FOUND; 400 VALIDATION_FAILED for permissions of a public key, which has none. */
export function changeKey(state: AuthorityState | null, command: { readonly keyId: string } & KeyChange): ProjectDecision | Refusal {
  const key = state?.keys.get(command.keyId);
  if (key === undefined) return refusal('NOT_FOUND', 'No key with this id');
  const sent = command.added === undefined ? command.permissions : widened(key.permissions, command.added);
  if (sent !== undefined && key.kind === 'public') return refusal('VALIDATION_FAILED', 'A public key has no permissions');
  const enabled = command.enabled === undefined || command.enabled === key.enabled ? {} : { enabled: command.enabled };
  const permissions = samePermissions(key, sent) ? {} : { permissions: sent ?? null };
  const change = { ...enabled, ...permissions };
  if (Object.keys(change).length === 0) return { events: [] };
  return { events: [{ type: 'key.changed', data: { keyId: key.keyId, ...change } }] };
}

function samePermissions(key: ApiKey, sent: Permissions | undefined): boolean {
  return sent === undefined || jsonEquals(sent, key.permissions);
}

/** Revokes a key, by id or by the value of a public key. Revoking a missing key changes nothing. */
export function revokeKey(
  state: AuthorityState | null,
  command: { readonly keyId?: string; readonly publicKey?: string },
): ProjectDecision {
  const { keyId, publicKey } = command;
  const named = (key: ApiKey) => key.keyId === keyId || (key.kind === 'public' && key.display === publicKey);
  const key = [...(state?.keys.values() ?? [])].find(named);
  return { events: key === undefined ? [] : [{ type: 'key.revoked', data: { keyId: key.keyId } }] };
}

/**
 * Changes settings: a flat object, or one under `settings` or `config`. Unknown members change nothing ({@link unknownSettings} names
 * them); a known one with an unusable value refuses the whole change. A new value of `nextData` starts a new generation of staged data,
 * because what tests wrote before belongs to the old mode.
 */
export function changeSettings(
  state: AuthorityState | null,
  definitions: Pick<DefinitionsState, 'generation' | 'nextHash'>,
  body: Json | undefined,
): ProjectDecision | Refusal {
  if (state === null || state.deleted) return noProject();
  if (!isObject(body)) return refusal('VALIDATION_FAILED', 'Body must be an object of settings');
  const changes = new Map<string, Json>();
  for (const [name, raw] of Object.entries(plainSettings(sentSettings(body).settings))) {
    const rule = settingRule(name);
    if (rule === undefined) continue;
    const value = rule.accept(raw);
    if (value === undefined) return refusal('VALIDATION_FAILED', `The setting '${name}' must be ${rule.expected}`);
    const before = name === 'name' ? state.name : state.settings[name];
    if (before === undefined || !jsonEquals(before, value)) changes.set(name, value);
  }
  if (changes.size === 0) return { events: [] };
  const changed: DomainEvent = { type: 'settings.changed', data: { changes: Object.fromEntries(changes) } };
  const nextData = changes.get('nextData');
  if (nextData === undefined || nextData === projectSettings(state.settings).nextData) return { events: [changed] };
  return {
    events: [changed, { type: 'definitions.nextRenewed', data: { generation: definitions.generation + 1, hash: definitions.nextHash } }],
  };
}

/** Members of the settings answer that are no settings, and its copies of two. Tools send them back with a change. */
const ANSWER_MEMBERS = new Set(['ok', 'projectId', 'settings', 'config', 'strict', 'diagnostics']);
const COPIES = new Set(['enableAuthSessions', 'enableEncryptedRequests']);

/** Findings for what changes nothing: settings that do not exist, stand beside those that count, or differ under the second name. */
export function unknownSettings(body: Json | undefined): readonly Finding[] {
  const whole: SettingsBody = objectOf(body);
  const { settings: sent, at } = sentSettings(whole);
  const isCopy = (name: string) => COPIES.has(name) && jsonEquals(whole[name] ?? null, sent[name] ?? null);
  const beside = at === '' ? [] : Object.keys(whole).filter((name) => !ANSWER_MEMBERS.has(name) && !isCopy(name));
  const inside = Object.keys(sent).filter((name) => !isSetting(name) && !(at === '' && ANSWER_MEMBERS.has(name)));
  return [
    ...beside.map((name) => (isSetting(name) ? besideFinding(name, at) : unknownFinding(name, `/${name}`))),
    ...(at === '/settings' && isOther(whole.config, sent) ? [besideFinding('config', at)] : []),
    ...inside.map((name) => unknownFinding(name, `${at}/${name}`)),
    ...analyticsFindings(sent.analytics, at),
  ];
}

function isSetting(name: string): boolean {
  return settingRule(acceptMember(name)) !== undefined;
}

function isOther(config: Json | undefined, settings: JsonObject): boolean {
  return config !== undefined && config !== null && !jsonEquals(config, settings);
}

function besideFinding(name: string, at: string): Finding {
  const message = `'${name}' stands beside '${at.slice(1)}', which counts, so it changed nothing.`;
  return { code: 'UNKNOWN_SETTING', pointer: `/${name}`, message, fix: `Put what is meant into '${at.slice(1)}'.` };
}

function unknownFinding(name: string, pointer: string): Finding {
  const fix = didYouMean(name, Object.keys(SETTING_RULES));
  return {
    code: 'UNKNOWN_SETTING',
    pointer,
    message: `There is no setting '${name}', so it changed nothing.`,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Clients may keep members of their own there. */
function analyticsFindings(sent: Json | undefined, at: string): readonly Finding[] {
  const known = namesIn(analytics);
  return Object.keys(objectOf(sent)).flatMap((name): Finding[] => {
    if (known.includes(name) || /^(?:_|x-)/.test(name)) return [];
    const pointer = `${at}/analytics/${name}`;
    const fix = didYouMean(name, known);
    const message = `This server does nothing with '${name}'.`;
    return [{ code: 'UNKNOWN_SETTING', pointer, message, ...(fix === undefined ? {} : { fix }) }];
  });
}

interface SentSettings {
  readonly settings: WrittenSettings;
  /** Where they stand in the body, as a JSON pointer. */
  readonly at: string;
}

function sentSettings(body: SettingsBody): SentSettings {
  const { settings, config } = body;
  const wrapped = settings ?? config ?? null;
  return isObject(wrapped) ? { settings: wrapped, at: wrapped === settings ? '/settings' : '/config' } : { settings: body, at: '' };
}

/** Settings under neutral names. The post-grace action `allow_readonly` of older editors implies the mode `allow_continue`. */
function plainSettings(sent: JsonObject): JsonObject {
  const plain: WrittenSettings = acceptMembers(sent);
  return plain.revisionPostGraceAction === 'allow_readonly' ? { ...plain, revisionEnforcementMode: 'allow_continue' } : plain;
}

function noProject(): Refusal {
  return refusal('NOT_FOUND', 'No project with this id');
}
