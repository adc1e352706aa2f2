import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { currentRevision } from '../project/package.ts';
import type { ProjectSettings } from '../project/settings.ts';
import type { GamePackage } from '../states.ts';

/** Whether a client's revision is too old, and what follows from that. The client's own opinion does not count. */

type RevisionAction = 'warn' | 'block_writes' | 'block_all';

export interface RevisionStatus {
  readonly outdated: boolean;
  /** `null`: unknown, and outdated because of a test setting. */
  readonly player: number | null;
  readonly current: number;
  readonly action: RevisionAction | null;
  readonly graceExpired: boolean;
  /** `null`: no grace period is running. */
  readonly graceRemainingMinutes: number | null;
  /** When the grace period of an outdated game ends or ended, unix ms; `null`: never. */
  readonly graceEndsAt: number | null;
  readonly settings: ProjectSettings;
}

/** What a request says of the game that sent it. */
export interface ClientFacts {
  /** `null`: none, or an invalid one. */
  readonly revision: number | null;
  /** `game`, `editor`, `dedicated`, or whatever else was sent. */
  readonly clientType: string | null;
}

/** A revision as clients send it in JSON. 0 and invalid values mean none. */
export function revisionIdOf(value: Json | undefined): number | null {
  const revision = isNumber(value) ? toDouble(value) : 0;
  return Number.isSafeInteger(revision) && revision > 0 ? revision : null;
}

const MINUTE_MS = 60_000;

/** The status of a game's revision; `null`: nothing is known or enforced, so nothing is reported or blocked. `now` in unix ms. */
export function revisionStatus(
  settings: ProjectSettings,
  known: GamePackage | null,
  { revision, clientType }: ClientFacts,
  now: number,
): RevisionStatus | null {
  if (!settings.revisionEnforcementEnabled || known === null) return null;
  const current = currentRevision(known);
  if (current === null) return null;
  const tested = isTested(settings, clientType);
  if (revision === null && !tested) return null;
  const status = { player: revision, current, settings };
  if (!tested && revision !== null && revision >= current) {
    return { ...status, outdated: false, action: null, graceExpired: false, graceRemainingMinutes: null, graceEndsAt: null };
  }
  return { ...status, outdated: true, ...consequence(settings, known.publishedAt, now) };
}

/** Whether a test setting makes this client see what an outdated game sees. */
function isTested(settings: ProjectSettings, clientType: string | null): boolean {
  if (clientType === 'editor') return settings.revisionTestOutdatedEditor;
  return settings.revisionTestOutdatedLive && (clientType === 'game' || clientType === 'dedicated');
}

type Consequence = Pick<RevisionStatus, 'action' | 'graceExpired' | 'graceRemainingMinutes' | 'graceEndsAt'>;

const NO_END: Consequence = { action: 'warn', graceExpired: false, graceRemainingMinutes: null, graceEndsAt: null };

function consequence(settings: ProjectSettings, since: number, now: number): Consequence {
  if (settings.revisionEnforcementMode === 'allow_continue') return NO_END;
  const graceEndsAt = since + graceMs(settings);
  const left = graceEndsAt - now;
  if (left > 0) return { action: 'warn', graceExpired: false, graceRemainingMinutes: Math.ceil(left / MINUTE_MS), graceEndsAt };
  return { action: settings.revisionPostGraceAction, graceExpired: true, graceRemainingMinutes: 0, graceEndsAt };
}

function graceMs({ revisionGracePeriodMinutes }: ProjectSettings): number {
  return (revisionGracePeriodMinutes ?? 0) * MINUTE_MS;
}

/** Whether an outdated game may no longer do this. */
export function isBlocked(status: RevisionStatus, access: 'read' | 'write'): boolean {
  return status.action === 'block_all' || (status.action === 'block_writes' && access === 'write');
}

/** The `_revisionStatus` of an endpoint's answer. Clients need exactly these names and types, or they lose the whole answer. */
export function revisionStatusBody(status: RevisionStatus): JsonObject {
  const { settings, graceRemainingMinutes } = status;
  return {
    isOutdatedRevision: status.outdated,
    ...(status.player === null ? {} : { playerRevision: status.player }),
    currentRevision: status.current,
    ...(graceRemainingMinutes === null ? {} : { graceRemainingMinutes }),
    graceExpired: status.graceExpired,
    action: status.action,
    message: status.outdated ? revisionMessage(status) : null,
    enforcementMode: settings.revisionEnforcementMode,
    policy: {
      gracePeriodMinutes: settings.revisionGracePeriodMinutes,
      postGraceAction: settings.revisionPostGraceAction,
      forceEndpointUpgrade: settings.revisionForceEndpointUpgrade,
      notifyMessage: settings.revisionNotifyMessage,
      showUpdateOptions: settings.revisionShowUpdateOptions,
      showPopupOnce: settings.revisionShowPopupOnce,
      showDefaultMessage: settings.revisionShowDefaultMessage,
      enforcementMode: settings.revisionEnforcementMode,
    },
  };
}

/**
 * The `revision` block in the answer with which a game loads a profile. Whole numbers only, or the client loses the answer. `null` if the
 * game's own revision is unknown. `now` in unix ms.
 */
export function loadProfileBlock({ player, outdated, current, graceEndsAt, settings }: RevisionStatus, now: number): JsonObject | null {
  if (player === null) return null;
  return {
    revisionOutdated: outdated,
    currentRevisionId: player,
    latestRevisionId: current,
    graceSeconds: graceEndsAt === null ? 0 : graceMs(settings) / 1000,
    graceEndsAtUnixSeconds: graceEndsAt === null ? null : Math.floor(graceEndsAt / 1000),
    serverUnixSeconds: Math.floor(now / 1000),
  };
}

/** The message for players: the project's own text, if it has one. */
export function revisionMessage({ settings, graceExpired }: RevisionStatus): string {
  if (settings.revisionNotifyMessage !== '') return settings.revisionNotifyMessage;
  return graceExpired
    ? 'This version of the game is too old. Update it to play on.'
    : 'A newer version of the game is out. Please update it.';
}
