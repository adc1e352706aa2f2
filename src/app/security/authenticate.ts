import { createHash } from 'node:crypto';
import { anotherRole, noRole } from '../../domain/access/refusals.ts';
import type { Permissions } from '../../domain/events.ts';
import { isProjectId, isPublicKey } from '../../domain/project/keys.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { revisionStatus } from '../../domain/revision/status.ts';
import type { AccessKey, ApiKey, AuthorityState } from '../../domain/states.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { refusal } from '../../kernel/errors.ts';
import { requireNeed } from '../access.ts';
import type { Caller, PresentedCredentials } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';
import { RequestIds } from '../request-ids.ts';

interface KeyIndex {
  readonly byValue: ReadonlyMap<string, ApiKey>;
  readonly byHash: ReadonlyMap<string, ApiKey>;
}

/** One index per state of the authority. It lives as long as the keys in it. */
const indexes = new WeakMap<AuthorityState, KeyIndex>();

/** Shortest time between two reads of a project's log that are caused by unknown keys or sessions, ms. */
const REFRESH_MS = 200;
const refreshedAt = new WeakMap<Project, number>();
const refreshing = new WeakMap<Project, Promise<void>>();

/**
 * Resolves the keys of a request; see `App.authenticate`. An unknown project and an unknown key get the same answer. Waits for nothing if
 * project and key are known here.
 */
export function authenticate(context: AppContext, projectId: string, presented: PresentedCredentials): Awaitable<Caller> {
  if (presented.person) return callerOfPerson(context, projectId, presented.person, presented);
  if (!presented.key) throw refusal('UNAUTHORIZED', presented.management ? NO_MANAGEMENT_KEY : NO_KEY);
  if (!isProjectId(projectId)) throw unknownKey(presented);
  const project = context.projects.peek(projectId);
  return project ? callerIn(context, project, presented.key, presented) : callerOnceOpen(context, projectId, presented.key, presented);
}

/** One answer for a project that is not there and for one in which the person has no role. */
async function callerOfPerson(
  context: AppContext,
  projectId: string,
  signedIn: NonNullable<PresentedCredentials['person']>,
  presented: PresentedCredentials,
): Promise<Caller> {
  const { id, name, permissionsIn } = await signedIn();
  const permissions = permissionsIn(projectId);
  const project = permissions === undefined || !isProjectId(projectId) ? null : await context.projects.get(projectId);
  if (!project?.authority || project.authority.deleted || permissions === undefined) throw noRole();
  const caller = callerOf(context, project, personKey(id, name, permissions), presented);
  const stillMay = async () => {
    const refused = anotherRole(permissions, (await signedIn()).permissionsIn(projectId));
    if (refused !== null) throw refused;
  };
  return { ...caller, stillMay };
}

/** A person in place of a key. */
export function personKey(id: string, name: string, permissions: Permissions): AccessKey {
  return { keyId: id, kind: 'person', label: name, hash: '', display: '', enabled: true, permissions, createdAt: 0 };
}

async function callerOnceOpen(context: AppContext, projectId: string, value: string, presented: PresentedCredentials): Promise<Caller> {
  const project = await context.projects.get(projectId);
  if (!project) throw unknownKey(presented);
  return callerIn(context, project, value, presented);
}

function callerIn(context: AppContext, project: Project, value: string, presented: PresentedCredentials): Awaitable<Caller> {
  const key = findKey(project, value);
  return key ? callerOf(context, project, key, presented) : callerOfNewKey(context, project, value, presented);
}

/** A key may just have been made on another node, so the log is read once more before the caller is refused. */
async function callerOfNewKey(context: AppContext, project: Project, value: string, presented: PresentedCredentials): Promise<Caller> {
  await catchUp(context, project);
  const key = findKey(project, value);
  if (!key) throw unknownKey(presented);
  return callerOf(context, project, key, presented);
}

