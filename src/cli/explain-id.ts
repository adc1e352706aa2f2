import type { Command } from 'commander';
import type { Explained } from '../contract/answers.ts';
import { listOf, members, optional, text } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { stringifyJson } from '../kernel/json.ts';
import { becameText, managedName, PAST_APPROVAL } from './commit-said.ts';
import { printResult } from './context.ts';
import { pathOf } from './remote/requests.ts';
import { visible, whyText } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { styled } from './terminal.ts';

type Meaning = Explained['meanings'][number];
type Commit = Meaning['commits'][number];

/** `savepoint explain`: what an id is that somebody holds, and what belongs to it. */
export function explainCommand(): Command {
  return revealing(remoteCommand('explain', 'say what an id is that somebody holds, what was done there, by whom, and who was paid'))
    .argument(
      '<id>',
      'a revision, the id of an event, request, session, save record, record, key, guest or player, an idempotency key; the id or name of a definition, value, rule or test, or a part of it; collection/key; a unique value',
    )
    .addHelpText(
      'after',
      '\nThe key needs `history`; without it, it is told of the definitions that it may read.\n\nExamples:\n  savepoint explain 1200\n  savepoint explain req_0f3c --json\n  savepoint explain town/market\n  savepoint explain axe',
    )
    .action(async (id: string, options: RemoteOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'explain', id), { again: 'read' });
      const explained = checkedBody<Explained>(
        answer,
        members({
          meanings: listOf(members({ is: text, text, commits: listOf(members({ at: text, cause: text })) })),
          calls: listOf(members({ path: text })),
          alike: optional(members({ names: listOf(members({ is: text })) })),
        }),
      );
      printResult(options, explained, () => shown(explained));
    });
}

function shown({ id, meanings, calls, alike, personal = [], leftOut = [] }: Explained): string {
  const left = personal.map(({ collection, field }) => `${collection}.${field}`).join(', ');
  const told = calls.map(
    ({ at, method, path, status, code }) => `Call  ${at}  ${method} ${visible(path)}  ${status}${code === null ? '' : ` ${visible(code)}`}`,
  );
  const unasked =
    left === '' ? [] : [`Not looked for in ${visible(left)}: personal fields are looked in by whoever says why, with --reveal`];
  const untold = leftOut.map(({ part, why }) => `Not told: ${UNTOLD[part]}. ${visible(why)}`);
  const like = alike === undefined ? [] : shownAlike(id, alike);
  return [...meanings.map(shownMeaning), ...told, ...like, ...unasked, ...untold].join('\n');
}

/** What has it in its name: its kind, and what it takes to have it explained. */
function shownAlike(id: string, { names, more = [] }: NonNullable<Explained['alike']>): readonly string[] {
  const kinds = names.map(({ is, named: { what = is } }) => WORDS[what] ?? what);
  const width = Math.max(...kinds.map(({ length }) => length));
  return [
    `With ${visible(JSON.stringify(id))} in the id or name:`,
    ...names.map(({ named }, place) => `  ${(kinds[place] ?? '').padEnd(width)}${namedText(named)}`),
    ...more.map((kind) => `  … and more of the kind ${WORDS[kind] ?? kind}`),
  ];
}

const WORDS: Readonly<Record<string, string>> = { board: 'leaderboard', rule: 'rate limit', field: 'limit of a field' };

const UNTOLD: Readonly<Record<NonNullable<Explained['leftOut']>[number]['part'], string>> = {
  call: 'how the endpoint was defined, and who published that',
  uses: 'some of what the endpoint may read',
  publish: 'who published, and why',
  key: 'what the key is',
  calls: 'refused requests',
  log: 'what the log knows',
};

