import { notFound, type Refusal, refusal } from '../../../kernel/errors.ts';
import { hashText } from '../../../kernel/hash.ts';
import { stringifyJson } from '../../../kernel/json.ts';
import type { DefinitionChange, DomainEvent } from '../../events.ts';
import { allows } from '../../project/permissions.ts';
import type { ProjectSettings } from '../../project/settings.ts';
import type { AccessKey, ApprovalState, DefinitionsState, ReleaseAction, ReleaseState } from '../../states.ts';
import { layerHash } from '../model/evolve.ts';
import { approvalIn, isOfGame, isOpen, NO_RELEASE } from './release.ts';

/**
 * A second person (the setting `approvals`): nothing goes live that somebody else has not agreed to. An approval is of one difference to
 * one live, and any change of either voids it, which the fold of the publishes says (`release.ts`). So it holds exactly where the append
 * decides.
 */

/** Whether a person may approve, by the roles of now. */
export type IsApprover = (person: string) => boolean;

/** An approval as it counts now: what somebody agreed to who may not approve any more waits for a second person again. */
export function approvalNow(approval: ApprovalState, isApprover: IsApprover): ApprovalState {
  if (approval.phase !== 'approved' || isApprover(approval.decided?.by.person ?? '')) return approval;
  return { ...approval, phase: 'asked', decided: null };
}

/** What stands between `next` and live, with its approvals as they count now. */
export function releaseNow(state: ReleaseState | null, isApprover: IsApprover): ReleaseState | null {
  if (state === null) return null;
  const { promote, rollback } = state.approvals;
  const now = (approval: ApprovalState | null) => approval && approvalNow(approval, isApprover);
  return { ...state, approvals: { promote: now(promote), rollback: now(rollback) } };
}

/** What is to change live. */
interface Releasing {
  readonly action: ReleaseAction;
  /** Of a rollback: the revision of the publish that live is to show again. */
  readonly to: number | null;
  readonly changes: readonly DefinitionChange[];
  /** Of live: {@link baseHash}. */
  readonly base: string;
}

/** Content hash of what players meet: of live without saved tests, which may change meanwhile. */
export function baseHash({ live }: Pick<DefinitionsState, 'live'>): string {
  return layerHash({ ...live, tests: new Map() });
}

/** What an approval names. */
export function differenceHash(changes: readonly DefinitionChange[]): string {
  const lines = changes.map(({ kind, id, hash }) => stringifyJson([kind, id, hash]));
  return hashText(lines.sort().join('\n'));
}

/** Asks for a second person. Refuses with 409: APPROVALS_OFF, NOTHING_TO_APPROVE, or APPROVAL_PHASE where that is asked for already. */
export function askApproval(
  state: ReleaseState | null,
  { approvals }: Pick<ProjectSettings, 'approvals'>,
  approval: string,
  releasing: Releasing | null,
): DomainEvent | Refusal {
  if (approvals === 'off') return refusal('APPROVALS_OFF');
  if (releasing === null || releasing.changes.length === 0) return refusal('NOTHING_TO_APPROVE');
  const { action, to, changes, base } = releasing;
  const open = state?.approvals[action] ?? null;
  if (isOpen(open)) return refusal('APPROVAL_PHASE', `This is asked for already: approval ${open.id}`);
  const what = { approval, action, ...(to === null ? {} : { to }) };
  return { type: 'approval.requested', data: { ...what, difference: differenceHash(changes), base } };
}

/** A person agrees. Refuses keys, and whoever staged a part of it. `isSelf`: whether an id of a person is of who agrees, or was. */
export function giveApproval(
  state: ReleaseState | null,
  id: string,
  key: AccessKey,
  isSelf = (person: string): boolean => person === key.keyId,
): DomainEvent | Refusal {
  const approval = approvalIn(state ?? NO_RELEASE, id);
  if (approval === undefined) return noApproval(id);
  if (approval.phase !== 'asked') return inOtherPhase(approval);
  if (key.kind !== 'person') return refusal('APPROVER_IS_KEY');
  if (isAuthor(state ?? NO_RELEASE, approval, isSelf)) return refusal('APPROVER_IS_AUTHOR');
  const { difference, base } = approval;
  return { type: 'approval.given', data: { approval: id, difference, base } };
}

/** A person does not agree, or no longer. */
export function declineApproval(state: ReleaseState | null, id: string, key: AccessKey): DomainEvent | Refusal {
  const approval = approvalIn(state ?? NO_RELEASE, id);
  if (approval === undefined) return noApproval(id);
  if (!isOpen(approval)) return inOtherPhase(approval);
  return key.kind === 'person' ? { type: 'approval.declined', data: { approval: id } } : refusal('APPROVER_IS_KEY');
}

export function withdrawApproval(state: ReleaseState | null, id: string): DomainEvent | Refusal {
  const approval = approvalIn(state ?? NO_RELEASE, id);
  if (approval === undefined) return noApproval(id);
  return isOpen(approval) ? { type: 'approval.withdrawn', data: { approval: id } } : inOtherPhase(approval);
}

/**
 * Whether a person stands behind a part of what was asked about: staged it, or asked where that is who is known. A key is nobody, so who
 * asked stands for what a key staged; and for a rollback, which nobody staged.
 */
function isAuthor({ stagedBy }: ReleaseState, { action, asked }: ApprovalState, isSelf: (person: string) => boolean): boolean {
  const authors = action === 'promote' ? Object.values(stagedBy).flatMap((steps) => steps.map(({ by }) => by)) : [];
  const isNamed = authors.length > 0 && authors.every(({ kind }) => kind === 'person');
  return [...authors, ...(isNamed ? [] : [asked.by])].some(({ person }) => person !== undefined && isSelf(person));
}

