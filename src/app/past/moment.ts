import { refusal } from '../../kernel/errors.ts';
import { instantOrDate } from '../../kernel/instant.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Project } from '../project/project.ts';
import type { Moment } from './commits.ts';
import type { Past } from './past.ts';

/** A revision has at most 15 digits: every such number is exact. */
const REVISION = /^\d{1,15}$/;

/**
 * The moment that a text names: a revision, or an ISO time; `null`: the newest one that this node knows. `name`: of the parameter. Throws
 * 400 INVALID_AT, AT_IN_FUTURE, 404 AT_AFTER_LAST, AT_BEFORE_FIRST, and as {@link Past} does.
 */
export async function momentOf(
  past: Past,
  project: Project,
  scheduler: Pick<Scheduler, 'now'>,
  text: string | null,
  name = 'at',
): Promise<Moment> {
  const revision =
    text === null ? project.set.head : REVISION.test(text) ? Number(text) : await revisionOf(past, project, scheduler, text, name);
  if (revision > project.set.head) await project.refresh();
  const { head } = project.set;
  if (revision > head) throw refusal('AT_AFTER_LAST', `The log of this project has no revision ${revision} yet: its last one is ${head}`);
  const commit = await past.commitEnd(project, revision);
  if (commit === null) throw refusal('STORAGE_UNAVAILABLE');
  return commit;
}

async function revisionOf(past: Past, project: Project, { now }: Pick<Scheduler, 'now'>, text: string, name: string): Promise<number> {
  const time = instantOrDate(text);
  if (time === null) throw refusal('INVALID_AT', faultOf(text, name));
  if (time > now()) throw refusal('AT_IN_FUTURE', `${text} has not come yet: the newest moment is now, ${new Date(now()).toISOString()}`);
  // What was stored before the request, by whichever node, counts.
  await project.refresh();
  const revision = await past.revisionAt(project, time);
  if (revision < 0) throw refusal('AT_BEFORE_FIRST', `Nothing was stored yet at ${text}: the project begins with revision 0`);
  return revision;
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/;

function faultOf(text: string, name: string): string {
  if (WITHOUT_ZONE.test(text))
    return `\`${name}\` has no zone: write ${text.replace(' ', 'T')}Z for UTC, or ${text.replace(' ', 'T')}+02:00`;
  return `\`${name}\` must be a revision of the log, such as 1200, or an ISO time with its zone, such as 2026-03-01T12:00:00Z; a date alone is its midnight in UTC`;
}
