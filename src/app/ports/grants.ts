import type { GrantPlayerState, GrantState } from '../../domain/states.ts';
import type { Json } from '../../kernel/json.ts';

/** What is read of grants. */

/** A grant that somebody has to drive. */
export interface GrantWork {
  readonly project: string;
  readonly grant: string;
  /** Of the event that made its phase. */
  readonly revision: number;
}

export interface GrantRow {
  readonly grant: string;
  readonly state: GrantState;
  /** Revision of its first event. */
  readonly begun: number;
}

/** What became last of a player of a grant. `listed`: nothing yet. */
export type GrantOutcome = GrantPlayerState['is'] | 'listed';

interface GrantShortfall {
  readonly field: string;
  readonly asked: Json;
  readonly moved: Json;
  readonly short: Json;
}

export interface GrantPlayerRow {
  /** Key of the document. */
  readonly player: string;
  /** In the list, from 0. */
  readonly place: number;
  readonly is: GrantOutcome;
  /** Revision at which the player got it. */
  readonly given: number | null;
  /** Of the last event about the player. */
  readonly revision: number;
  readonly told: {
    readonly code?: string;
    readonly why?: string;
    readonly shortfalls?: readonly GrantShortfall[];
    readonly left?: readonly string[];
  };
}

/** How many players there are of each outcome. */
export interface GrantCounts extends Readonly<Record<GrantOutcome, number>> {
  /** By field, how much did not come back, as decimal text. */
  readonly short: readonly { readonly field: string; readonly players: number; readonly short: string }[];
}

export interface GrantReader {
  /** Grants that began before this revision, the newest first. */
  grants(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<readonly GrantRow[]>;
  /** Players of whom this became last, in the order of the list, behind a place. */
  grantPlayers(
    projectId: string,
    grant: string,
    page: { readonly outcome: GrantOutcome; readonly after: number; readonly limit: number },
  ): Promise<readonly GrantPlayerRow[]>;
  grantCounts(projectId: string, grant: string): Promise<GrantCounts>;
}
