import { ROLES } from '../../contract/events/people.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { readLine } from '../said.ts';
import type { PeopleEvent, PeopleFact } from './events.ts';
import type { Role } from './roles.ts';

/** The people of an installation and their roles: what changes them, and how their events fold. */

export interface PersonState {
  readonly id: string;
  /** By which the person signs in and is shown. */
  readonly name: string;
  readonly email: string | null;
  /** By project; `*`: in every one. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly addedAt: number;
  /** The account that signs the person in, by issuer: a hash of it. */
  readonly accounts: ReadonlyMap<string, string>;
}

export interface PeopleState {
  /** By id, in the order in which they came. */
  readonly people: ReadonlyMap<string, PersonState>;
  /** Names of people who are gone, by id: what they did is still shown. */
  readonly former: ReadonlyMap<string, string>;
}

export const NOBODY: PeopleState = { people: new Map(), former: new Map() };

/** Stands for every project. */
export const EVERY_PROJECT = '*';

/** Nobody runs an installation with more, and all of them are in memory. */
const MAX_PEOPLE = 1_000;
const MAX_ROLES = 200;

/** The role in a project: that of the project itself goes before that of all. */
export function roleIn({ roles }: PersonState, project: string): Role | null {
  return roles.get(project) ?? roles.get(EVERY_PROJECT) ?? null;
}

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+-]{0,62}[\p{L}\p{N}.])?$/u;
/** Commands take a name or an id, so no name is one. */
const ID = /^per_[0-9a-f]{16}$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

export interface AddPerson {
  readonly person: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly project: string;
  readonly role: string;
}

/** Lets a person in, with a first role. */
export function addPerson(state: PeopleState, { person, name: sent, email, project, role }: AddPerson): readonly PeopleFact[] | Refusal {
  // Copied texts may have letters and their accents apart.
  const name = sent.normalize('NFC');
  if (!NAME.test(name))
    return refusal('VALIDATION_FAILED', 'A name is 1 to 64 letters, digits, spaces and . _ @ + -, and begins with a letter or digit');
  if (ID.test(name))
    return refusal('VALIDATION_FAILED', `${name} has the form of a person's id, and commands take either: choose another name`);
  if (email !== undefined && !EMAIL.test(email)) return refusal('VALIDATION_FAILED', 'This is no e-mail address');
  if (personNamed(state, name) !== undefined)
    return new Refusal(409, 'PERSON_EXISTS', `There is a person ${name} already; \`savepoint user role\` gives them a role in a project`);
  if (state.people.size >= MAX_PEOPLE) return refusal('VALIDATION_FAILED', `An installation has at most ${MAX_PEOPLE} people`);
  if (!isRole(role)) return unknownRole(role);
  const added: PeopleFact = { type: 'person.added', data: { person, name, ...(email === undefined ? {} : { email }) } };
  return [added, { type: 'person.roleGiven', data: { person, project, role } }];
}

/** Why somebody does something with a person; left out or empty: it is not said. */
export interface PersonWhy {
  readonly reason?: string | undefined;
  /** Of the support desk. */
  readonly ticket?: string | undefined;
}

/** What is done with a person, and why: an event of its own, which can be forgotten. Where nothing is done, nothing is said. */
export function explained(person: string, facts: readonly PeopleFact[] | Refusal, said: PersonWhy): readonly PeopleFact[] | Refusal {
  if (facts instanceof Refusal) return facts;
  const [reason, ticket] = [readLine('reason', said.reason), readLine('ticket', said.ticket)];
  if (reason instanceof Refusal) return reason;
  if (ticket instanceof Refusal) return ticket;
  if (facts.length === 0 || (reason === null && ticket === null)) return facts;
  const why = { ...(reason === null ? {} : { reason }), ...(ticket === null ? {} : { ticket }) };
  return [...facts, { type: 'person.explained', data: { person, ...why } }];
}

