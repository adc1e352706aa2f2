import { isObject } from './answer.ts';

/** What the server says of the game's revision, and what a game is told of an outdated one. Pure. */

export interface RevisionPolicy {
  readonly gracePeriodMinutes: number | null;
  readonly postGraceAction: string | null;
  readonly forceEndpointUpgrade: boolean;
  readonly notifyMessage: string | null;
  readonly showUpdateOptions: boolean;
  readonly showPopupOnce: boolean;
  readonly showDefaultMessage: boolean;
}

export interface RevisionStatus {
  /** `grace`: outdated, but still playable for a while. `blocked`: what `action` names is refused. */
  readonly state: 'current' | 'outdated' | 'grace' | 'blocked';
  readonly isOutdated: boolean;
  readonly graceExpired: boolean;
  /** `null`: there is no grace period. */
  readonly graceRemainingMinutes: number | null;
  readonly action: 'warn' | 'block_writes' | 'block_all' | null;
  /** A text for players. */
  readonly message: string | null;
  readonly playerRevision: number | null;
  readonly currentRevision: number | null;
  readonly enforcementMode: 'force_upgrade' | 'allow_continue';
  readonly policy: RevisionPolicy;
}

/** What a game is told of its outdated revision. Times are of the server's clock. */
export interface RevisionOutdated {
  readonly currentRevisionId: number | null;
  readonly latestRevisionId: number | null;
  readonly revisionOutdated: boolean;
  /** Length of the grace period; 0: none. */
  readonly graceSeconds: number;
  readonly graceEndsAtUnixSeconds: number | null;
  readonly serverUnixSeconds: number;
  /** Who said so: the endpoint `load-profile`, another answer, a lobby, or a test of the game. */
  readonly source: 'load-profile' | 'answer' | 'lobby' | 'manual-test';
  readonly reason: 'LoadProfileDetected' | 'AnswerDetected' | 'LobbyMismatch' | 'GraceExpired' | 'ManualTest';
  readonly enforcementMode: RevisionStatus['enforcementMode'];
  readonly message: string | null;
  readonly action: RevisionStatus['action'];
  readonly graceExpired: boolean;
  readonly graceRemainingMinutes: number | null;
  readonly showUpdateOptions: boolean;
  readonly showPopupOnce: boolean;
  /** Seconds until the grace period ends, negative when it has; `null`: there is none. */
  readonly timeRemaining: number | null;
  readonly isGraceExpired: boolean;
}

export type Members = Readonly<Record<string, unknown>>;

/** The status in an answer: its `_revisionStatus`, or else its `revision`, as `load-profile` answers it; `null`: none. */
export function statusIn({ _revisionStatus: raw, revision: profile }: Members): RevisionStatus | null {
  if (isReported(raw)) return statusOf(raw);
  const block = profileIn(profile);
  return block === null ? null : profileStatus(block);
}

/** Whether a `_revisionStatus` is the server's and not the game's. */
export function isReported(raw: unknown): raw is Members {
  return isObject(raw) && typeof raw['isOutdatedRevision'] === 'boolean';
}

/** The member `revision` of `load-profile`, if it is one. */
export function profileIn(block: unknown): Members | null {
  return isObject(block) && typeof block['revisionOutdated'] === 'boolean' ? block : null;
}

function statusOf(raw: Members): RevisionStatus {
  const policy = isObject(raw['policy']) ? raw['policy'] : {};
  return withState({
    isOutdated: raw['isOutdatedRevision'] === true,
    graceExpired: raw['graceExpired'] === true,
    graceRemainingMinutes: number(raw['graceRemainingMinutes']),
    action: actionOf(raw['action']),
    message: text(raw['message']),
    playerRevision: number(raw['playerRevision']),
    currentRevision: number(raw['currentRevision']),
    enforcementMode: raw['enforcementMode'] === 'allow_continue' ? 'allow_continue' : 'force_upgrade',
    policy: {
      gracePeriodMinutes: number(policy['gracePeriodMinutes']),
      postGraceAction: text(policy['postGraceAction']),
      forceEndpointUpgrade: policy['forceEndpointUpgrade'] === true,
      notifyMessage: text(policy['notifyMessage']),
      showUpdateOptions: policy['showUpdateOptions'] !== false,
      showPopupOnce: policy['showPopupOnce'] !== false,
      showDefaultMessage: policy['showDefaultMessage'] !== false,
    },
  });
}

