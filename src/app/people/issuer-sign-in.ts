import { createHash, randomBytes } from 'node:crypto';
import {
  type Account,
  linkAccount,
  type PeopleState,
  type PersonState,
  peopleOfEmail,
  personOfAccount,
  unlinkAccount,
} from '../../domain/people/people.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Identity, Issuer, Waiting } from '../ports/issuer.ts';
import type { People } from './people.ts';
import type { SignedIn, SignIn, SignInFrom } from './sign-in.ts';

/**
 * Signing in at an issuer of OpenID Connect. While somebody is there, this side keeps nothing: the browser has a secret of which state,
 * nonce and verifier are made, each by a hash, so nobody else can end what that browser has begun, and nobody can learn one of them from
 * another.
 */
export interface IssuerSignIn {
  /** What people call the issuer. */
  readonly name: string;
  /**
   * Where the browser is sent, and the secret that it keeps. `of`: whom the account is to sign in from now on, whose session alone can end
   * it; `null`: it is to sign in. Throws 403 ACCESS_DENIED for a session that did not begin lately: one that was left open must make nobody
   * its owner.
   */
  begin(back: string, of: SignedIn | null): Promise<{ readonly url: string; readonly secret: string }>;
  /** What a secret was made for. Throws 401 UNAUTHORIZED for one that is too old, or none. */
  purposeOf(secret: string | null): Purpose;
  /**
   * Opens a session for whom the issuer named, and answers its token. Who comes for the first time is the person with the same, verified
   * e-mail address. Nobody is let in by this who was not before. Throws 401 UNAUTHORIZED, 403 ACCESS_DENIED, 409 ACCOUNT_LINKED, 503
   * ISSUER_UNAVAILABLE.
   */
  finish(secret: string, back: string, answer: string, from: SignInFrom): Promise<string>;
  /**
   * Has the account sign in from now on whoever is signed in. `stillSignedIn` rejects once that session is over: what ends it ends this,
   * too. Throws as `finish`.
   */
  link(secret: string, back: string, answer: string, of: SignedIn, stillSignedIn: () => Promise<unknown>): Promise<void>;
}

type Purpose = 'sign-in' | 'link';

/** How long somebody may take at the issuer. */
export const WAITING_MS = 10 * 60_000;
/** How old a session may be that links an account. */
const LATELY_MS = 10 * 60_000;
/** By how much the clocks of two nodes may differ. */
const CLOCKS_MS = 60_000;
const SECRET = /^[\w-]{43}\.(\d{1,15})\.(sign-in|link)$/;

interface Parts {
  readonly issuer: Issuer;
  /** Domains whose e-mail addresses may sign in; empty: any. */
  readonly domains: readonly string[];
  readonly people: People;
  readonly signIn: Pick<SignIn, 'openFor'>;
  readonly scheduler: Pick<Scheduler, 'now'>;
}

