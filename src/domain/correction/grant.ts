import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent, ProjectEvent } from '../events.ts';
import type { GrantPhase, GrantPlayerState, GrantState, Told } from '../states.ts';
import type { Policy } from './three-way.ts';

/**
 * A grant: support gives something to many players. Its list is stored first and never changes. Each player is served in a commit of his
 * own, which holds the fact (`grant.served`): so whoever drives the grant, also twice at once or after a crash, serves nobody twice.
 */

/** A grant after one of its events. */
export function evolveGrant(state: GrantState | null, { type, data, metadata }: ProjectEvent): GrantState | null {
  if (type === 'grant.begun') {
    const { collection, ops, players } = data;
    return { collection, ops, players, ...toldIn(data), phase: 'listing', actor: metadata.actor, begunAt: metadata.recordedAt };
  }
  if (type !== 'grant.moved' || state === null) return state;
  const { phase, policy, reason } = data;
  if (policy === undefined || reason === undefined) return { ...state, phase };
  return { ...state, phase, undo: { ...toldIn({ ...data, reason }), policy } };
}

/** What a grant did for a player, after one of its events. */
export function evolveGrantPlayer(state: GrantPlayerState | null, { type, data }: ProjectEvent): GrantPlayerState | null {
  return type === 'grant.served' ? { is: data.is } : state;
}

function toldIn({ reason, ticket }: { readonly reason: string; readonly ticket?: string | undefined }): Told {
  return ticket === undefined ? { reason } : { reason, ticket };
}

/** The phases in which players are waiting to be served. */
export const DRIVEN: readonly GrantPhase[] = ['giving', 'taking'];

/** The phase that follows when nobody is waiting any more; `null`: none. */
export function phaseAfter(phase: GrantPhase): GrantPhase | null {
  if (phase === 'giving') return 'given';
  return phase === 'taking' ? 'taken' : null;
}

/** Whether a player is still to be served in this phase. */
export function isDue(phase: GrantPhase, player: GrantPlayerState | null): boolean {
  if (phase === 'giving') return player === null;
  return phase === 'taking' && player?.is === 'given';
}

type Moved = Extract<DomainEvent, { readonly type: 'grant.moved' }>;

/** Stops a grant, or its undoing, where it is. */
export function stopGrant(grant: string, { phase }: GrantState, told: Told): Moved | Refusal {
  if (!DRIVEN.includes(phase)) return refusal('GRANT_PHASE', `Nothing of this grant is under way: ${SAYS[phase]}`);
  return { type: 'grant.moved', data: { grant, phase: 'stopped', ...told } };
}

/** Goes on to give to whoever is not served yet. */
export function resumeGrant(grant: string, { phase, undo }: GrantState, told: Told): Moved | Refusal {
  if (phase !== 'stopped') return refusal('GRANT_PHASE', `This grant was not stopped: ${SAYS[phase]}`);
  if (undo) return refusal('GRANT_PHASE', 'This grant was stopped while it was taken back: undoing it once more goes on with that');
  return { type: 'grant.moved', data: { grant, phase: 'giving', ...told } };
}

/** Takes a grant back from everybody who got it. */
export function undoGrant(grant: string, { phase }: GrantState, policy: Policy, told: Told): Moved | Refusal {
  if (phase === 'listing') return refusal('NOTHING_TO_UNDO', `This grant gave nothing: ${SAYS.listing}`);
  if (phase === 'taking' || phase === 'taken') return refusal('ALREADY_UNDONE', `This grant is undone already: ${SAYS[phase]}`);
  return { type: 'grant.moved', data: { grant, phase: 'taking', policy, ...told } };
}

const SAYS: Readonly<Record<GrantPhase, string>> = {
  listing: 'its list of players was never whole',
  giving: 'it is being given',
  given: 'it was given to everybody who could get it',
  stopped: 'it was stopped',
  taking: 'it is being taken back',
  taken: 'it was taken back',
};
