import { createHash, randomBytes } from 'node:crypto';
import { permissionsOf, type Role } from '../../domain/people/roles.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Person } from '../caller.ts';
import type { InForce, SessionRow, SignInStore } from '../ports/sign-in-store.ts';

/** Signing in to the console: by a link that counts once, into a session that is kept as a hash. */

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
}

export interface SignIn {
  /** Makes a link for a person, of which the database keeps a hash. */
  newLink(person: string): Promise<string>;
  /** The link of the very first start; `null`: there was one before. */
  firstLink(): Promise<string | null>;
  /** Opens a session, and answers its token, which is kept nowhere. Throws 401 UNAUTHORIZED for a link that is no longer good. */
  byLink(link: string, from: SignInFrom): Promise<string>;
  /** Who has this session. Throws 401 SIGNED_OUT if it is over. */
  signedIn(token: string): Promise<SignedIn>;
  sessionsOf(person: string): Promise<readonly SessionRow[]>;
  /** Throws 404 NOT_FOUND. */
  endSession(person: string, id: string): Promise<void>;
  /** The projects in which a person has a role. */
  projectsOf(person: SignedInPerson): Promise<readonly { readonly id: string; readonly title: string; readonly role: Role }[]>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a link is good. */
export const LINK_MS = 10 * MINUTE_MS;
/** A session that nobody uses for so long is over, and so is one of that age. */
const IDLE_MS = 12 * HOUR_MS;
const SESSION_MS = 7 * 24 * HOUR_MS;
/** How exactly it is known when a session was used last. */
const USE_MS = MINUTE_MS;

const MAX_AGENT = 200;

/** The one person of the installation: who runs it. */
export const OPERATOR = 'owner';

export function createSignIn(store: SignInStore, scheduler: Pick<Scheduler, 'now'>): SignIn {
  const inForce = (): InForce => ({ now: scheduler.now(), usedSince: scheduler.now() - IDLE_MS });

  const newLink = async (person: string) => {
    const link = newSecret();
    await store.keepLink(hashOf(link), person, scheduler.now() + LINK_MS);
    return link;
  };

  return {
    newLink,
    firstLink: async () => ((await store.isFirst()) ? newLink(OPERATOR) : null),

    async byLink(link, { agent, address }) {
      const now = scheduler.now();
      await store.sweep(inForce());
      const person = await store.takeLink(hashOf(link), now);
      if (person === null)
        throw refusal('UNAUTHORIZED', 'This link was used, or is older than ten minutes; `savepoint console link` makes another one');
      const token = newSecret();
      const id = `s_${randomBytes(8).toString('hex')}`;
      const session = { id, person, createdAt: now, usedAt: now, until: now + SESSION_MS, agent: agent.slice(0, MAX_AGENT), address };
      await store.openSession(hashOf(token), session);
      return token;
    },

    async signedIn(token) {
      const session = await store.session(hashOf(token), inForce());
      const person = session === null ? null : personOf(session.person);
      if (session === null || person === null) throw refusal('SIGNED_OUT');
      const now = scheduler.now();
      if (now - session.usedAt > USE_MS) await store.noteUse(session.id, now);
      return { person, session };
    },

    sessionsOf: (person) => store.sessionsOf(person, inForce()),

    async endSession(person, id) {
      if (!(await store.endSession(person, id))) throw refusal('NOT_FOUND', 'You have no such session; it may be over');
    },

    async projectsOf({ roleIn }) {
      const projects = await store.projects();
      return projects.flatMap(({ id, title }) => {
        const role = roleIn(id);
        return role === null ? [] : [{ id, title, role }];
      });
    },
  };
}

function personOf(id: string): SignedInPerson | null {
  if (id !== OPERATOR) return null;
  return { id, name: 'Owner', roleIn: () => 'owner', permissionsIn: () => permissionsOf('owner') };
}

/** 256 random bits: nobody guesses it, so a plain hash of it keeps it. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
