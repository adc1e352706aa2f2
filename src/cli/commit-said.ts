import type { Commits } from '../contract/answers.ts';
import { isOnlyAnswered, ONLY_ANSWERED } from '../contract/told-as-one.ts';
import { listOf, members, text, wholeNumber } from '../folder/answer-shape.ts';
import { visible } from './remote/words.ts';

/** What is read of a commit that is listed. */
export const COMMIT = members({
  at: text,
  revision: wholeNumber,
  cause: text,
  actor: members({ kind: text }),
  events: listOf(text),
  money: listOf(members({ field: text })),
});

type Commit = Commits['commits'][number];

/** A commit in columns: what was done, by whom, and its revision. */
export function commitSaid(commit: Commit): readonly [what: string, by: string, id: string] {
  const { kind, label, player } = commit.actor;
  return [visible(whatSaid(commit)), visible(label ?? player ?? kind), String(commit.revision)];
}

/** Sums of money that are named. */
const NAMED = 3;

function whatSaid(commit: Commit): string {
  const { cause, actor, target, money, undone } = commit;
  const name = [cause, ...(actor.endpoint === undefined ? [] : [actor.endpoint]), ...(target === 'next' ? ['on next'] : [])].join(' ');
  const sums = money.slice(0, NAMED).map(({ field, delta }) => `${field} ${String(delta).startsWith('-') ? '' : '+'}${String(delta)}`);
  const more = money.length > NAMED ? [`${money.length - NAMED} more`] : [];
  const nothing = isOnlyAnswered(commit) ? [ONLY_ANSWERED] : [];
  const facts = [...sums, ...more, ...nothing, ...(undone === undefined ? [] : [`undone by ${undone.revision}`])];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}
