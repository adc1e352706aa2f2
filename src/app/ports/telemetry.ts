import type { ListedEvent } from '../../domain/telemetry/listing.ts';
import type { PlayerProfile, PlayerStats } from '../../domain/telemetry/player.ts';

/** What is read of telemetry. */

/** Reports are in the order of their times, and of one time in that of the stream. */
export interface ReportPlace {
  /** Unix ms. */
  readonly at: number;
  readonly revision: number;
}

interface ReportPage {
  readonly before: ReportPlace;
  /** Unix ms. */
  readonly from: number;
  readonly limit: number;
}

/** A listed event of telemetry. `revision`: of the project's telemetry stream. */
export interface ReportRow extends Omit<ListedEvent, 'category'> {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
}

export interface NamedPlayer {
  readonly platformId: string;
  readonly name: string;
  /** Unix ms. */
  readonly lastSeen: number;
  /** `null`: offline. */
  readonly onlineUntil: number | null;
}

/** What telemetry adds up to. `revision`: that of the project's telemetry stream which is shown, −1 before the first event. */
export interface TelemetryReader {
  player(
    projectId: string,
    platformId: string,
  ): Promise<{ readonly revision: number; readonly stats: PlayerStats | null; readonly profile: PlayerProfile | null }>;
  /** Presence of these players. */
  profiles(projectId: string, players: readonly string[]): Promise<ReadonlyMap<string, PlayerProfile>>;
  /** Players of live whose name begins so, whatever the letter case, in the order of their names. */
  named(projectId: string, beginning: string, limit: number): Promise<readonly NamedPlayer[]>;
  /** What was reported of a player before a place and not before a time, newest first. */
  reports(projectId: string, platformId: string, page: ReportPage): Promise<readonly ReportRow[]>;
}
