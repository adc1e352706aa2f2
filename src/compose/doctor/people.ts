import { ownersOf } from '../../app/people/people.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import type { Log } from '../../log/port.ts';
import { peopleOf } from '../console.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Who may sign in to the console, and that their stream is whole. */
export async function checkPeople(log: Log): Promise<Finding> {
  try {
    const state = await peopleOf(log).current();
    if (state.people.size === 0) return ok('people', 'nobody yet; savepoint console link makes an owner');
    return ok('people', `${state.people.size}, ${ownersOf(state).length} of them owner of every project`);
  } catch (error) {
    return fail(
      'people',
      errorMessage(error),
      'Nobody can sign in to the console, and games go on. savepoint verify says what is broken; restore the log from a backup.',
    );
  }
}