/** Gives a role, or takes it (`none`). */
export function changeRole(state: PeopleState, id: string, project: string, role: string): readonly PeopleFact[] | Refusal {
  const person = state.people.get(id);
  if (person === undefined) return noPerson();
  if (role === 'none') {
    if (!person.roles.has(project)) return [];
    if (isLastOwner(state, person) && project === EVERY_PROJECT) return lastOwner();
    return [{ type: 'person.roleTaken', data: { person: id, project } }];
  }
  if (!isRole(role)) return unknownRole(role);
  if (person.roles.get(project) === role) return [];
  if (role !== 'owner' && project === EVERY_PROJECT && isLastOwner(state, person)) return lastOwner();
  if (!person.roles.has(project) && person.roles.size >= MAX_ROLES)
    return refusal('VALIDATION_FAILED', `A person has roles in at most ${MAX_ROLES} projects; \`*\` gives one in all`);
  return [{ type: 'person.roleGiven', data: { person: id, project, role } }];
}

export function removePerson(state: PeopleState, id: string): readonly PeopleFact[] | Refusal {
  const person = state.people.get(id);
  if (person === undefined) return noPerson();
  return isLastOwner(state, person) ? lastOwner() : [{ type: 'person.removed', data: { person: id } }];
}

/** An account of an issuer, as a hash. */
export interface Account {
  readonly issuer: string;
  readonly account: string;
}

/**
 * Has an account sign a person in. One account is one person's, and a person has one of each issuer: whoever has the e-mail address of
 * somebody who left gets an account of the same address, and is somebody else.
 */
export function linkAccount(state: PeopleState, id: string, { issuer, account }: Account): readonly PeopleFact[] | Refusal {
  const person = state.people.get(id);
  if (person === undefined) return noPerson();
  const known = person.accounts.get(issuer);
  if (known === account) return [];
  if (known !== undefined)
    return new Refusal(409, 'ACCOUNT_LINKED', `${person.name} signs in with another account there; \`savepoint user reset\` forgets it`);
  if (personOfAccount(state, { issuer, account }) !== undefined)
    return new Refusal(409, 'ACCOUNT_LINKED', 'This account signs somebody else in; an owner can reset or remove that person first');
  return [{ type: 'person.linked', data: { person: id, issuer, account } }];
}

/** Takes back that an account signs a person in. */
export function unlinkAccount(state: PeopleState, id: string, { issuer, account }: Account): readonly PeopleFact[] {
  const isLinked = state.people.get(id)?.accounts.get(issuer) === account;
  return isLinked ? [{ type: 'person.unlinked', data: { person: id, issuer } }] : [];
}

/** Forgets what signs a person in. Whoever gets the new link could be that person, so the log says who let them in anew. */
export function resetPerson(state: PeopleState, id: string): readonly PeopleFact[] | Refusal {
  const person = state.people.get(id);
  if (person === undefined) return noPerson();
  const unlinked = [...person.accounts.keys()].map((issuer): PeopleFact => ({ type: 'person.unlinked', data: { person: id, issuer } }));
  return [...unlinked, { type: 'person.reset', data: { person: id } }];
}

/** Somebody else ends one session of a person, or all. */
export function signOutPerson(state: PeopleState, id: string, sessions: 'one' | 'all'): readonly PeopleFact[] | Refusal {
  return state.people.has(id) ? [{ type: 'person.signedOut', data: { person: id, sessions } }] : noPerson();
}

/** Whoever has the machine makes a link that signs a person in. */
export function linkPerson(state: PeopleState, id: string): readonly PeopleFact[] | Refusal {
  return state.people.has(id) ? [{ type: 'person.linkMade', data: { person: id } }] : noPerson();
}

export function personOfAccount({ people }: PeopleState, { issuer, account }: Account): PersonState | undefined {
  return [...people.values()].find(({ accounts }) => accounts.get(issuer) === account);
}

