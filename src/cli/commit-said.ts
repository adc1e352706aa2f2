import type { Commits } from '../contract/answers.ts';
import { isOnlyAnswered, ONLY_ANSWERED } from '../contract/told-as-one.ts';
import { listOf, members, text, wholeNumber } from '../folder/answer-shape.ts';
import { type Json, stringifyJson } from '../kernel/json.ts';
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

/** What is said of a publish with which an owner went past the second person. */
export const PAST_APPROVAL = 'past the second person: nobody approved it';

/** Sums of money that are named. */
const NAMED = 3;

function whatSaid(commit: Commit): string {
  const { cause, actor, target, money, undone, managed = [] } = commit;
  const name = [cause, ...(actor.endpoint === undefined ? [] : [actor.endpoint]), ...(target === 'next' ? ['on next'] : [])].join(' ');
  const sums = money.slice(0, NAMED).map(({ field, delta }) => `${field} ${String(delta).startsWith('-') ? '' : '+'}${String(delta)}`);
  const more = money.length > NAMED ? [`${money.length - NAMED} more`] : [];
  const nothing = isOnlyAnswered(commit) ? [ONLY_ANSWERED] : [];
  const alone = commit.events.includes('approval.bypassed') ? [PAST_APPROVAL] : [];
  const facts = [
    ...managed.flatMap(managedFacts),
    ...sums,
    ...more,
    ...nothing,
    ...alone,
    ...(undone === undefined ? [] : [`undone by ${undone.revision}`]),
  ];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}

type Managed = NonNullable<Commit['managed']>[number];

/** `key game (key_1)`; what no key or page was is its kind. */
export function managedName({ what, id, called }: Managed): string {
  if (id === undefined) return called === undefined ? what : `${what} ${called}`;
  return called === undefined ? `${what} ${id}` : `${what} ${called} (${id})`;
}

function managedFacts(managed: Managed): readonly string[] {
  const { fields = [], more } = managed;
  return [
    ...(managed.what === 'settings' ? [] : [managedName(managed)]),
    ...fields.slice(0, NAMED).map(becameText),
    ...(fields.length > NAMED || more !== undefined ? [`${fields.length - Math.min(fields.length, NAMED) + (more ?? 0)} more`] : []),
  ];
}

interface Field {
  readonly path: string;
  readonly before?: Json | undefined;
  readonly value?: Json | undefined;
}

/** `axe 6 → 1`; what is long is not told. */
export function becameText({ path, before, value }: Field): string {
  if (value === undefined) return `${path} changed`;
  const after = value === null ? 'not set' : stringifyJson(value);
  return before == null ? `${path} is ${after}` : `${path} ${stringifyJson(before)} → ${after}`;
}