/** Who publishes, and how. */
export interface Gate {
  readonly key: AccessKey;
  /** An owner goes past the second person, and says why. */
  readonly breakGlass: boolean;
  readonly reason: string | null;
  /** Of the approval that nobody gives. */
  readonly id: string;
}

/**
 * The one gate of everything that changes live: the events of a publish, if a second person has agreed to exactly that, else the refusal.
 * An owner who goes past it leaves an event in the same commit.
 */
export function throughGate(
  events: readonly DomainEvent[],
  definitions: Pick<DefinitionsState, 'live'>,
  state: ReleaseState | null,
  { key, breakGlass, reason, id }: Gate,
): readonly DomainEvent[] | Refusal {
  if (events.some(pushesLive)) return pushNotApproved();
  const releasing = releasedBy(events, definitions);
  if (releasing === null || releasing.changes.length === 0) return events;
  const approval = state?.approvals[releasing.action] ?? null;
  if (approval !== null && approves(approval, releasing)) return events;
  if (!breakGlass) return refusal('APPROVAL_NEEDED', needed(approval, releasing));
  if (!mayBreakGlass(key))
    return refusal('FORBIDDEN', 'Only an owner of the project goes past the second person, and as a person: a key cannot');
  if (reason === null) return refusal('INVALID_REQUEST', 'Say why in `message`: the history tells that nobody approved this, and why');
  const { action, to, changes, base } = releasing;
  const what = { approval: id, action, ...(to === null ? {} : { to }), difference: differenceHash(changes), base, reason };
  return [{ type: 'approval.bypassed', data: what }, ...events];
}

/** Whether what is staged may go live as it is. */
export function isApproved(
  state: ReleaseState | null,
  events: readonly DomainEvent[],
  definitions: Pick<DefinitionsState, 'live'>,
): boolean {
  const releasing = releasedBy(events, definitions);
  if (releasing === null || releasing.changes.length === 0) return true;
  const approval = state?.approvals[releasing.action] ?? null;
  return approval !== null && approves(approval, releasing);
}

/** Whether a push changes live at once. Saved tests are of both targets, and nobody plays them. */
export function pushesLive(event: DomainEvent): boolean {
  return event.type === 'definitions.published' && event.data.target === 'live' && event.data.changes.some(isOfGame);
}

/** What a promotion or a rollback among the events releases. */
export function releasedBy(events: readonly DomainEvent[], definitions: Pick<DefinitionsState, 'live'>): Releasing | null {
  for (const event of events) {
    if (event.type === 'definitions.promoted')
      return { action: 'promote', to: null, changes: event.data.changes, base: baseHash(definitions) };
    if (event.type === 'definitions.rolledBack')
      return { action: 'rollback', to: event.data.to, changes: event.data.changes, base: baseHash(definitions) };
  }
  return null;
}

function approves({ phase, difference, base }: ApprovalState, releasing: Releasing): boolean {
  return phase === 'approved' && base === releasing.base && difference === differenceHash(releasing.changes);
}

/** Owners have every letter of the permission. */
function mayBreakGlass(key: AccessKey): boolean {
  return key.kind === 'person' && allows(key, 'approve', 'x');
}

/** Refuses to switch the second person off, but by an owner. The setting would be no rule where whoever it binds could do so. */
export function approvalsKept(
  before: Pick<ProjectSettings, 'approvals'>,
  after: Pick<ProjectSettings, 'approvals'>,
  key: AccessKey,
): Refusal | null {
  if (before.approvals === 'off' || after.approvals !== 'off' || mayBreakGlass(key)) return null;
  return refusal('FORBIDDEN', 'Only an owner of the project, as a person, or the operator switches `approvals` off');
}

/** Refusal of a push that changes live at once. */
export function pushNotApproved(): Refusal {
  return refusal('APPROVAL_NEEDED', STAGE_IT);
}

const STAGE_IT =
  'Nothing was written: in this project nothing goes live without a second person. Push to `next` (x-ns-publish-target: next), then ask for an approval (POST approvals), and promote';

function needed(approval: ApprovalState | null, { action, to }: Releasing): string {
  const body = action === 'promote' ? '{}' : `{"action": "rollback", "to": ${to}}`;
  const ask = `ask for an approval: POST approvals with ${body}, \`savepoint approve ask\`, or the console`;
  const waits = isOpen(approval) && approval.action === action;
  if (waits && approval.phase === 'asked') return `Nothing is changed: approval ${approval.id} waits for a second person`;
  if (waits) return `Nothing is changed: approval ${approval.id} was given for something else; ${ask}`;
  if (approval?.phase === 'void')
    return `Nothing is changed: approval ${approval.id} is void, since ${VOID[approval.ended?.why ?? 'live']}; ${ask}`;
  return `Nothing is changed: nobody else has approved this; ${ask}`;
}

const VOID: Readonly<Record<NonNullable<ApprovalState['ended']>['why'], string>> = {
  staged: 'something was staged afterwards',
  discarded: 'something staged was discarded afterwards',
  live: 'live was changed afterwards',
  used: 'it was used',
  withdrawn: 'it was withdrawn',
};

function noApproval(id: string): Refusal {
  return notFound('approval', `There is no approval ${id} that could be decided; \`GET approvals\` lists all`);
}

function inOtherPhase({ id, phase, ended }: ApprovalState): Refusal {
  const why = phase === 'void' && ended !== null ? `void: ${VOID[ended.why]}. Ask for a new one` : phase;
  return refusal('APPROVAL_PHASE', `Approval ${id} is ${why}`);
}
