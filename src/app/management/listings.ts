import type * as contract from '../../contract/answers.ts';
import { SCOPES } from '../../contract/credentials.ts';
import { listDefinitions, listGameValues, listRateLimitRules } from '../../domain/definition/pull/listing.ts';
import { diffDefinitions } from '../../domain/definition/release/promote.ts';
import { NO_RELEASE } from '../../domain/definition/release/release.ts';
import type { DefinitionKind, PublishTarget } from '../../domain/events.ts';
import { type ListedKind, STAGED_KINDS } from '../../domain/kinds.ts';
import { scopesOf } from '../../domain/project/permissions.ts';
import { RELEASE } from '../../domain/subjects.ts';
import { isDatabaseOutage } from '../../kernel/outage.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Building } from '../ports/boards.ts';
import type { Project } from '../project/project.ts';
import { findKey } from '../security/authenticate.ts';
import { shownStep } from './shown-release.ts';

/** What a manager reads: definitions, how what is staged differs from live, and whether its keys are good. */
export interface Listings {
  list(caller: Caller, kind: ListedKind, options: ListingOf): Promise<ManageAnswer<contract.Listing>>;
  gameValues(caller: Caller, options: ListingOf): Promise<ManageAnswer<contract.StoredValues>>;
  rateLimitRules(caller: Caller, options: ListingOf): Promise<ManageAnswer<contract.StoredRules>>;
  validate(caller: Caller, publicKey: string | null): Promise<ManageAnswer<contract.Validated>>;
  diff(caller: Caller): Promise<ManageAnswer<contract.Difference>>;
}

/** Options of a listing. `target` null: the request named none. */
export interface ListingOf {
  readonly includeStaged: boolean;
  readonly target: PublishTarget | null;
}

export function createListings(context: AppContext): Listings {
  return {
    async list(caller, kind, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, kind, options);
      const listed = listDefinitions(state, kind, listing);
      const building = kind === 'query' || kind === 'collection' ? await buildingOf(context, project.id, kind) : [];
      return { ...positioned(context, project, caller), result: building.length === 0 ? listed : { ...listed, building } };
    },

    async gameValues(caller, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, 'game-values', options);
      return { ...positioned(context, project, caller), result: listGameValues(state, listing) };
    },

    async rateLimitRules(caller, options) {
      const project = await projectOf(context, caller);
      const { state, listing } = listingIn(project, caller, 'rate-limit-rules', options);
      return { ...positioned(context, project, caller), result: listRateLimitRules(state, listing) };
    },

    async diff(caller) {
      const project = await projectOf(context, caller);
      const { state, key } = accessAt(project, caller, 'next');
      for (const kind of STAGED_KINDS) requirePermissions(key, scopesOf(kind), 'r');
      const { stagedBy } = (await project.read(RELEASE)).state ?? NO_RELEASE;
      const { changes, ...difference } = diffDefinitions(state);
      const steps = (kind: string, id: string) => stagedBy[`${kind}/${id}`] ?? [];
      await context.people.know(changes.flatMap(({ kind, id }) => steps(kind, id).map(({ by }) => by)));
      const shown = changes.map((change) => ({
        ...change,
        stagedBy: steps(change.kind, change.id).map((step) => shownStep(context, project, step)),
      }));
      return { ...positioned(context, project, caller), result: { ...difference, changes: shown } };
    },

    async validate(caller, publicKey) {
      const project = await projectOf(context, caller);
      const { authority, key } = accessAt(project, caller, 'live');
      const found = publicKey === null ? null : findKey(project, publicKey);
      const publicOk = found?.kind === 'public' && found.enabled;
      const publicMessage = publicKey === null ? 'Not provided' : publicOk ? 'Valid' : 'Invalid';
      // No `error` member, not even null: a dedicated server takes its presence for a refusal.
      const result: contract.Validated = {
        ok: publicKey === null || publicOk,
        project: { id: authority.projectId, title: authority.name, name: authority.name, settings: { enabled: true } },
        checks: {
          projectId: { ok: true, message: 'Found' },
          secretKey: { ok: true, message: 'Valid' },
          publicKey: { ok: publicOk, message: publicMessage },
        },
        ...(key.permissions === null ? {} : { permissions: allScopes(key.permissions) }),
      };
      return { ...positioned(context, project, caller), result };
    },
  };
}

/** A listing, for a key that may read definitions of this kind. */
function listingIn(project: Project, caller: Caller, kind: DefinitionKind, options: ListingOf) {
  const { state, key, settings } = accessAt(project, caller, options.target ?? 'live');
  requirePermissions(key, scopesOf(kind), 'r');
  const { endpointRateLimits } = settings;
  return { state, listing: { ...options, projectId: caller.projectId, endpointRateLimits: endpointRateLimits ?? null } };
}

/** The queries or lists that answer `BUILDING`, and how far they are. Beside the items, because editors compare those with files. */
async function buildingOf(
  { views }: AppContext,
  projectId: string,
  kind: Building['kind'],
): Promise<NonNullable<contract.Listing['building']>> {
  // Definitions are listed from memory, even while the database is away.
  const buildings = await views.building(projectId).catch((error: unknown) => {
    if (isDatabaseOutage(error)) return [];
    throw error;
  });
  // A query may have a second board in `next`; the one that lags counts.
  const least = new Map<string, number>();
  for (const { ids, fraction } of buildings.filter((one) => one.kind === kind))
    for (const id of ids) least.set(id, Math.min(fraction, least.get(id) ?? 1));
  return [...least].map(([id, fraction]) => ({ id, fraction: Math.floor(fraction * 1_000) / 1_000 }));
}

/** The editor's setup window expects a text for every scope. */
function allScopes(permissions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(SCOPES.map((scope): [string, string] => [scope, permissions[scope] || 'none']));
}
