import type { Actor } from '../../domain/events.ts';
import type { PeopleFact } from '../../domain/people/events.ts';
import {
  addPerson,
  changeRole,
  EVERY_PROJECT,
  explained,
  type PeopleState,
  type PersonState,
  type PersonWhy,
  removePerson,
} from '../../domain/people/people.ts';
import { governs, managesIn, seesRolesIn } from '../../domain/people/power.ts';
import type { Role } from '../../domain/people/roles.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { SessionRow, SignInStore } from '../ports/sign-in-store.ts';
import { newPersonId, type People } from './people.ts';
import type { PersonChange, PersonChanges, Sees } from './person-changes.ts';
import type { SignIn } from './sign-in.ts';

/** The people of the installation, managed by one of them: an owner of every project, or of those in question. `by`: the id of who asks. */

interface NewPerson extends PersonWhy {
  readonly name: string;
  readonly email?: string | undefined;
  /** `*`: every one. */
  readonly project: string;
  readonly role: string;
}

interface NewRole extends PersonWhy {
  readonly project: string;
  /** `none` takes it. */
  readonly role: string;
}

/** A person as another one may see it. */
interface ListedPerson {
  readonly id: string;
  readonly name: string;
  /** `null`: there is none, or whoever asks does not govern the person; so with the members below. */
  readonly email: string | null;
  readonly hasPassword: boolean | null;
  /** Whether an account of an issuer signs the person in. */
  readonly isLinked: boolean | null;
  readonly usedAt: number | null;
  /** When the person signed in last; `null`: never, or before that was kept. To whoever is told of the person. */
  readonly signedInAt: number | null;
  /** Whether it is known that the person has never signed in. */
  readonly neverSignedIn: boolean;
  /** By project, of those whose roles whoever asks is told. */
  readonly roles: Readonly<Record<string, Role>>;
  readonly addedAt: number;
  readonly isGoverned: boolean;
}

export interface PeopleDesk {
  list(by: string): Promise<readonly ListedPerson[]>;
  /**
   * What changed among people, the newest first: to owners and auditors. Of one project alone: roles there, and in every project.
   * `person`: of this one, or by them. Throws 403 ACCESS_DENIED.
   */
  history(by: string, asked: { readonly person: string | null; readonly before: number | null }): Promise<PersonChanges>;
  /** Lets a person in. Answers the id, and a link to sign in with, which is kept nowhere. */
  add(by: string, person: NewPerson): Promise<{ readonly person: string; readonly link: string }>;
  /** Gives a role in a project, or takes it (`none`). */
  setRole(by: string, id: string, given: NewRole): Promise<void>;
  /** Lets a person in no more, and signs it out everywhere. */
  remove(by: string, id: string, why: PersonWhy): Promise<void>;
  /**
   * Removes a person, and has the log forget name, e-mail and account, not `why`. An owner of every project does. Answers whether the log
   * holds them no more: some engines cannot change an event.
   */
  forget(by: string, id: string, why: PersonWhy): Promise<{ readonly isGone: boolean }>;
  /** Forgets the password and the accounts elsewhere, ends all sessions, and answers a new link. */
  reset(by: string, id: string, why: PersonWhy): Promise<string>;
  sessionsOf(by: string, id: string): Promise<readonly SessionRow[]>;
  /** Ends one session of a person; `null`: all. The log says so of anybody but oneself. Throws 404 NOT_FOUND. */
  endSession(by: string, id: string, session: string | null, why: PersonWhy): Promise<void>;
}

/** What is told of everybody whose role is: somebody else let the person in anew, or out. */
const OF_SIGNING_IN: ReadonlySet<PersonChange['what']> = new Set(['reset', 'signedOut', 'linkMade']);

