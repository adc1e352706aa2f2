import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Actor } from '../../domain/events.ts';
import {
  addPerson,
  EVERY_PROJECT,
  explained,
  linkPerson,
  type PeopleState,
  type PersonState,
  type PersonWhy,
  personNamed,
  resetPerson,
  roleIn,
  signOutPerson,
} from '../../domain/people/people.ts';
import { permissionsOf, type Role } from '../../domain/people/roles.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { accepted, type Refusal, refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Person } from '../caller.ts';
import type { SessionKind, SessionRow, SignInRequest, SignInStore } from '../ports/sign-in-store.ts';
import { hashPassword, isPassword, MIN_PASSWORD } from './password.ts';
import { newPersonId, ownersOf, type People } from './people.ts';

/** Signing in to the console: by a link that counts once, or by name and password, into a session that is kept as a hash. */

/** From where somebody signs in. */
export interface SignInFrom {
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
  /** Whether an account of an issuer signs the person in. */
  readonly isLinked: boolean;
}

interface NewPassword {
  readonly password: string;
  readonly current: string | null;
}

export interface SignIn {
  /** Makes a link for a person, of which the database keeps a hash. Whoever lets somebody in, or in anew, has the log say so. */
  newLink(person: string): Promise<string>;
  /** The same for whoever has the machine: the log says that it was made. Throws 404 NOT_FOUND. */
  machineLink(person: string, why?: PersonWhy): Promise<string>;
  /** That of the first owner, who is made if the installation has none. */
  ownerLink(why?: PersonWhy): Promise<string>;
  /** The link of the very first start; `null`: there was one before. */
  firstLink(): Promise<string | null>;
  /** Opens a session, and answers its token, which is kept nowhere. Throws 401 UNAUTHORIZED for a link that is no longer good. */
  byLink(link: string, from: SignInFrom): Promise<string>;
  /** The same. Throws 401 UNAUTHORIZED for a name or password that is wrong, one answer for both. */
  byPassword(name: string, password: string, from: SignInFrom): Promise<string>;
  /**
   * Opens a session of a person who has signed in elsewhere. `isStill`: asked behind that; if it says no, the session ends at once. `null`:
   * nobody is signed in.
   */
  openFor(person: string, from: SignInFrom, isStill: () => Promise<boolean>): Promise<string | null>;
  hasPassword(person: string): Promise<boolean>;
  /**
   * Sets the password, and ends the other sessions. `current`: the one before, where there is one, so that a session which was left open
   * makes nobody its owner. Throws 400 VALIDATION_FAILED for one that is too short, 401 UNAUTHORIZED for a wrong `current`, and SIGNED_OUT
   * if this session is over by then.
   */
  setPassword(person: string, passwords: NewPassword, session: string): Promise<void>;
  /** When each person signed in last, unix ms. */
  lastSignIns(): Promise<ReadonlyMap<string, number>>;
  /** Since when that is kept, unix ms. */
  notedSince(): Promise<number>;
  /** Ends every session and link of a person who is gone, and forgets the password. */
  lockOut(person: string): Promise<void>;
  /**
   * The same, and forgets what signs the person in elsewhere: all that ends before the log tells it, so however this breaks off, the log
   * tells it of nobody who is still signed in. `isAllowed` may refuse. Throws 404 NOT_FOUND.
   */
  reset(actor: Actor, person: string, why: PersonWhy, isAllowed?: (state: PeopleState) => Refusal | null): Promise<void>;
  /** Ends one session of a person, or all (`null`), before the log tells it. Answers how many there were. `isAllowed` as for `reset`. */
  signOut(
    actor: Actor,
    person: string,
    session: string | null,
    why: PersonWhy,
    isAllowed?: (state: PeopleState) => Refusal | null,
  ): Promise<number>;
  /** Who has this session. `isUse`: a person asks, which prolongs it. Throws 401 SIGNED_OUT if it is over. */
  signedIn(token: string, isUse: boolean): Promise<SignedIn>;
  /** The same of a token that the command line sends. Throws 401 UNAUTHORIZED. */
  commandSignedIn(token: string, isUse: boolean): Promise<SignedIn>;
  /** A command line asks to be signed in: what it shows to a person, and the secret by which it asks whether one has confirmed it. */
  request(from: SignInFrom): Promise<{ readonly request: SignInRequest; readonly secret: string }>;
  /** What asks by a code. Throws 404 NOT_FOUND. */
  requested(code: string): Promise<SignInRequest>;
  /** Signs that command line in as this person. Throws 404 NOT_FOUND. */
  confirm(code: string, of: SignedIn): Promise<void>;
  refuse(code: string): Promise<void>;
  /** The token of a request that was confirmed, once; `null`: nobody has yet. Throws 401 UNAUTHORIZED if it is over or was refused. */
  byRequest(secret: string): Promise<string | null>;
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
/** The same on the command line, whose token is in a file that its owner alone reads. */
const COMMAND_IDLE_MS = 7 * 24 * HOUR_MS;
const COMMAND_MS = 30 * 24 * HOUR_MS;
/** How long a command line waits to be confirmed, and how many may. */
const REQUEST_MS = 10 * MINUTE_MS;
const MAX_REQUESTS = 200;
/** Nobody takes one for another, and none is a vowel, so that no code is a word. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
/** How the tokens of the command line begin, so that whoever finds one knows what it is. */
const COMMAND_PREFIX = 'sp_person_';
/** How exactly it is known when a session was used last. */
const USE_MS = MINUTE_MS;

const MAX_AGENT = 200;
/** Passwords that are checked at a time: each takes 32 MiB and a tenth of a second. */
const PASSWORD_SLOTS = 2;

/** What the owner is called whom the first link makes. */
const OWNER_NAME = 'owner';

/** How people may sign in besides an issuer. */
interface SignInWays {
  /** Whether passwords sign in. Links do in any case: they are the way back in when nothing else works. */
  readonly passwords: boolean;
  /** Somebody signed in by a link. */
  onLink(person: string): void;
}

const ANY_WAY: SignInWays = { passwords: true, onLink: () => undefined };

export function createSignIn(store: SignInStore, people: People, scheduler: Pick<Scheduler, 'now'>, ways = ANY_WAY): SignIn {
  const passwords = new Bulkhead({ slots: PASSWORD_SLOTS, queue: 20 });

  const newLink = async (person: string) => {
    const link = newSecret();
    await store.keepLink(hashOf(link), person, scheduler.now() + LINK_MS);
    return link;
  };

  const machineLink = async (person: string, why: PersonWhy = {}) => {
    // Before there is one: none goes untold.
    await people.change('person.link', OPERATOR, (state) => explained(person, linkPerson(state, person), why));
    return newLink(person);
  };

  const ownerLink = async (why?: PersonWhy) => {
    const person = newPersonId();
    const owner = { person, project: EVERY_PROJECT, role: 'owner' };
    const state = await people.change('person.add', OPERATOR, (now) =>
      ownersOf(now).length === 0 ? addPerson(now, { ...owner, name: freeName(now) }) : [],
    );
    return machineLink(ownersOf(state)[0]?.id ?? person, why);
  };

  /** Answers the token of a new session; `null`: it may not be opened any more. */
  const open = async (person: string, { agent, address }: SignInFrom, kind: SessionKind, keep: KeepSession): Promise<string | null> => {
    const now = scheduler.now();
    await store.sweep(now);
    const isCommand = kind === 'command';
    const token = (isCommand ? COMMAND_PREFIX : '') + newSecret();
    const id = `s_${randomBytes(8).toString('hex')}`;
    const bounds = isCommand ? { idle: COMMAND_IDLE_MS, until: now + COMMAND_MS } : { idle: IDLE_MS, until: now + SESSION_MS };
    const session = { id, person, createdAt: now, usedAt: now, ...bounds, kind, agent: agent.slice(0, MAX_AGENT), address };
    return (await keep(hashOf(token), session)) ? token : null;
  };

  /** `null`: it is over. */
  const inForce = async (token: string, kind: SessionKind, isUse: boolean): Promise<SignedIn | null> => {
    const now = scheduler.now();
    const session = await store.session(hashOf(token), kind, now);
    if (session === null) return null;
    const known = async (of: Promise<PeopleState>) => (await of).people.get(session.person);
    // Another node may just have let the person in.
    const person = (await known(people.current())) ?? (await known(people.latest()));
    if (person === undefined) return null;
    if (isUse && now - session.usedAt > USE_MS) await store.noteUse(session.id, now);
    return { person: signedInPerson(person), session };
  };

  return {
    newLink,
    machineLink,
    ownerLink,
    firstLink: async () => ((await store.isFirst()) ? ownerLink() : null),

    async byLink(link, from) {
      const hash = hashOf(link);
      const person = await store.personOfLink(hash, scheduler.now());
      const wrong = async () => wrongLink(await store.goneLink(hash, scheduler.now()));
      if (person === null || !(await people.latest()).people.has(person)) throw await wrong();
      const token = await open(person, from, 'browser', (...session) => store.openByLink(hash, ...session));
      if (token === null) throw await wrong();
      ways.onLink(person);
      return token;
    },

    async byPassword(name, password, from) {
      if (!ways.passwords) throw noPasswords();
      const person = personNamed(await people.latest(), name);
      const kept = person === undefined ? null : await store.password(person.id);
      // An unknown name takes as long as a known one.
      const fits = await passwords.run('passwords', () => isPassword(password, kept));
      if (person === undefined || kept === null || !fits) throw wrongPassword();
      const token = await open(person.id, from, 'browser', (...session) => store.openByPassword(kept, ...session));
      if (token === null) throw wrongPassword();
      return token;
    },

    async openFor(person, from, isStill) {
      let opened = '';
      const token = await open(person, from, 'browser', (hash, session) => {
        opened = session.id;
        return store.openByIssuer(hash, session);
      });
      if (token === null || (await isStill())) return token;
      await store.endSession(person, opened);
      return null;
    },

    hasPassword: async (person) => (await store.password(person)) !== null,

    async setPassword(person, { password, current }, session) {
      if (!ways.passwords) throw noPasswords();
      if (password.length < MIN_PASSWORD || password.length > 200)
        throw refusal('VALIDATION_FAILED', `A password has ${MIN_PASSWORD} to 200 characters`);
      const kept = await store.password(person);
      if (kept !== null && !(await passwords.run('passwords', () => isPassword(current ?? '', kept))))
        throw refusal('UNAUTHORIZED', 'The current password is wrong; `savepoint user reset` makes a new link without it');
      const hash = await passwords.run('passwords', () => hashPassword(password));
      if (!(await store.keepPassword(person, hash, session))) throw refusal('SIGNED_OUT');
    },

    notedSince: () => store.notedSince(),

    async lastSignIns() {
      return new Map((await store.standing()).flatMap(({ person, signedInAt }) => (signedInAt === null ? [] : [[person, signedInAt]])));
    },

    lockOut: (person) => store.lockOut(person, true),

    async reset(actor, person, why, isAllowed = () => null) {
      const decide = (state: PeopleState) => isAllowed(state) ?? explained(person, resetPerson(state, person), why);
      // What refuses it refuses before anything ends.
      accepted(decide(await people.latest()));
      await store.lockOut(person, false);
      await people.change('person.reset', actor, decide);
      // What began meanwhile.
      await store.lockOut(person, false);
    },

    async signOut(actor, person, session, why, isAllowed = () => null) {
      const which = session === null ? 'all' : 'one';
      const decide = (state: PeopleState) => isAllowed(state) ?? explained(person, signOutPerson(state, person, which), why);
      accepted(decide(await people.latest()));
      const open = await store.sessionsOf(person, scheduler.now());
      const ends = open.filter(({ id }) => session === null || id === session);
      if (ends.length === 0) return 0;
      const end = () => (session === null ? store.endOtherSessions(person, '') : store.endSession(person, session));
      await end();
      await people.change('person.signOut', actor, decide);
      // What began meanwhile.
      if (session === null) await end();
      return ends.length;
    },

    async signedIn(token, isUse) {
      const found = await inForce(token, 'browser', isUse);
      if (found === null) throw refusal('SIGNED_OUT');
      return found;
    },

    async commandSignedIn(token, isUse) {
      const found = await inForce(token, 'command', isUse);
      if (found === null) throw refusal('UNAUTHORIZED', 'This sign-in is over; `savepoint login --console` makes a new one');
      return found;
    },

    async request({ agent, address }) {
      const now = scheduler.now();
      await store.sweep(now);
      const secret = newSecret();
      const request = { code: newCode(), agent: agent.slice(0, MAX_AGENT), address, until: now + REQUEST_MS };
      if (!(await store.keepRequest(hashOf(secret), request, MAX_REQUESTS)))
        throw refusal('RATE_LIMITED', 'Too many command lines wait to be confirmed; try again in some minutes', { retryAfter: 60 });
      return { request, secret };
    },

    async requested(code) {
      const request = await store.request(code, scheduler.now());
      if (request === null) throw noRequest();
      return request;
    },

    async confirm(code, { person, session }) {
      if (!(await store.confirmRequest(code, person.id, session.id, scheduler.now()))) throw noRequest();
    },

    refuse: (code) => store.refuseRequest(code),

    async byRequest(secret) {
      const hash = hashOf(secret);
      const found = await store.requestBy(hash, scheduler.now());
      if (found?.person === null) return null;
      const keep: KeepSession = (...session) => store.openByRequest(hash, ...session);
      // The session is of the machine that the person was shown.
      const token = found === null ? null : await open(found.person, found, 'command', keep);
      if (token === null) throw refusal('UNAUTHORIZED', 'Nobody confirmed this sign-in within ten minutes, or somebody refused it');
      return token;
    },

    sessionsOf: (person) => store.sessionsOf(person, scheduler.now()),

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

const GONE = { used: 'This link was used before', over: 'This link is older than ten minutes' } as const;

/** Whoever holds a link learns what became of it, and of any other nothing. */
function wrongLink(gone: keyof typeof GONE | null): Refusal {
  const why = gone === null ? 'There is no such link: it is not whole, was taken back, or went more than a day ago' : GONE[gone];
  return refusal('UNAUTHORIZED', `${why}; \`savepoint console link\` makes another one`, {
    error: { details: { link: gone ?? 'unknown' } },
  });
}

function wrongPassword(): Refusal {
  return refusal('UNAUTHORIZED', 'Name or password is wrong; `savepoint user reset` makes a new link');
}

function noPasswords(): Refusal {
  return refusal('ACCESS_DENIED', 'Passwords are off here (CONSOLE_PASSWORDS): sign in at the issuer, or by a link');
}

function noRequest(): Refusal {
  return refusal('NOT_FOUND', 'No command line shows this code now; it shows one for ten minutes');
}

/** As `BCDF-GHJK`. */
function newCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}

function signedInPerson(person: PersonState): SignedInPerson {
  const { id, name } = person;
  return {
    id,
    name,
    roleIn: (project) => roleIn(person, project),
    everywhere: person.roles.get(EVERY_PROJECT) ?? null,
    isLinked: person.accounts.size > 0,
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
