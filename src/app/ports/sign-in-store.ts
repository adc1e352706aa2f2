/** Where the sign-in of people is kept: the database alone, never the log. Of links and sessions it has hashes. Times in unix ms. */

/** By what a session's token is sent: a browser's cookie, or the command line. */
export type SessionKind = 'browser' | 'command';

/** A session as whoever has it may see it. */
export interface SessionRow {
  readonly id: string;
  readonly person: string;
  readonly createdAt: number;
  readonly usedAt: number;
  /** How long after its last use it is over, ms. */
  readonly idle: number;
  /** From when it is over, however much it is used. */
  readonly until: number;
  readonly kind: SessionKind;
  /** What the browser calls itself, or the machine of the command line. */
  readonly agent: string;
  /** From where it was opened; `null`: this machine. */
  readonly address: string | null;
}

/** A command line that asks to be signed in. */
export interface SignInRequest {
  /** What it shows, and a person types. */
  readonly code: string;
  readonly agent: string;
  readonly address: string | null;
  readonly until: number;
}

/** How a person stands to signing in. */
interface Standing {
  readonly person: string;
  readonly hasPassword: boolean;
  /** When a session that is open was last used. */
  readonly usedAt: number | null;
  /** The last time, however that session ended. */
  readonly signedInAt: number | null;
}

export interface SignInStore {
  keepLink(hash: string, person: string, until: number): Promise<void>;
  /** Whose link it is; `null`: none such, or it is too old. */
  personOfLink(hash: string, now: number): Promise<string | null>;
  /** Why a link lets nobody in, for a day; `null`: nobody made it, or it was taken back. */
  goneLink(hash: string, now: number): Promise<'used' | 'over' | null>;
  /** Whether this is asked for the first time in the installation. */
  isFirst(): Promise<boolean>;
  /** Uses the link up and opens a session of its person. False, and nothing is opened: the link is gone. */
  openByLink(link: string, hash: string, session: SessionRow): Promise<boolean>;
  /** Opens a session. False, and nothing is opened: the password that was checked (`checked`, its hash) is no longer the person's. */
  openByPassword(checked: string, hash: string, session: SessionRow): Promise<boolean>;
  /** Opens a session of a person who has signed in elsewhere. */
  openByIssuer(hash: string, session: SessionRow): Promise<boolean>;
  session(hash: string, kind: SessionKind, now: number): Promise<SessionRow | null>;
  noteUse(id: string, now: number): Promise<void>;
  /** Those in force, the last used first. */
  sessionsOf(person: string, now: number): Promise<readonly SessionRow[]>;
  /** Ends one session of a person, and what it has confirmed. Answers whether there was one. */
  endSession(person: string, id: string): Promise<boolean>;
  /** Ends all sessions of a person but this one. */
  endOtherSessions(person: string, id: string): Promise<void>;
  /** The hash of a person's password; `null`: none is set. */
  password(person: string): Promise<string | null>;
  /** Keeps a password and ends all other sessions and all links of the person. False, and nothing changes: this session is gone. */
  keepPassword(person: string, hash: string, session: string): Promise<boolean>;
  /**
   * Forgets the password and ends all sessions and links of a person. Nothing that was under way outlives it. `isGone`: and when the person
   * signed in last.
   */
  lockOut(person: string, isGone: boolean): Promise<void>;
  /** Of everybody who has a password or has signed in. */
  standing(): Promise<readonly Standing[]>;
  /** Since when it is kept who signed in last, unix ms. */
  notedSince(): Promise<number>;
  /** Forgets links, requests and sessions that are over. */
  sweep(now: number): Promise<void>;
  /** Keeps a request. False: so many wait already. */
  keepRequest(hash: string, request: SignInRequest, most: number): Promise<boolean>;
  /** The request of a code that nobody has confirmed yet; `null`: none such, or it is too old. */
  request(code: string, now: number): Promise<SignInRequest | null>;
  /** Notes who confirms a request. False: it is no longer there, somebody confirmed it, or this session of the person is gone. */
  confirmRequest(code: string, person: string, session: string, now: number): Promise<boolean>;
  /** Drops a request that nobody has confirmed. */
  refuseRequest(code: string): Promise<void>;
  /** The request, and who has confirmed it; its `person` is `null`: nobody has yet. `null`: there is no such request. */
  requestBy(hash: string, now: number): Promise<(SignInRequest & { readonly person: string | null }) | null>;
  /** Uses a confirmed request up and opens a session of its person. False, and nothing is opened: the request is gone. */
  openByRequest(request: string, hash: string, session: SessionRow): Promise<boolean>;
  /** Notes where the console is reached, for those who make links. */
  noteOrigin(origin: string): Promise<void>;
  origin(): Promise<string | null>;
  /** The projects of the installation, in the order of their creation. */
  projects(): Promise<readonly { readonly id: string; readonly title: string }[]>;
}
