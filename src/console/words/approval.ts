import { whoOf } from './commit.ts';

/** What a second person is asked about, in words. */

export interface ActorSaid {
  readonly kind: string;
  readonly label?: string | null;
  readonly person?: string;
  readonly keyId?: string;
}

interface Step {
  readonly by: ActorSaid;
  readonly at: string;
}

export interface ApprovalSaid {
  readonly action: 'promote' | 'rollback';
  readonly phase: 'asked' | 'approved' | 'declined' | 'withdrawn' | 'void' | 'used' | 'bypassed';
  readonly asked: Step;
  readonly decided: Step | null;
  readonly ended: (Step & { readonly why: 'staged' | 'discarded' | 'live' | 'used' | 'withdrawn' }) | null;
}

/** A person or a key by its name. */
export function whoActed({ label, ...actor }: ActorSaid): string {
  return whoOf({ actor: { ...actor, ...(label == null ? {} : { label }) } });
}

const VOIDED = {
  staged: 'staged something afterwards',
  discarded: 'took something staged back afterwards',
  live: 'changed what is live afterwards',
  used: 'made it live',
  withdrawn: 'withdrew it',
} as const;

/** What became of it, as a sentence. */
export function approvalSentence({ action, phase, asked, decided, ended }: ApprovalSaid): string {
  const who = whoActed(asked.by);
  const decider = decided === null ? 'Somebody' : whoActed(decided.by);
  switch (phase) {
    case 'asked':
      return `${who} asks for a second person’s approval.`;
    case 'approved':
      return `${decider} approved exactly this. It can be ${action === 'promote' ? 'made live' : 'rolled back'} now.`;
    case 'declined':
      return `${decider} declined what ${who} asked for.`;
    case 'void':
      return `What ${who} asked for is void: ${ended === null ? 'something changed' : `${whoActed(ended.by)} ${VOIDED[ended.why]}`}. It has to be asked for anew.`;
    case 'withdrawn':
      return `${ended === null ? who : whoActed(ended.by)} withdrew what ${who} had asked for.`;
    case 'used':
      return `${who} asked, ${decider} approved.`;
    case 'bypassed':
      return `Nobody approved this: ${who} went past the second person as an owner.`;
  }
}

/** Whether a person or the publish that a person approved is waited for. */
export function isOpen({ phase }: Pick<ApprovalSaid, 'phase'>): boolean {
  return phase === 'asked' || phase === 'approved';
}

interface Waiter {
  /** The person's id. */
  readonly person: string;
  readonly mayApprove: boolean;
  readonly mayPublish: boolean;
}

/** What waits, as a menu has room for it, and whole. */
export interface Waiting {
  readonly short: string;
  readonly whole: string;
}

/** What waits in a project, by what this person does about it first; `null`: nothing waits. */
export function waitingSaid(open: readonly ApprovalSaid[], { person, mayApprove, mayPublish }: Waiter): Waiting | null {
  const asked = open.filter(({ phase }) => phase === 'asked');
  const toApprove = asked.filter(({ asked: { by } }) => by.person !== person);
  const approved = open.filter(({ phase }) => phase === 'approved');
  const said = (count: number, short: string, whole: string) => ({ short: `${count} ${short}`, whole: `${count} ${whole}` });
  if (mayApprove && toApprove.length > 0) return said(toApprove.length, 'for you', 'to approve');
  if (mayPublish && approved.length > 0) return said(approved.length, 'ready', 'approved, and not live yet');
  return asked.length > 0 ? said(asked.length, 'asked', 'that another person has to approve') : null;
}

/** Whether it was about what is live by now. */
export function isOver({ phase }: Pick<ApprovalSaid, 'phase'>): boolean {
  return phase === 'used' || phase === 'bypassed';
}

interface Reader {
  /** The person's id. */
  readonly person: string;
  readonly mayApprove: boolean;
}

/**
 * Why the page does not offer a person to approve; `null`: it does. The server decides: who staged a part of it does not approve, nor who
 * asked, where nobody who is known staged it.
 */
export function whyNotApprove({ action, asked }: ApprovalSaid, authors: readonly ActorSaid[], reader: Reader): string | null {
  const isReader = ({ kind, person }: ActorSaid) => kind === 'person' && person === reader.person;
  const stagers = action === 'promote' ? authors : [];
  if (stagers.some(isReader)) return 'You staged a part of this, so another person has to approve it.';
  const areKnown = stagers.length > 0 && stagers.every(({ kind }) => kind === 'person');
  if (!areKnown && isReader(asked.by))
    return action === 'promote'
      ? 'A key staged a part of this and you asked for it, so another person has to approve it.'
      : 'You asked for this, so another person has to approve it.';
  return reader.mayApprove ? null : 'Your role does not approve: managers and owners do.';
}
