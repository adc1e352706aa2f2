import type { PromotionSchedule, ScheduleShown } from '../contract/answers.ts';
import { anyObject, listOf, members, optional, text } from '../folder/answer-shape.ts';
import { checkedBody, type Remote, type SaidWhy } from '../folder/remote.ts';
import { printResult } from './context.ts';
import { pathOf } from './remote/requests.ts';
import { visible, whoText, whyText } from './remote/words.ts';
import type { RemoteOptions } from './remote.ts';

/** What goes live at a chosen time: `savepoint promote --at`, `--cancel` and `--scheduled`. */

const SHOWN = members({
  schedule: optional(
    members({ id: text, at: text, phase: text, scheduled: anyObject, ended: optional(members({ unseen: optional(listOf(text)) })) }),
  ),
});

const address = (remote: Remote) => pathOf(remote, 'manage', 'promote', 'schedule');

export async function readSchedule(remote: Remote): Promise<ScheduleShown> {
  return checkedBody(await remote.request('GET', address(remote), { again: 'read' }), SHOWN);
}

/** `base`: the revision that was looked at. */
export async function schedulePromotion(remote: Remote, at: string, base: number, { message, ticket }: SaidWhy): Promise<ScheduleShown> {
  const headers = { 'x-ns-base': String(base) };
  return checkedBody(
    await remote.request('POST', address(remote), { body: { at }, query: { message, ticket }, headers, again: 'keyed' }),
    SHOWN,
  );
}

/** `schedule`: the id of the one that is meant. */
export async function cancelSchedule(remote: Remote, schedule: string | undefined, { message, ticket }: SaidWhy): Promise<ScheduleShown> {
  return checkedBody(await remote.request('DELETE', address(remote), { query: { schedule, message, ticket }, again: 'keyed' }), SHOWN);
}

export function printSchedule(options: RemoteOptions, shown: ScheduleShown): void {
  printResult(options, shown, () =>
    shown.schedule === null ? 'Nothing was ever scheduled: `savepoint promote --at TIME`.' : sentence(shown.schedule),
  );
}

function unseenText(collections: readonly string[]): string {
  return `Whether documents of ${collections.map(visible).join(', ')} fit personal fields was not looked at, as no reason was given.`;
}

function sentence({ id, at, message, ticket, scheduled, phase, ended }: PromotionSchedule): string {
  const told = whyText({ reason: message, ticket });
  const what = `What ${whoText(scheduled)} scheduled for ${at}${told === '' ? '' : ` (${told})`}`;
  const by = ended === null ? '' : ` by ${whoText(ended)} at ${ended.at}`;
  const ending = whyText(ended ?? {});
  const why = ending === '' ? '' : `: ${ending}`;
  switch (phase) {
    case 'waiting':
      return `What is staged goes live at ${at}, as ${whoText(scheduled)} scheduled${told === '' ? '' : `: ${told}`}. Any change of it, or of live, voids that; \`savepoint promote --cancel ${visible(id)}\` takes it back.`;
    case 'used':
      return `${what} is live${by}.${ended?.unseen === undefined ? '' : ` ${unseenText(ended.unseen)}`}`;
    case 'withdrawn':
      return `${what} was taken back${by}${why}.`;
    case 'void':
      return `${what} is void: ${ended?.why === 'live' ? 'live was changed' : `it was ${ended?.why ?? 'changed'}`}${by}. Schedule it anew.`;
    case 'missed':
      return `${what} did NOT go live${why}. Mend that, and schedule or promote anew.`;
  }
}
