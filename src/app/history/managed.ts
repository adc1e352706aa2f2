import type * as contract from '../../contract/answers.ts';
import { differences } from '../../domain/correction/differences.ts';
import type { ProjectEvent } from '../../domain/events.ts';
import { allows } from '../../domain/project/permissions.ts';
import { ownQuotas } from '../../domain/project/quotas.ts';
import { projectSettings, type Settable, withChanges } from '../../domain/project/settings.ts';
import type { AccessKey, ApiKey, AuthorityState } from '../../domain/states.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';
import { became, firstFields, shownFields } from './shown-fields.ts';

/** What commits changed of the project itself: its settings, keys and pages; which alarm they raised. */

export type Managed = NonNullable<contract.Commits['commits'][number]['managed']>;

/** What is told of one change, and how long a value may be: alarms are a list. */
const FIELDS = 20;
const FIELD_BYTES = 1_024;

/** Of each commit that changed any: to whoever may read settings, and of alarms the economy. By its last revision. */
export async function managedOf(
  past: Past,
  project: Project,
  key: AccessKey,
  commits: readonly Commit[],
): Promise<ReadonlyMap<number, Managed>> {
  const told = new Map<number, Managed>();
  for (const { first, last, events } of commits) {
    const managing = events.filter(isManaging).filter(({ type }) => allows(key, type === 'alarm.raised' ? 'economy' : 'settings', 'r'));
    if (managing.length === 0) continue;
    // Keys of a new project come with it.
    const before = managing.some(needsBefore) && first > 0 ? await authorityBefore(past, project, first) : null;
    told.set(last, managedBy(managing, before));
  }
  return told;
}

type Managing = Extract<ProjectEvent, { readonly type: 'settings.changed' | 'alarm.raised' | `key.${string}` | `page.${string}` }>;

function isManaging(event: ProjectEvent): event is Managing {
  const { type } = event;
  return type === 'settings.changed' || type === 'alarm.raised' || type.startsWith('key.') || type.startsWith('page.');
}

function needsBefore({ type }: ProjectEvent): boolean {
  return type === 'settings.changed' || type === 'key.changed' || type === 'key.revoked';
}

/** `null`: it is not known, because it was redacted, or reading it took too long. */
async function authorityBefore(past: Past, project: Project, revision: number): Promise<AuthorityState | null> {
  try {
    return await past.authorityAt(project, revision - 1);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function managedBy(events: readonly Managing[], authority: AuthorityState | null): Managed {
  let settings: Settable | null = authority;
  const keys = new Map(authority?.keys);
  return events.map((event): Managed[number] => {
    switch (event.type) {
      case 'settings.changed': {
        const before = settings;
        settings = before === null ? null : withChanges(before, event.data.changes);
        return { what: 'settings', change: 'changed', ...settingFields(before, settings, event.data.changes) };
      }
      case 'key.issued': {
        const { keyId, label, kind, permissions } = event.data;
        const fields = differences({ permissions: {} }, { permissions: permissions ?? {} });
        return { what: 'key', change: 'made', id: keyId, called: label === '' ? kind : label, ...shownFields(fields, FIELDS, FIELD_BYTES) };
      }
      case 'key.changed': {
        const { keyId, enabled, permissions } = event.data;
        const before = keys.get(keyId);
        const changes = { ...(enabled === undefined ? {} : { enabled }), ...(permissions === undefined ? {} : { permissions }) };
        const [old, now] = before === undefined ? [{}, changes] : [may(before), may({ ...before, ...changes })];
        return { what: 'key', change: 'changed', ...named(keyId, before), ...shownFields(differences(old, now), FIELDS, FIELD_BYTES) };
      }
      case 'key.revoked':
        return { what: 'key', change: 'removed', ...named(event.data.keyId, keys.get(event.data.keyId)) };
      case 'alarm.raised': {
        // For which player most came in is told by the list of alarms: whose data commits show is recorded by the players that they name.
        const { alarm, amount, threshold, currency, source, window } = event.data;
        const of = { currency, ...(source === undefined ? {} : { source }), window };
        const fields = Object.entries({ amount, threshold, ...of }).map((each) => became(each, FIELD_BYTES));
        return { what: 'alarm', change: 'made', called: alarm, ...firstFields(fields, FIELDS) };
      }
      case 'page.saved':
        return { what: 'page', change: 'changed', id: event.data.slug, called: event.data.title };
      case 'page.removed':
        return { what: 'page', change: 'removed', id: event.data.slug };
      default:
        return event satisfies never;
    }
  });
}

function named(keyId: string, key: ApiKey | undefined): { readonly id: string; readonly called?: string } {
  return key === undefined ? { id: keyId } : { id: keyId, called: key.label === '' ? key.kind : key.label };
}

function may({ enabled, permissions }: Pick<ApiKey, 'enabled' | 'permissions'>): JsonObject {
  return { enabled, permissions };
}

/** As `GET settings` tells them, with what is not set as what holds then. */
function settingFields(before: Settable | null, after: Settable | null, changes: JsonObject): Pick<Managed[number], 'fields' | 'more'> {
  if (before !== null && after !== null) return shownFields(differences(told(before), told(after)), FIELDS, FIELD_BYTES);
  return firstFields(
    Object.entries(changes).map((each) => became(each, FIELD_BYTES)),
    FIELDS,
  );
}

function told({ name, settings }: Settable): JsonObject {
  return { name, ...projectSettings(settings), quotas: { ...ownQuotas(settings) } };
}
