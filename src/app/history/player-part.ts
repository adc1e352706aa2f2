import type * as contract from '../../contract/answers.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import type { Moment } from '../past/commits.ts';
import type { Project } from '../project/project.ts';
import type { HistoryContext } from './moments.ts';

/** What the parts of a player's page share. */

/** What the parts add to the page. */
export type Shown = Partial<Omit<contract.PlayerPage, 'ok' | 'player' | 'at' | 'leftOut' | 'links'>>;

/** A player who is looked at. */
export interface Looked {
  readonly context: HistoryContext;
  readonly project: Project;
  /** With the definitions of the moment. */
  readonly access: SharedAccess;
  readonly player: string;
  /** Whether whoever asks may see what documents hold. */
  readonly readsDocuments: boolean;
  /** `null`: now. */
  readonly moment: Moment | null;
  /** Where a part goes on. */
  readonly after: string | null;
  /** Items of each list. */
  readonly limit: number;
}

/** A path under the storage of the project. */
export function storagePath({ project }: Pick<Looked, 'project'>, ...parts: readonly string[]): string {
  return pathOf('storage', project.id, ...parts);
}

/** A path of the project in a family of routes. */
export function pathOf(family: string, ...parts: readonly string[]): string {
  return ['/v3', family, ...parts.map(encodeURIComponent)].join('/');
}

/** The path of the page that shows one part, from its beginning or after an item. */
function partPath({ project, player, moment }: Looked, part: string, after?: string): string {
  const query = new URLSearchParams({
    part,
    ...(moment === null ? {} : { at: String(moment.revision) }),
    ...(after === undefined ? {} : { after }),
  });
  return `${pathOf('manage', project.id, 'players', player)}?${query}`;
}

/** A list of which one item more than fits was read. `place`: where the next page goes on behind an item. */
export function pageOf<Item>(looked: Looked, part: string, found: readonly Item[], place: (item: Item) => string) {
  const items = found.slice(0, looked.limit);
  const last = items.at(-1);
  const more = found.length > items.length && last !== undefined ? { more: partPath(looked, part, place(last)) } : {};
  return { items, about: { ...more, link: partPath(looked, part) } };
}
