import type { People } from '../app/people/people.ts';
import { type PersonState, personNamed } from '../domain/people/people.ts';
import { refusal } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';

/** The person of a name. Throws NOT_FOUND, with the name that was probably meant. */
export async function personOf(people: People, name: string): Promise<PersonState> {
  const state = await people.current();
  const person = personNamed(state, name);
  if (person !== undefined) return person;
  const names = [...state.people.values()].map((each) => each.name);
  throw refusal('NOT_FOUND', `There is no person ${name}. ${didYouMean(name, names) ?? '`savepoint user list` lists all.'}`);
}
