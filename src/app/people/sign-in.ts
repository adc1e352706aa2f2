import { createHash, randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/events.ts';
import { addPerson, EVERY_PROJECT, type PeopleState, type PersonState, personNamed, roleIn } from '../../domain/people/people.ts';
import { permissionsOf, type Role } from '../../domain/people/roles.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Person } from '../caller.ts';
import type { InForce, SessionRow, SignInStore } from '../ports/sign-in-store.ts';
import { hashPassword, isPassword, MIN_PASSWORD } from './password.ts';
import { newPersonId, ownersOf, type People } from './people.ts';

/** Signing in to the console: by a link that counts once, or by name and password, into a session that is kept as a hash. */

/** From where somebody signs in. */
interface SignInFrom {
  readonly agent: string;
  readonly address: string | null;
}

export interface SignedIn {
  readonly person: SignedInPerson;
  readonly session: SessionRow;
}

/** A person with the role that it has in each project. */
interface SignedInPerson extends Person {
  roleIn(projectId: string): Role | null;
  /** The role in every project; `null`: none, or in some alone. */
  readonly everywhere: Role | null;
}

interface NewPassword {
  readonly password: string;
  readonly current: string | null;
}

export interface SignIn {
  /** Makes a link for a person, of which the database keeps a hash. */
  newLink(person: string): Promise<string>;
  /** A link for the first owner, who is made if the installation has none. */
  ownerLink(): Promise<string>;
  /** The link of the very first start; `null`: there was one before. */
  firstLink(): Promise<string | null>;
  /** Opens a session, and answers its token, which is kept nowhere. Throws 401 UNAUTHORIZED for a link that is no longer good. */
  byLink(link: string, from: SignInFrom): Promise<string>;
  /** The same. Throws 401 UNAUTHORIZED for a name or password that is wrong, one answer for both. */
  byPassword(name: string, password: string, from: SignInFrom): Promise<string>;
  hasPassword(person: string): Promise<boolean>;
  /**
   * Sets the password, and ends the other sessions. `current`: the one before, where there is one, so that a session which was left open makes nobody
   * its owner. Throws 400 VALIDATION_FAILED for one that is too short, 401 UNAUTHORIZED for a wrong `current`, and SIGNED_OUT if this session is
   * over by then.
   */
  setPassword(person: string, passwords: NewPassword, session: string): Promise<void>;
  /** Ends every session and link of a person, and forgets the password. */
  lockOut(person: string): Promise<void>;
  /** Who has this session. `isUse`: a person asks, so it goes on; what asks by itself does not prolong it. Throws 401 SIGNED_OUT if it is over. */
  signedIn(token: string, isUse: boolean): Promise<SignedIn>;
  sessionsOf(person: string): Promise<readonly SessionRow[]>;
  /** Throws 404 NOT_FOUND. */
  endSession(person: string, id: string): Promise<void>;
  /** Ends all sessions of a person but this one. */
  endOtherSessions(person: string, id: string): Promise<void>;
  /** The projects in which a person has a role. */
  projectsOf(person: SignedInPerson): Promise<readonly { readonly id: string; readonly title: string; readonly role: Role }[]>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a link is good: one to sign in with, and one that invites somebody. */
export const LINK_MS = 10 * MINUTE_MS;
/** A session that nobody uses for so long is over, and so is one of that age. */
const IDLE_MS = 12 * HOUR_MS;
const SESSION_MS = 7 * 24 * HOUR_MS;
/** How exactly it is known when a session was used last. */
const USE_MS = MINUTE_MS;

const MAX_AGENT = 200;
/** Passwords that are checked at a time: each takes 32 MiB and a tenth of a second. */
const PASSWORD_SLOTS = 2;

/** What the owner is called whom the first link makes. */
const OWNER_NAME = 'owner';

export function createSignIn(store: SignInStore, people: People, scheduler: Pick<Scheduler, 'now'>): SignIn {
  const inForce = (): InForce => ({ now: scheduler.now(), usedSince: scheduler.now() - IDLE_MS });
  const passwords = new Bulkhead({ slots: PASSWORD_SLOTS, queue: 20 });

  const newLink = async (person: string) => {
    const link = newSecret();
    await store.keepLink(hashOf(link), person, scheduler.now() + LINK_MS);
    return link;
  };

  const ownerLink = async () => {
    const person = newPersonId();
    const owner = { person, project: EVERY_PROJECT, role: 'owner' };
    const state = await people.change('person.add', OPERATOR, (now) =>
      ownersOf(now).length === 0 ? addPerson(now, { ...owner, name: freeName(now) }) : [],
    );
    return newLink(ownersOf(state)[0]?.id ?? person);
  };

  /** Answers the token of a new session; `null`: it may not be opened any more. */
  const open = async (person: string, { agent, address }: SignInFrom, keep: KeepSession): Promise<string | null> => {
    await store.sweep(inForce());
    const now = scheduler.now();
    const token = newSecret();
    const id = `s_${randomBytes(8).toString('hex')}`;
    const session = { id, person, createdAt: now, usedAt: now, until: now + SESSION_MS, agent: agent.slice(0, MAX_AGENT), address };
    return (await keep(hashOf(token), session)) ? token : null;
  };

  return {
    newLink,
    ownerLink,
    firstLink: async () => ((await store.isFirst()) ? ownerLink() : null),

    async byLink(link, from) {
      const hash = hashOf(link);
      const person = await store.personOfLink(hash, scheduler.now());
      if (person === null || !(await people.latest()).people.has(person)) throw wrongLink();
      const token = await open(person, from, (...session) => store.openByLink(hash, ...session));
      if (token === null) throw wrongLink();
      return token;
    },

    async byPassword(name, password, from) {
      const person = personNamed(await people.latest(), name);
      const kept = person === undefined ? null : await store.password(person.id);
      // An unknown name takes as long as a known one.
      const fits = await passwords.run('passwords', () => isPassword(password, kept));
      if (person === undefined || kept === null || !fits) throw wrongPassword();
      const token = await open(person.id, from, (...session) => store.openByPassword(kept, ...session));
      if (token === null) throw wrongPassword();
      return token;
    },

    hasPassword: async (person) => (await store.password(person)) !== null,

    async setPassword(person, { password, current }, session) {
      if (password.length < MIN_PASSWORD || password.length > 200)
        throw refusal('VALIDATION_FAILED', `A password has ${MIN_PASSWORD} to 200 characters`);
      const kept = await store.password(person);
      if (kept !== null && !(await passwords.run('passwords', () => isPassword(current ?? '', kept))))
        throw refusal('UNAUTHORIZED', 'The current password is wrong; `savepoint user reset` makes a new link without it');
      const hash = await passwords.run('passwords', () => hashPassword(password));
      if (!(await store.keepPassword(person, hash, session))) throw refusal('SIGNED_OUT');
    },

    lockOut: (person) => store.lockOut(person),

    async signedIn(token, isUse) {
      const session = await store.session(hashOf(token), inForce());
      const person = session === null ? undefined : (await people.current()).people.get(session.person);
      if (session === null || person === undefined) throw refusal('SIGNED_OUT');
      const now = scheduler.now();
      if (isUse && now - session.usedAt > USE_MS) await store.noteUse(session.id, now);
      return { person: signedInPerson(person), session };
    },

    sessionsOf: (person) => store.sessionsOf(person, inForce()),

    async endSession(person, id) {
      if (!(await store.endSession(person, id))) throw refusal('NOT_FOUND', 'You have no such session; it may be over');
    },

    endOtherSessions: (person, id) => store.endOtherSessions(person, id),

    async projectsOf(person) {
      const projects = await store.projects();
      return projects.flatMap(({ id, title }) => {
        const role = person.roleIn(id);
        return role === null ? [] : [{ id, title, role }];
      });
    },
  };
}

const OPERATOR: Actor = { kind: 'operator' };

type KeepSession = (hash: string, session: SessionRow) => Promise<boolean>;

function wrongLink(): Refusal {
  return refusal('UNAUTHORIZED', 'This link was used, or is older than ten minutes; `savepoint console link` makes another one');
}

function wrongPassword(): Refusal {
  return refusal('UNAUTHORIZED', 'Name or password is wrong; `savepoint user reset` makes a new link');
}

function signedInPerson(person: PersonState): SignedInPerson {
  const { id, name } = person;
  return {
    id,
    name,
    roleIn: (project) => roleIn(person, project),
    everywhere: person.roles.get(EVERY_PROJECT) ?? null,
    permissionsIn(project) {
      const role = roleIn(person, project);
      return role === null ? undefined : permissionsOf(role);
    },
  };
}

/** A name for the first owner: somebody with another role may be called so already. */
function freeName(state: PeopleState): string {
  let name: string = OWNER_NAME;
  for (let n = 2; personNamed(state, name) !== undefined; n += 1) name = `${OWNER_NAME}-${n}`;
  return name;
}

/** 256 random bits: nobody guesses it, so a plain hash of it keeps it. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
