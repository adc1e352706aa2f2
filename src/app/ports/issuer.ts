/** An issuer of OpenID Connect, where people sign in. */

/** What binds an answer of the issuer to the browser that was sent there: nobody else knows any of it. */
export interface Waiting {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who signed in there. */
export interface Identity {
  /** The issuer's own name for the account, which it never gives to another one. */
  readonly subject: string;
  /** The e-mail address, if the issuer says that it is verified; `null`: it says nothing of the kind. */
  readonly email: string | null;
}

export interface Issuer {
  /** Its address, as its tokens name it. */
  readonly address: string;
  /** What people call it. */
  readonly name: string;
  /** Where a browser is sent. `back`: where it comes back to. Throws 503 ISSUER_UNAVAILABLE. */
  begin(waiting: Waiting, back: string): Promise<string>;
  /**
   * Who signed in. `answer`: the query with which the browser came back. Throws 401 UNAUTHORIZED for an answer that is refused, and 503
   * ISSUER_UNAVAILABLE.
   */
  finish(waiting: Waiting, back: string, answer: string): Promise<Identity>;
  /** Why nobody can sign in there now; `null`: nothing speaks against it. */
  problem(): Promise<string | null>;
}
