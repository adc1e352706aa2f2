import { createHash } from 'node:crypto';
import { isProjectId, isPublicKey } from '../../domain/project/keys.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { revisionStatus } from '../../domain/revision/status.ts';
import type { ApiKey, AuthorityState } from '../../domain/states.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { refusal } from '../../kernel/errors.ts';
import { requirePermission } from '../access.ts';
import type { Caller, Presented } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';

interface KeyIndex {
  readonly byValue: ReadonlyMap<string, ApiKey>;
  readonly byHash: ReadonlyMap<string, ApiKey>;
}

/** One index per state of the authority: it lives exactly as long as the keys in it. */
const indexes = new WeakMap<AuthorityState, KeyIndex>();

/** How often a project is searched again in the log because somebody came with a key or session that nobody knows, or wants news. */
const REFRESH_MS = 200;
const refreshedAt = new WeakMap<Project, number>();

/**
 * Resolves the keys that a request carried; see `App.authenticate`. Nothing tells an unknown project from an unknown key. Waits for
 * nobody where project and key are known here.
 */
export function authenticate(context: AppContext, projectId: string, presented: Presented): Awaitable<Caller> {
  if (!presented.key) throw refusal('UNAUTHORIZED', presented.management ? NO_MANAGEMENT_KEY : NO_KEY);
  if (!isProjectId(projectId)) throw unknownKey(presented);
  const project = context.projects.peek(projectId);
  return project ? callerIn(context, project, presented.key, presented) : callerOnceOpen(context, projectId, presented.key, presented);
}

async function callerOnceOpen(context: AppContext, projectId: string, value: string, presented: Presented): Promise<Caller> {
  const project = await context.projects.get(projectId);
  if (!project) throw unknownKey(presented);
  return callerIn(context, project, value, presented);
}

function callerIn(context: AppContext, project: Project, value: string, presented: Presented): Awaitable<Caller> {
  const key = findKey(project, value);
  return key ? callerOf(context, project, key, presented) : callerOfNewKey(context, project, value, presented);
}

/** The key may just have been made elsewhere: the log is asked once more before the caller is refused. */
async function callerOfNewKey(context: AppContext, project: Project, value: string, presented: Presented): Promise<Caller> {
  const key = (await lookAgain(context, project)) ? findKey(project, value) : undefined;
  if (!key) throw unknownKey(presented);
  return callerOf(context, project, key, presented);
}

function callerOf(context: AppContext, project: Project, key: ApiKey, presented: Presented): Caller {
  const isSecret = key.kind === 'secret';
  if (presented.management && (!isSecret || !key.enabled)) throw unknownKey(presented);
  if (!key.enabled) throw refusal(presented.disabledKey, 'This key is disabled');
  if (presented.needs) for (const scope of presented.needs.scopes) requirePermission(key, scope, presented.needs.level);
  const authority = project.authority;
  if (!authority || authority.deleted) throw unknownKey(presented);
  const settings = projectSettings(authority.settings);
  if (!settings.enabled) throw refusal(presented.disabledProject, 'This project is currently disabled');
  return {
    // The project's own text and not the one that was sent: its hash is known to all who look the project up.
    projectId: project.id,
    key,
    isSecret,
    // Beside a secret key another says nothing, whatever it is (security 1.2).
    extraSecret: isSecret || presented.extraSecret === null ? null : extraSecretOf(project, presented.extraSecret),
    platformId: presented.platformId,
    onBehalfOf: presented.onBehalfOf,
    position: presented.position,
    revision: settings.revisionEnforcementEnabled
      ? revisionStatus(settings, authority.gamePackage, presented, context.scheduler.now())
      : null,
    proof: presented.proof,
    intent: presented.intent,
  };
}

const NO_MANAGEMENT_KEY = 'Missing management API key: send the secret key of the project in the header x-api-key';
const NO_KEY = 'Missing API key: send the public key of the project in the header x-public-key, or a secret one in x-secret-key';

/** Says what can be seen of the key itself, and nothing of what the installation knows. */
function unknownKey({ key, management }: Presented): Error {
  if (!management) return refusal('UNAUTHORIZED', 'Invalid API key: check it, and the project id in the path');
  if (isPublicKey(key ?? '')) return refusal('UNAUTHORIZED', 'Invalid management API key: this is a public key, and it takes a secret one');
  return refusal('UNAUTHORIZED', 'Invalid or missing management API key: check it, and the project id in the path');
}

function extraSecretOf(project: Project, value: string): ApiKey | 'invalid' {
  const key = findKey(project, value);
  return key?.kind === 'secret' && key.enabled ? key : 'invalid';
}

/** A public key is found by its value, a secret one by its hash: the secret itself is stored nowhere. */
export function findKey(project: Project, value: string): ApiKey | undefined {
  const { authority } = project;
  if (!authority || authority.deleted) return undefined;
  const index = indexOf(authority);
  return index.byValue.get(value) ?? index.byHash.get(createHash('sha256').update(value).digest('hex'));
}

/** Reads the project on to the end of its log, unless somebody had it done a moment ago: callers without a valid key may ask for it. */
export async function lookAgain(context: AppContext, project: Project): Promise<boolean> {
  const now = context.scheduler.monotonic();
  if (now - (refreshedAt.get(project) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) return false;
  refreshedAt.set(project, now);
  await project.refresh();
  return true;
}

const planned = new WeakMap<Project, Promise<void>>();

/** The same, but later where it was done a moment ago: all who come meanwhile wait for one look, which begins after they came. */
export async function lookAgainSoon(context: AppContext, project: Project): Promise<void> {
  if (await lookAgain(context, project)) return;
  const look = planned.get(project) ?? lookLater(context, project);
  planned.set(project, look);
  await look;
}

async function lookLater({ scheduler }: AppContext, project: Project): Promise<void> {
  await scheduler.sleep(REFRESH_MS);
  planned.delete(project);
  refreshedAt.set(project, scheduler.monotonic());
  await project.refresh();
}

function indexOf(authority: AuthorityState): KeyIndex {
  const known = indexes.get(authority);
  if (known) return known;
  const byValue = new Map<string, ApiKey>();
  const byHash = new Map<string, ApiKey>();
  for (const key of authority.keys.values()) {
    if (key.kind === 'public') byValue.set(key.display, key);
    else byHash.set(key.hash, key);
  }
  const index = { byValue, byHash };
  indexes.set(authority, index);
  return index;
}