function shownMeaning({ is, text: said, named, commits, more, publish, call, followed = [], links }: Meaning): string {
  const lines = [
    `${styled('bold', is)}: ${visible(said)}`,
    ...(named === undefined ? [] : [namedText(named)]),
    ...commits.flatMap(shownCommit),
  ];
  if (more === true) lines.push('  … and more');
  if (publish !== undefined) lines.push(`  ${publishText(publish)}`);
  if (call !== undefined) {
    const by = call.publish === null ? 'a publish too far back' : publishText(call.publish);
    lines.push(`  endpoint ${visible(call.endpoint)}, as it is since ${by}`, ...call.uses.map(useText));
    if (call.left !== undefined) lines.push(`  … and ${call.left} more that it may read`);
  }
  if (followed.length > 0) lines.push('  Then:', ...followed.map((commit) => `  ${headOf(commit)}`));
  return [...lines, ...Object.entries(links).map(([name, path]) => `  ${name}: ${visible(path)}`)].join('\n');
}

function namedText({ id, called, part, collection, player, target }: NonNullable<Meaning['named']>): string {
  const own = `${collection === undefined ? '' : `${collection}/`}${id}${part === undefined ? '' : ` › ${part}`}`;
  const more = [called === undefined ? '' : `called ${called}`, player === undefined ? '' : `of player ${player}`, target ?? ''];
  return `  ${visible([own, ...more.filter((each) => each !== '')].join(', '))}`;
}

function useText({ kind, id, entry, collection, publish }: NonNullable<Meaning['call']>['uses'][number]): string {
  const named = `${visible(id)}${entry === undefined ? '' : `.${visible(entry)}`}${collection === undefined ? '' : ` of ${visible(collection)}`}`;
  return `  ${kind} ${named}, as it is since ${publish === null ? 'a publish too far back' : publishText(publish)}`;
}

function publishText({ revision, at, action, target, label, keyId, message, ticket }: NonNullable<Meaning['publish']>): string {
  const who = label ?? keyId;
  return [
    `${action} ${revision} (${target})`,
    at,
    ...(who === undefined ? [] : [`by ${visible(who)}`]),
    ...[whyText({ reason: message, ticket })].filter((text) => text !== ''),
  ].join('  ');
}

function shownCommit(commit: Commit): readonly string[] {
  const { publish, documents, money, input, why, undone, managed = [] } = commit;
  return [
    `${headOf(commit)}${publish === null ? '' : `  publish ${publish}`}`,
    ...(commit.events.includes('approval.bypassed') ? [`    ${PAST_APPROVAL}`] : []),
    ...(undone === undefined ? [] : [`    undone by ${undone.revision}  ${undone.at}  ${byText(undone.actor)}`]),
    ...(why === undefined ? [] : [`    ${[...(why.button === undefined ? [] : [visible(why.button)]), whyText(why)].join(' · ')}`]),
    ...(input === undefined ? [] : [`    input ${visible(stringifyJson(input.value))}${input.left === undefined ? '' : ' …'}`]),
    ...documents.flatMap(({ collection, key, change, fields = [], more = 0 }) => [
      `    ${change} ${visible(`${collection}/${key}`)}`,
      ...fields.map((field) => `      ${visible(becameText(field))}`),
      ...(more === 0 ? [] : [`      … and ${more} more`]),
    ]),
    ...managed.flatMap((each) => [
      ...(each.what === 'settings' ? [] : [`    ${visible(managedName(each))}`]),
      ...(each.fields ?? []).map((field) => `      ${visible(becameText(field))}`),
      ...(each.more === undefined ? [] : [`      … and ${each.more} more`]),
    ]),
    ...money.map(({ player: paid, field, delta }) => `    ${visible(paid)} ${visible(field)} ${signed(stringifyJson(delta))}`),
  ];
}

function byText(actor: Commit['actor']): string {
  const by = visible(actor.label ?? actor.keyId ?? actor.kind);
  const own = actor.kind === 'person' ? by : `key ${by}`;
  return actor.player === undefined ? own : `${visible(actor.player)}, ${own}`;
}

function headOf({ revision, at, cause, actor, target }: Commit): string {
  const { endpoint } = actor;
  const who = byText(actor);
  const what = `${visible(cause)}${endpoint === undefined ? '' : ` ${visible(endpoint)}`}${target === 'next' ? ' (next)' : ''}`;
  return `  ${revision}  ${at}  ${what}  ${who}`;
}

function signed(delta: string): string {
  return delta.startsWith('-') ? delta : `+${delta}`;
}
