import { type ActorSaid, whoActed } from './approval.ts';

/** A promotion at a chosen time, in words. */

interface Step {
  readonly by: ActorSaid;
  readonly at: string;
}

export interface ScheduleSaid {
  readonly phase: 'waiting' | 'withdrawn' | 'void' | 'used' | 'missed';
  readonly scheduled: Step;
  readonly ended: (Step & { readonly why: string; readonly reason?: string; readonly unseen?: readonly string[] }) | null;
}

const CHANGED: Readonly<Record<string, string>> = {
  staged: 'staged something afterwards',
  discarded: 'took something staged back afterwards',
  live: 'changed what is live afterwards',
};

/** What did not go live, and why; `null`: nobody has to be told. */
export function notLive({ phase, scheduled, ended }: ScheduleSaid): string | null {
  if (ended === null) return null;
  const whose = `What ${whoActed(scheduled.by)} scheduled`;
  if (phase === 'missed') return `${whose} did not go live: ${ended.reason ?? 'it was refused'}.`;
  return phase === 'void'
    ? `${whose} is void: ${whoActed(ended.by)} ${CHANGED[ended.why] ?? 'changed it'}. It has to be scheduled anew.`
    : null;
}

/** How long it is told what was not looked at before something went live, ms. */
const TOLD_MS = 86_400_000;

/** What was scheduled and went live without a look at all that is stored; `null`: nothing has to be told. */
export function wentUnseen({ scheduled, ended }: ScheduleSaid, now: number): string | null {
  const { unseen = [], at = '' } = ended ?? {};
  if (unseen.length === 0 || now - Date.parse(at) > TOLD_MS) return null;
  return `What ${whoActed(scheduled.by)} scheduled is live. Whether documents of ${unseen.join(', ')} fit personal fields was not looked at, as no reason was given.`;
}

const MINUTE = 60_000;
const UNITS = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const;

/** How far ahead a time is: `in 3 hours`. */
export function ahead(at: string, now: number): string {
  const left = Date.parse(at) - now;
  const [unit, size] = UNITS.find(([, each]) => left >= each) ?? ['minute', MINUTE];
  const count = Math.floor(left / size);
  return count < 1 ? 'within a minute or two' : `in ${count} ${unit}${count === 1 ? '' : 's'}`;
}
