import type { Commits } from '../contract/answers.ts';
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

function whatSaid({ cause, actor, target, events, money, undone }: Commit): string {
  const name = [cause, ...(actor.endpoint === undefined ? [] : [actor.endpoint]), ...(target === 'next' ? ['on next'] : [])].join(' ');
  const sums = money.slice(0, NAMED).map(({ field, delta }) => `${field} ${String(delta).startsWith('-') ? '' : '+'}${String(delta)}`);
  const more = money.length > NAMED ? [`${money.length - NAMED} more`] : [];
  // Its answer alone is kept, for whoever asks again with the same key.
  const nothing = events.every((event) => event === 'answer.kept') ? ['a look, or refused: nothing changed'] : [];
  const facts = [...sums, ...more, ...nothing, ...(undone === undefined ? [] : [`undone by ${undone.revision}`])];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}