/** The status that the member `revision` of `load-profile` tells. */
export function profileStatus(block: Members): RevisionStatus {
  const [ends, now] = [number(block['graceEndsAtUnixSeconds']), number(block['serverUnixSeconds'])];
  const leftSeconds = ends === null || now === null ? null : ends - now;
  const isOutdated = block['revisionOutdated'] === true;
  const graceExpired = isOutdated && leftSeconds !== null && leftSeconds <= 0;
  const action = isOutdated ? (graceExpired ? 'block_writes' : 'warn') : null;
  const left = leftSeconds === null ? null : Math.max(0, Math.ceil(leftSeconds / 60));
  return statusOf({
    isOutdatedRevision: isOutdated,
    graceExpired,
    action,
    graceRemainingMinutes: left,
    enforcementMode: block['enforcementMode'],
    playerRevision: block['currentRevisionId'],
    currentRevision: block['latestRevisionId'],
    message: block['message'],
  });
}

/** The status with its state made anew. */
function withState(status: Omit<RevisionStatus, 'state'>): RevisionStatus {
  const isBlocking = status.action === 'block_writes' || status.action === 'block_all';
  if (!status.isOutdated) return { ...status, state: 'current' };
  if (isBlocking) return { ...status, state: 'blocked' };
  return { ...status, state: status.graceRemainingMinutes === null ? 'outdated' : 'grace' };
}

/** The status after the server has taken a call without saying anything of revisions: it enforces none any more. */
export function unenforced(status: RevisionStatus): RevisionStatus {
  const nothing = { isOutdated: false, graceExpired: false, graceRemainingMinutes: null, action: null, message: null };
  return withState({ ...status, ...nothing });
}

/** The status of a game that has heard nothing of revisions. */
export const unknownStatus = () => statusOf({});

/** The status after a document route has refused an outdated game. */
export function refusedStatus(before: RevisionStatus | null, isWrite: boolean, message: string): RevisionStatus {
  const action = isWrite && before?.action !== 'block_all' ? 'block_writes' : 'block_all';
  return withState({ ...(before ?? unknownStatus()), isOutdated: true, graceExpired: true, action, message });
}

/** The status after a document route has taken what it was said to block. */
export function unblockedStatus(before: RevisionStatus, isWrite: boolean): RevisionStatus {
  if (before.state !== 'blocked' || (!isWrite && before.action !== 'block_all')) return before;
  return withState({ ...before, action: isWrite ? 'warn' : 'block_writes', graceExpired: !isWrite });
}

/** What the game is told of an outdated status. `answer`: the body that said so; `nowMs`: the server's clock. */
export function outdatedOf(status: RevisionStatus, answer: Members, nowMs: number): RevisionOutdated {
  const { graceExpired, graceRemainingMinutes, policy, enforcementMode, message, action } = status;
  const profile = profileIn(answer['revision']);
  const now = number(profile?.['serverUnixSeconds']) ?? Math.floor(nowMs / 1000);
  const ends = number(profile?.['graceEndsAtUnixSeconds']) ?? (graceRemainingMinutes === null ? null : now + graceRemainingMinutes * 60);
  const timeRemaining = ends === null ? null : ends - now;
  return {
    currentRevisionId: status.playerRevision,
    latestRevisionId: status.currentRevision,
    revisionOutdated: status.isOutdated,
    graceSeconds: number(profile?.['graceSeconds']) ?? (ends === null ? 0 : (policy.gracePeriodMinutes ?? 0) * 60),
    graceEndsAtUnixSeconds: ends,
    serverUnixSeconds: now,
    source: profile === null ? 'answer' : 'load-profile',
    reason: graceExpired ? 'GraceExpired' : profile === null ? 'AnswerDetected' : 'LoadProfileDetected',
    enforcementMode,
    message,
    action,
    graceExpired,
    graceRemainingMinutes,
    showUpdateOptions: policy.showUpdateOptions,
    showPopupOnce: policy.showPopupOnce,
    timeRemaining,
    isGraceExpired: graceExpired || (timeRemaining !== null && timeRemaining <= 0),
  };
}

/** Servers send `block_saves` for `block_writes`, too. */
function actionOf(value: unknown): RevisionStatus['action'] {
  if (value === 'block_saves') return 'block_writes';
  return value === 'warn' || value === 'block_writes' || value === 'block_all' ? value : null;
}

const number = (value: unknown) => (typeof value === 'number' ? value : null);
const text = (value: unknown) => (typeof value === 'string' ? value : null);