export function createIssuerSignIn({ issuer, domains, people, signIn, scheduler }: Parts): IssuerSignIn {
  const { name } = issuer;

  const purposeOf = (secret: string | null): Purpose => {
    const [, begun, purpose] = SECRET.exec(secret ?? '') ?? [];
    const age = scheduler.now() - Number(begun);
    if (begun === undefined || age > WAITING_MS || age < -CLOCKS_MS) throw over();
    return purpose === 'link' ? 'link' : 'sign-in';
  };

  const requireLately = ({ session }: SignedIn, mostMs: number) => {
    if (scheduler.now() - session.createdAt <= mostMs) return;
    throw refusal('ACCESS_DENIED', 'You signed in a while ago: sign out and in again, and link your account within ten minutes');
  };

  const identified = async (secret: string, back: string, answer: string, of: SignedIn | null): Promise<Identity & Account> => {
    purposeOf(secret);
    const identity = await issuer.finish(waitingOf(secret, of), back, answer);
    const domain = identity.email?.slice(identity.email.lastIndexOf('@') + 1).toLowerCase();
    if (domains.length > 0 && (domain === undefined || !domains.includes(domain)))
      throw refusal('ACCESS_DENIED', `${name} names no verified e-mail address of a domain that may sign in here (CONSOLE_OIDC_DOMAINS)`);
    return { ...identity, issuer: issuer.address, account: accountOf(issuer.address, identity.subject) };
  };

  return {
    name,
    purposeOf,

    async begin(back, of) {
      if (of !== null) requireLately(of, LATELY_MS);
      const secret = `${randomBytes(32).toString('base64url')}.${scheduler.now()}.${of === null ? 'sign-in' : 'link'}`;
      return { url: await issuer.begin(waitingOf(secret, of), back), secret };
    },

    async finish(secret, back, answer, from) {
      const identity = await identified(secret, back, answer, null);
      const known = personOfAccount(await people.latest(), identity);
      const { id } = known ?? (await linkedByEmail(people, name, identity));
      // Somebody may be resetting or removing the person at this moment.
      const isLinked = async () => personOfAccount(await people.latest(), identity)?.id === id;
      const token = await signIn.openFor(id, from, isLinked);
      if (token === null) throw refusal('UNAUTHORIZED', 'The person was reset or removed meanwhile');
      return token;
    },

    async link(secret, back, answer, of, stillSignedIn) {
      requireLately(of, LATELY_MS + WAITING_MS);
      const { person } = of;
      const identity = await identified(secret, back, answer, of);
      await stillSignedIn();
      let isNew = false;
      await people.change('person.link', { kind: 'person', person: person.id }, (state) => {
        const linked = linkAccount(state, person.id, identity);
        isNew = !(linked instanceof Refusal) && linked.length > 0;
        return linked;
      });
      // Somebody may have reset the person at this moment, or have ended the session.
      await stillSignedIn().catch(async (over: unknown) => {
        if (isNew)
          await people.change('person.link', { kind: 'person', person: person.id }, (state) => unlinkAccount(state, person.id, identity));
        throw over;
      });
    },
  };
}

/** Links who signs in for the first time. */
async function linkedByEmail(people: People, name: string, identity: Identity & Account): Promise<PersonState> {
  const found = accepted(invitedOf(await people.latest(), name, identity));
  await people.change('person.link', { kind: 'person', person: found.id }, (state) => {
    const now = invitedOf(state, name, identity);
    return now instanceof Refusal ? now : linkAccount(state, now.id, identity);
  });
  return found;
}

/** The one person who was let in with an e-mail address that the issuer has verified. */
function invitedOf(state: PeopleState, name: string, { email }: Identity): PersonState | Refusal {
  if (email === null)
    return refusal(
      'ACCESS_DENIED',
      `${name} names no verified e-mail address of you. Sign in otherwise, and link your account under your name`,
    );
  const [found, ...more] = peopleOfEmail(state, email);
  if (found === undefined)
    return refusal(
      'ACCESS_DENIED',
      `Nobody was let in here with the e-mail address that ${name} names; ask an owner to invite you with it`,
    );
  if (more.length === 0) return found;
  return refusal(
    'ACCESS_DENIED',
    'Several people were let in with this e-mail address. Sign in otherwise, and link your account under your name',
  );
}

function accountOf(issuer: string, subject: string): string {
  return createHash('sha256').update(`${issuer}\n${subject}`).digest('hex');
}

function waitingOf(secret: string, of: SignedIn | null): Waiting {
  const whole = of === null ? secret : `${secret} ${of.session.id}`;
  const made = (what: string) => createHash('sha256').update(`${what} ${whole}`).digest('base64url');
  return { state: made('state'), nonce: made('nonce'), verifier: made('verifier') };
}

function over(): Refusal {
  return refusal('UNAUTHORIZED', 'This sign-in was used, took longer than ten minutes, or began in another browser; begin again');
}
