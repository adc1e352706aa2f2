import { randomBytes } from 'node:crypto';
import { EMPTY_DEFINITIONS } from '../../domain/definition/model/evolve.ts';
import type { DomainEvent, KeyKind, Permissions } from '../../domain/events.ts';
import { isPageSlug, removePage, type SavePage, savePage } from '../../domain/page/page.ts';
import {
  changeKey,
  changeSettings,
  createProject,
  deleteProject,
  issueKey,
  type KeyChange,
  type ProjectDecision,
  revokeKey,
} from '../../domain/project/decide.ts';
import { formatKey, KEY_RANDOM_BYTES } from '../../domain/project/keys.ts';
import { changeQuotas, type QuotaChanges } from '../../domain/project/quotas.ts';
import { readLine, type SaidWhy, withWhy } from '../../domain/said.ts';
import type { AuthorityState, PageState } from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, pageSubject } from '../../domain/subjects.ts';
import { accepted, type Refusal, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { newCommandId } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import type { Projects } from '../project/projects.ts';
import { openProject } from './open-project.ts';

/**
 * What the operator may do from the command line with projects and keys. It is written through the log like everything else. `said`: why,
 * which throws INVALID_REQUEST where it is no line.
 */

/** Texts of both keys. The log keeps only the hash of a secret one. */
export interface NewProject {
  readonly projectId: string;
  readonly publicKey: string;
  readonly secretKey: string;
}

interface NewKey {
  readonly keyId: string;
  readonly key: string;
}

export interface Operator {
  /** Makes a project with one key of each kind, in one commit. The secret is shown here and never again. */
  createProject(name: string, said?: SaidWhy): Promise<NewProject & { readonly revision: number }>;
  /** Refuses the project's keys from now on. Its log stays. Throws NOT_FOUND. */
  deleteProject(projectId: string, said?: SaidWhy): Promise<{ readonly revision: number }>;
  createKey(
    projectId: string,
    kind: KeyKind,
    label: string,
    permissions?: Permissions,
    said?: SaidWhy,
  ): Promise<NewKey & { readonly revision: number }>;
  /** Throws NOT_FOUND for an unknown key. */
  revokeKey(projectId: string, keyId: string, said?: SaidWhy): Promise<{ readonly revision: number }>;
  changeKey(projectId: string, keyId: string, change: KeyChange, said?: SaidWhy): Promise<{ readonly revision: number }>;
  /** Changes settings as a manager can over HTTP, and also of a disabled project. Throws VALIDATION_FAILED. */
  changeSettings(projectId: string, settings: JsonObject, said?: SaidWhy): Promise<{ readonly revision: number }>;
  /** Sets the quotas of this project; `null`: the quotas of all projects apply. Throws NOT_FOUND, VALIDATION_FAILED. */
  changeQuotas(projectId: string, changes: QuotaChanges, said?: SaidWhy): Promise<{ readonly revision: number }>;
  /** Makes or replaces a page. Throws VALIDATION_FAILED. */
  savePage(projectId: string, page: SavePage): Promise<{ readonly revision: number }>;
  /** Throws NOT_FOUND. */
  removePage(projectId: string, slug: string): Promise<{ readonly revision: number }>;
  /** Forgets sessions and request ids that had expired before that moment (unix ms), which must not be in the future. */
  sweepAccess(projectId: string, before: number): Promise<{ readonly revision: number }>;
  /** Forgets kept answers that had expired before that moment (unix ms), which must not be in the future. */
  sweepAnswers(projectId: string, before: number): Promise<{ readonly revision: number }>;
  /** Project and keys at the head of the log. Throws NOT_FOUND. */
  show(projectId: string): Promise<AuthorityState>;
}

/** `keyPrefix`: the beginning of this installation's keys. */
export function createOperator(projects: Projects, keyPrefix: string): Operator {
  const newKey = (kind: KeyKind) => ({
    keyId: `key_${randomBytes(8).toString('hex')}`,
    key: formatKey(kind, keyPrefix, randomBytes(KEY_RANDOM_BYTES)),
  });

  const open = (projectId: string) => openProject(projects, projectId);

  return {
    async createProject(name, said) {
      const projectId = newProjectId();
      const publicKey = newKey('public');
      const secretKey = newKey('secret');
      const project = await projects.create(projectId);
      const create = (state: AuthorityState | null) => {
        const created = accepted(createProject(state, { projectId, name }));
        // The keys are checked against the project as it will be after its creation: empty.
        const empty: AuthorityState = { projectId, name, createdAt: 0, deleted: false, settings: {}, keys: new Map(), gamePackage: null };
        const first = accepted(issueKey(empty, { ...publicKey, kind: 'public', label: 'Public key' }));
        const second = accepted(issueKey(empty, { ...secretKey, kind: 'secret', label: 'Secret key' }));
        return { events: [...created.events, ...first.events, ...second.events] };
      };
      const revision = await change(project, 'project.create', create, said);
      return { projectId, publicKey: publicKey.key, secretKey: secretKey.key, revision };
    },

    async deleteProject(projectId, said) {
      return { revision: await change(await open(projectId), 'project.delete', deleteProject, said) };
    },

    async createKey(projectId, kind, label, permissions, said) {
      const made = newKey(kind);
      const command = { ...made, kind, label, ...(permissions === undefined ? {} : { permissions }) };
      const revision = await change(await open(projectId), 'key.create', (state) => issueKey(state, command), said);
      return { ...made, revision };
    },

    async revokeKey(projectId, keyId, said) {
      const project = await open(projectId);
      if (!project.authority?.keys.has(keyId))
        throw refusal('NOT_FOUND', `No key ${keyId} in project ${projectId}; \`savepoint key list\` lists its keys`);
      return { revision: await change(project, 'key.revoke', (state) => revokeKey(state, { keyId }), said) };
    },

    async changeKey(projectId, keyId, changes, said) {
      return { revision: await change(await open(projectId), 'key.change', (state) => changeKey(state, { keyId, ...changes }), said) };
    },

    async changeSettings(projectId, settings, said) {
      const decide = (ctx: DecisionContext) => {
        const definitions = ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS;
        return accepted(changeSettings(ctx.read(AUTHORITY), definitions, settings));
      };
      return { revision: await commit(await open(projectId), 'settings.change', decide, said) };
    },

    async changeQuotas(projectId, changes, said) {
      return { revision: await change(await open(projectId), 'quotas.change', (state) => changeQuotas(state, changes), said) };
    },

    async savePage(projectId, page) {
      return { revision: await changePage(await open(projectId), 'page.save', page.slug, () => savePage(page)) };
    },

    async removePage(projectId, slug) {
      return { revision: await changePage(await open(projectId), 'page.remove', slug, (state) => removePage(state, slug)) };
    },

    async sweepAccess(projectId, before) {
      const swept = (now: number): DomainEvent => ({ type: 'access.swept', data: { before: Math.min(before, now) } });
      return { revision: await commit(await open(projectId), 'access.sweep', (_, now) => ({ events: [swept(now)] })) };
    },

    async sweepAnswers(projectId, before) {
      const swept = (now: number): DomainEvent => ({ type: 'answers.swept', data: { before: Math.min(before, now) } });
      return { revision: await commit(await open(projectId), 'answers.sweep', (_, now) => ({ events: [swept(now)] })) };
    },

    async show(projectId) {
      const { authority } = await open(projectId);
      if (!authority) throw refusal('NOT_FOUND', `No project ${projectId}`);
      return authority;
    },
  };
}

/** Answers the project's revision after the commit. Throws the refusals of `decide`. */
async function commit(
  project: Project,
  cause: string,
  decide: (ctx: DecisionContext, now: number) => { readonly events: readonly DomainEvent[] },
  { message, ticket }: SaidWhy = {},
): Promise<number> {
  const said = { message: accepted(readLine('message', message)), ticket: accepted(readLine('ticket', ticket)) };
  const outcome = await project.execute({
    commandId: newCommandId(),
    cause,
    actor: { kind: 'operator' },
    decide: (ctx, now) => ({ events: withWhy(decide(ctx, now).events, said), answer: null }),
  });
  return outcome.revision;
}

function change(
  project: Project,
  cause: string,
  decide: (state: AuthorityState | null) => ProjectDecision | Refusal,
  said?: SaidWhy,
): Promise<number> {
  return commit(project, cause, (ctx) => accepted(decide(ctx.read(AUTHORITY))), said);
}

async function changePage(
  project: Project,
  cause: string,
  slug: string,
  decide: (state: PageState | null) => DomainEvent | Refusal,
): Promise<number> {
  if (!isPageSlug(slug))
    throw refusal('VALIDATION_FAILED', 'A page name is 1 to 64 lower-case letters, digits, _ or -, starting with a letter or digit');
  return commit(project, cause, (ctx) => {
    // A page needs an existing project.
    if (ctx.read(AUTHORITY)?.deleted !== false) throw refusal('NOT_FOUND', `No project ${project.id}`);
    return { events: [accepted(decide(ctx.read(pageSubject(slug))))] };
  });
}

/** A project id: URL-safe, without capitals, and hard to guess (20 letters and digits). */
function newProjectId(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  return `p${Array.from(randomBytes(19), (byte) => alphabet[byte % alphabet.length]).join('')}`;
}