function callerOf(context: AppContext, project: Project, key: AccessKey, presented: PresentedCredentials): Caller {
  const isSecret = key.kind !== 'public';
  if (presented.management && (!isSecret || !key.enabled)) throw unknownKey(presented);
  if (!key.enabled) throw refusal(presented.disabledKey, 'This key is disabled');
  if (presented.needs) requireNeed(key, presented.needs);
  const authority = project.authority;
  if (!authority || authority.deleted) throw unknownKey(presented);
  const settings = projectSettings(authority.settings);
  if (!settings.enabled) throw refusal(presented.disabledProject, 'This project is currently disabled');
  context.keyUses.note(project.id, key);
  return {
    // The project's own id text, not the one from the request: its hash is cached for all look-ups.
    projectId: project.id,
    key,
    isSecret,
    // A second key beside a secret one means nothing.
    extraSecret: isSecret || presented.extraSecret === null ? null : extraSecretOf(project, presented.extraSecret),
    platformId: presented.platformId,
    onBehalfOf: presented.onBehalfOf,
    position: presented.position,
    base: presented.base,
    message: presented.message,
    ticket: presented.ticket,
    revision: settings.revisionEnforcementEnabled
      ? revisionStatus(settings, authority.gamePackage, presented, context.scheduler.now())
      : null,
    proof: presented.proof,
    keyed: presented.keyed,
    request: presented.request && new RequestIds(presented.request),
    ...(isSecret || settings.requirePlayerAuth ? {} : { takesUnproven: true }),
  };
}

const NO_MANAGEMENT_KEY = 'Missing management API key: send the secret key of the project in the header x-api-key';
const NO_KEY = 'Missing API key: send the public key of the project in the header x-public-key, or a secret one in x-secret-key';

/** The refusal of an unknown key. It describes the key's own form only, and nothing that the installation knows. */
function unknownKey({ key, management }: PresentedCredentials): Error {
  if (!management) return refusal('UNAUTHORIZED', 'Invalid API key: check it, and the project id in the path');
  if (isPublicKey(key ?? '')) return refusal('UNAUTHORIZED', 'Invalid management API key: this is a public key, and it takes a secret one');
  return refusal('UNAUTHORIZED', 'Invalid or missing management API key: check it, and the project id in the path');
}

function extraSecretOf(project: Project, value: string): ApiKey | 'invalid' {
  const key = findKey(project, value);
  return key?.kind === 'secret' && key.enabled ? key : 'invalid';
}

/** Finds a public key by its value and a secret one by its hash: the secret itself is stored nowhere. */
export function findKey(project: Project, value: string): ApiKey | undefined {
  const { authority } = project;
  if (!authority || authority.deleted) return undefined;
  const index = indexOf(authority);
  return index.byValue.get(value) ?? index.byHash.get(createHash('sha256').update(value).digest('hex'));
}

/**
 * Reads the project to the end of its log, unless that was done a moment ago: callers without a valid key can cause it. A read under way is
 * waited for. Answers whether it began after the call.
 */
export async function catchUp(context: Pick<AppContext, 'scheduler'>, project: Project): Promise<boolean> {
  const now = context.scheduler.monotonic();
  if (now - (refreshedAt.get(project) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) {
    await refreshing.get(project);
    return false;
  }
  refreshedAt.set(project, now);
  const reading = project.refresh().finally(() => {
    if (refreshing.get(project) === reading) refreshing.delete(project);
  });
  refreshing.set(project, reading);
  await reading;
  return true;
}

const plannedReads = new WeakMap<Project, Promise<void>>();

/** As {@link catchUp}, but if that was done a moment ago it waits and reads again. All callers in between share that read. */
export async function catchUpInTurn(context: AppContext, project: Project): Promise<void> {
  if (await catchUp(context, project)) return;
  const catching = plannedReads.get(project) ?? catchUpLater(context, project);
  plannedReads.set(project, catching);
  await catching;
}

async function catchUpLater({ scheduler }: AppContext, project: Project): Promise<void> {
  await scheduler.sleep(REFRESH_MS);
  plannedReads.delete(project);
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
