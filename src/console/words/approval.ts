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

function deciderOf({ decided }: Pick<ApprovalSaid, 'decided'>): string {
  return decided === null ? 'Somebody' : whoActed(decided.by);
}

/** What somebody did that makes what was asked for, or scheduled, void. */
export const VOIDING = {
  staged: 'staged something afterwards',
  discarded: 'took something staged back afterwards',
  live: 'changed what is live afterwards',
} as const;
const ENDING = { ...VOIDING, used: 'made it live', withdrawn: 'withdrew it' } as const;

/** What became of it, as a sentence. */
export function approvalSentence({ phase, asked, decided, ended }: Omit<ApprovalSaid, 'action'>): string {
  const who = whoActed(asked.by);
  const decider = deciderOf({ decided });
  switch (phase) {
    case 'asked':
      return `${who} asks for approval.`;
    case 'approved':
      return `${decider} approved exactly this. It can be made live now.`;
    case 'declined':
      return `${decider} declined what ${who} asked for.`;
    case 'void':
      return `What ${who} asked for is void: ${ended === null ? 'something changed' : `${whoActed(ended.by)} ${ENDING[ended.why]}`}. It has to be asked for anew.`;
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
  /** How much of it waits for this person. */
  readonly due: number;
}

/** What waits for this person to approve it. The server decides: who staged a part of it may not. */
export function toApprove<Asked extends ApprovalSaid>(open: readonly Asked[], { person, mayApprove }: Omit<Waiter, 'mayPublish'>) {
  return mayApprove ? open.filter(({ phase, asked }) => phase === 'asked' && asked.by.person !== person) : [];
}

/** Who waits in a project for whom, by what this person does about it first; `null`: nobody waits. */
export function waitingSaid(open: readonly ApprovalSaid[], waiter: Waiter): Waiting | null {
  const { person, mayPublish } = waiter;
  const isOwn = ({ asked }: ApprovalSaid) => asked.by.person === person;
  const asked = open.filter(({ phase }) => phase === 'asked');
  const theirs = toApprove(open, waiter);
  const approved = open.find(({ phase }) => phase === 'approved');
  if (theirs.length > 0) return { short: 'needs you', whole: `${askersOf(theirs)} for your approval`, due: theirs.length };
  if (mayPublish && approved !== undefined) {
    const whose = isOwn(approved) ? 'you' : whoActed(approved.asked.by);
    return { short: 'approved', whole: `${deciderOf(approved)} approved what ${whose} asked for: it is not live yet`, due: 1 };
  }
  if (asked.some(isOwn)) return { short: 'you asked', whole: 'You wait for another person’s approval', due: 0 };
  if (asked.length === 0) return null;
  return { short: 'asked', whole: `${askersOf(asked)} for another person’s approval`, due: 0 };
}

/** `mia waits`, `mia and oleg wait` */
function askersOf(asked: readonly ApprovalSaid[]): string {
  const names = [...new Set(asked.map(({ asked: { by } }) => whoActed(by)))];
  return `${names.join(' and ')} ${names.length === 1 ? 'waits' : 'wait'}`;
}

/** The newest that a person asked for, while it waits, and once somebody else did something with it; `null`: there is nothing to tell. */
export function ownAsked<Approval extends ApprovalSaid>(newest: readonly Approval[], person: string): Approval | null {
  const own = newest.find(({ asked }) => asked.by.person === person);
  if (own === undefined || own.phase === 'bypassed') return null;
  return (own.ended ?? own.decided)?.by.person === person ? null : own;
}

/** After so long the history alone tells it, ms. */
const NEWS_MS = 24 * 3_600_000;

/** Whether whoever asked is still told of it above every page. */
export function isNews({ asked, decided, ended }: Pick<ApprovalSaid, 'asked' | 'decided' | 'ended'>, now: number): boolean {
  return now - Date.parse((ended ?? decided ?? asked).at) < NEWS_MS;
}

/** Who approved it and made it live, before what that changed: of a roll back, that it is undone. */
export function madeLiveSaid({ action, decided, ended }: Pick<ApprovalSaid, 'action' | 'decided' | 'ended'>): string {
  const [decider, maker] = [decided, ended].map((step) => (step === null ? 'somebody' : whoActed(step.by)));
  if (action === 'rollback') return `${decider} approved the undo${decider === maker ? ' and' : `, and ${maker}`} did it`;
  return `${decider} approved it${decider === maker ? ' and' : `, and ${maker}`} made it live`;
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
  if (stagers.some(isReader)) return `You staged ${stagers.every(isReader) ? '' : 'a part of '}this, so another person has to approve it.`;
  const areKnown = stagers.length > 0 && stagers.every(({ kind }) => kind === 'person');
  if (!areKnown && isReader(asked.by))
    return action === 'promote'
      ? 'A key staged a part of this and you asked for it, so another person has to approve it.'
      : 'You asked for this, so another person has to approve it.';
  return reader.mayApprove ? null : 'Your role does not approve: managers and owners do.';
}