export function createPeopleDesk(people: People, signIn: SignIn, store: SignInStore): PeopleDesk {
  const governed = async (by: string, id: string): Promise<PersonState> => needGoverned(await people.latest(), by, id);
  const needProject = async (project: string) => {
    if (project === EVERY_PROJECT || (await store.projects()).some(({ id }) => id === project)) return;
    throw refusal('NOT_FOUND', 'There is no such project');
  };
  /** Does something with a person, and keeps why. */
  const change = (
    cause: string,
    { by, person, why }: { readonly by: string; readonly person: string; readonly why: PersonWhy },
    decide: (state: PeopleState) => readonly PeopleFact[] | Refusal,
  ) => people.change(cause, actorOf(by), (state) => explained(person, decide(state), why));

  return {
    async list(by) {
      const state = await people.latest();
      needTold(state, by);
      const since = await store.notedSince();
      const standing = new Map((await store.standing()).map((row) => [row.person, row]));
      return [...state.people.values()].flatMap((person) => {
        const roles = [...person.roles].filter(([project]) => project === EVERY_PROJECT || seesRolesIn(state, by, project));
        const isGoverned = governs(state, by, person);
        if (roles.length === 0 && !isGoverned) return [];
        const { id, name, addedAt } = person;
        const known = standing.get(id);
        const own = isGoverned
          ? {
              email: person.email,
              hasPassword: known?.hasPassword ?? false,
              isLinked: person.accounts.size > 0,
              usedAt: known?.usedAt ?? null,
            }
          : { email: null, hasPassword: null, isLinked: null, usedAt: null };
        const signedInAt = known?.signedInAt ?? null;
        const neverSignedIn = signedInAt === null && addedAt > since;
        return [{ id, name, addedAt, signedInAt, neverSignedIn, roles: Object.fromEntries(roles), isGoverned, ...own }];
      });
    },

    async history(by, asked) {
      const state = await people.latest();
      needTold(state, by);
      // A role in every project is one in each.
      const seesIn = (project: string) => project === EVERY_PROJECT || seesRolesIn(state, by, project);
      const isListed = (person: string) => [...(state.people.get(person)?.roles.keys() ?? [])].some(seesIn);
      const sees: Sees = ({ what, project, person }) =>
        project === undefined ? seesRolesIn(state, by, EVERY_PROJECT) || (OF_SIGNING_IN.has(what) && isListed(person)) : seesIn(project);
      return people.history({ ...asked, sees });
    },

    async add(by, { name, email, project, role, ...why }) {
      await needProject(project);
      const person = newPersonId();
      await change('person.add', { by, person, why }, (state) => {
        needManagerOf(state, by, project);
        return addPerson(state, { person, name, email, project, role });
      });
      return { person, link: await signIn.newLink(person) };
    },

    async setRole(by, id, { project, role, ...why }) {
      if (role !== 'none') await needProject(project);
      await change('person.role', { by, person: id, why }, (state) => {
        needManagerOf(state, by, project);
        needWithinReach(state, by, id);
        return changeRole(state, id, project, role);
      });
    },

    async remove(by, id, why) {
      await change('person.remove', { by, person: id, why }, (state) => {
        needGoverned(state, by, id);
        return removePerson(state, id);
      });
      await signIn.lockOut(id);
    },

    async forget(by, id, why) {
      const forgotten = await people.forget(actorOf(by), id, why, (state) =>
        managesIn(state, by, EVERY_PROJECT) ? null : refusal('ACCESS_DENIED', 'People are forgotten by an owner of every project'),
      );
      await signIn.lockOut(id);
      return forgotten;
    },

    async reset(by, id, why) {
      // Or an open session would be enough to take its person's password over.
      if (id === by)
        throw refusal(
          'ACCESS_DENIED',
          'Nobody resets themselves here: Your account changes the password, and `savepoint user reset` forgets it',
        );
      await signIn.reset(actorOf(by), id, why, whoGoverns(by, id));
      return signIn.newLink(id);
    },

    async sessionsOf(by, id) {
      await governed(by, id);
      return signIn.sessionsOf(id);
    },

    async endSession(by, id, session, why) {
      await governed(by, id);
      if (id !== by && (await signIn.signOut(actorOf(by), id, session, why, whoGoverns(by, id))) > 0) return;
      if (session === null) await store.endOtherSessions(id, '');
      else await signIn.endSession(id, session);
    },
  };
}

/** Throws 403 ACCESS_DENIED once this person governs the other no more. */
function whoGoverns(by: string, id: string): (state: PeopleState) => null {
  return (state) => {
    needGoverned(state, by, id);
    return null;
  };
}

function actorOf(person: string): Actor {
  return { kind: 'person', person };
}

/** Throws 403 ACCESS_DENIED for whoever is told of people nowhere. */
function needTold(state: PeopleState, by: string): void {
  if (!hasProject(state, by, seesRolesIn)) throw refusal('ACCESS_DENIED', 'Who has which role is told to owners and auditors');
}

/** Throws 403 ACCESS_DENIED for whoever manages people nowhere. */
function needManager(state: PeopleState, by: string): void {
  if (!hasProject(state, by, managesIn)) throw refusal('ACCESS_DENIED', 'People are managed by owners');
}

/** Whether there is a project, or every one, in which this is so of a person. */
function hasProject(state: PeopleState, by: string, isSo: typeof managesIn): boolean {
  return [...(state.people.get(by)?.roles.keys() ?? [])].some((project) => isSo(state, by, project));
}

function needManagerOf(state: PeopleState, by: string, project: string): void {
  if (managesIn(state, by, project)) return;
  throw refusal('ACCESS_DENIED', `Roles in ${project === EVERY_PROJECT ? 'every project' : 'this project'} are given by an owner of it`);
}

/** Throws 403 ACCESS_DENIED where a role of one project would go before one that an owner of all gave for every project. */
function needWithinReach(state: PeopleState, by: string, id: string): void {
  if (!state.people.get(id)?.roles.has(EVERY_PROJECT) || managesIn(state, by, EVERY_PROJECT)) return;
  throw refusal('ACCESS_DENIED', 'This person has a role in every project, so an owner of every project gives and takes roles here');
}

/** One answer for a person who is not there and for one who is out of reach, but to an owner of every project, who reaches all. */
function needGoverned(state: PeopleState, by: string, id: string): PersonState {
  const person = state.people.get(id);
  if (person !== undefined && governs(state, by, person)) return person;
  needManager(state, by);
  if (person === undefined && managesIn(state, by, EVERY_PROJECT)) throw refusal('NOT_FOUND', 'There is no such person, or not any more');
  throw refusal('ACCESS_DENIED', 'This person may do something where you are no owner, so an owner of every project does that');
}