/** Who was let in with this e-mail address, in either case of A to Z: other letters that are spelled alike are somebody else's mailbox. */
export function peopleOfEmail({ people }: PeopleState, email: string): readonly PersonState[] {
  const mailbox = (address: string) => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const wanted = mailbox(email);
  return [...people.values()].filter((person) => person.email !== null && mailbox(person.email) === wanted);
}

/** Has somebody forgotten who was removed. `revisions`: of the events that name the person. */
export function forgetPerson(id: string, revisions: readonly number[]): readonly PeopleFact[] | Refusal {
  return revisions.length === 0 ? noPerson() : [{ type: 'person.forgotten', data: { person: id, revisions } }];
}

/** The person of a name, in any letter case. */
export function personNamed({ people }: PeopleState, name: string): PersonState | undefined {
  return [...people.values()].find((person) => isSameName(person.name, name));
}

/** Whether two names are one. */
export function isSameName(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** Folds one event. What is redacted let a person in, who is nobody then, or says of such a person how they signed in, or why of an act. */
export function evolvePeople(state: PeopleState, event: PeopleEvent): PeopleState {
  switch (event.type) {
    case 'person.added': {
      const { person: id, name, email } = event.data;
      return withPerson(state, {
        id,
        name,
        email: email ?? null,
        roles: new Map(),
        addedAt: event.metadata.recordedAt,
        accounts: new Map(),
      });
    }
    case 'person.roleGiven': {
      const { person, project, role } = event.data;
      return withRoles(state, person, (roles) => roles.set(project, role));
    }
    case 'person.roleTaken':
      return withRoles(state, event.data.person, (roles) => roles.delete(event.data.project));
    case 'person.linked': {
      const { person, issuer, account } = event.data;
      return withAccounts(state, person, (accounts) => accounts.set(issuer, account));
    }
    case 'person.unlinked':
      return withAccounts(state, event.data.person, (accounts) => accounts.delete(event.data.issuer));
    case 'person.removed': {
      const gone = state.people.get(event.data.person);
      if (gone === undefined) return state;
      const people = new Map(state.people);
      people.delete(gone.id);
      return { people, former: new Map(state.former).set(gone.id, gone.name) };
    }
    case 'person.forgotten': {
      const former = new Map(state.former);
      former.delete(event.data.person);
      return { ...state, former };
    }
    case 'person.reset':
    case 'person.signedOut':
    case 'person.linkMade':
    case 'person.explained':
    case 'redacted':
      return state;
  }
}

function withPerson(state: PeopleState, person: PersonState): PeopleState {
  return { ...state, people: new Map(state.people).set(person.id, person) };
}

function withRoles(state: PeopleState, id: string, change: (roles: Map<string, Role>) => void): PeopleState {
  const person = state.people.get(id);
  if (person === undefined) return state;
  const roles = new Map(person.roles);
  change(roles);
  return withPerson(state, { ...person, roles });
}

function withAccounts(state: PeopleState, id: string, change: (accounts: Map<string, string>) => void): PeopleState {
  const person = state.people.get(id);
  if (person === undefined) return state;
  const accounts = new Map(person.accounts);
  change(accounts);
  return withPerson(state, { ...person, accounts });
}

/** Whether nobody else could let people in: the installation would have no owner any more. */
function isLastOwner({ people }: PeopleState, person: PersonState): boolean {
  const owners = [...people.values()].filter(({ roles }) => roles.get(EVERY_PROJECT) === 'owner');
  return owners.length === 1 && owners[0]?.id === person.id;
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** What is the same for two spellings of a name: letter case and the width or style of letters make no other person. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

function unknownRole(role: string): Refusal {
  return refusal('VALIDATION_FAILED', `There is no role ${JSON.stringify(role.slice(0, 64))}; roles are ${ROLES.join(', ')}`);
}

function lastOwner(): Refusal {
  return new Refusal(409, 'LAST_OWNER', 'This is the only owner of the installation; make another one first');
}

function noPerson(): Refusal {
  return refusal('NOT_FOUND', 'There is no such person; `savepoint user list` lists all');
}
