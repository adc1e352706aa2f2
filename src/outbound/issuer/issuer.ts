import type * as oidc from 'openid-client';
import type { Identity, Issuer, Waiting } from '../../app/ports/issuer.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { boundedFetch } from './bounded-fetch.ts';

/** An issuer of OpenID Connect, by `openid-client`: code flow with PKCE, state and nonce; tokens are checked with its keys. */

export interface IssuerSettings {
  readonly address: string;
  readonly client: string;
  /** `null`: the client has none, and PKCE alone proves it. */
  readonly secret: string | null;
  readonly name: string;
}

/** Is told why a sign-in did not come about, for the log: no token, no code and nothing of a person. */
export type IssuerFailed = (reason: string) => void;

/** How long a request to the issuer may take, s, and by how much its clock may differ. */
const TIMEOUT_S = 10;
const LEEWAY_S = 60;
/** How long its description is used, ms, and how long after a failure nobody asks for it again. */
const FRESH_MS = 60 * 60_000;
const FAILED_MS = 5_000;
const MAX_ANSWER = 8_192;

interface Known {
  readonly config: Promise<oidc.Configuration>;
  readonly until: number;
}

/** Nothing is asked of the issuer before somebody signs in. */
export function createIssuer(settings: IssuerSettings, scheduler: Pick<Scheduler, 'monotonic'>, failed: IssuerFailed): Issuer {
  const { address, name } = settings;
  let known: Known | null = null;

  const described = (): Promise<oidc.Configuration> => {
    if (known !== null && scheduler.monotonic() < known.until) return known.config;
    const config = configurationOf(settings);
    const asked = { config, until: scheduler.monotonic() + FRESH_MS };
    known = asked;
    config.catch(() => {
      if (known === asked) known = { config, until: scheduler.monotonic() + FAILED_MS };
    });
    return config;
  };

  const away = (error: unknown): Refusal => {
    failed(reasonOf(error));
    return new Refusal(503, 'ISSUER_UNAVAILABLE', `${name} cannot be asked now; try again shortly, or sign in by a link`, {
      retryAfter: 5,
    });
  };

  return {
    address,
    name,

    async begin({ state, nonce, verifier }, back) {
      const library = await import('openid-client');
      const config = await described().catch((error: unknown) => Promise.reject(away(error)));
      const asked = {
        redirect_uri: back,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      try {
        return library.buildAuthorizationUrl(config, asked).href;
      } catch (error) {
        // Its description names no page to sign in at.
        throw away(error);
      }
    },

    async finish(waiting, back, answer) {
      const library = await import('openid-client');
      if (answer.length > MAX_ANSWER) throw refused('answers with more than a sign-in takes', name);
      const config = await described().catch((error: unknown) => Promise.reject(away(error)));
      try {
        return await identified(library, config, waiting, new URL(`${back}?${answer.replace(/^\?/, '')}`));
      } catch (error) {
        throw failureOf(library, error, name, failed) ?? away(error);
      }
    },

    async problem() {
      try {
        await configurationOf(settings);
        return null;
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
}

async function configurationOf({ address, client, secret }: IssuerSettings): Promise<oidc.Configuration> {
  const library = await import('openid-client');
  const url = new URL(address);
  // Settings allow plain HTTP on this machine alone.
  const execute = [library.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [library.allowInsecureRequests] : [])];
  const options = { [library.customFetch]: boundedFetch(url), timeout: TIMEOUT_S, execute };
  const proof = secret === null ? library.None() : proofBy(library, secret);
  return library.discovery(url, client, { [library.clockTolerance]: LEEWAY_S }, proof, options);
}

/** The client's secret, in the way that the issuer says it takes. */
function proofBy({ ClientSecretBasic, ClientSecretPost }: typeof oidc, secret: string): oidc.ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (ways.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

async function identified(
  library: typeof oidc,
  config: oidc.Configuration,
  { state, nonce, verifier }: Waiting,
  came: URL,
): Promise<Identity> {
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await library.authorizationCodeGrant(config, came, checks);
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('it answered no ID token');
  // Everybody whom it does not name would be one and the same.
  if (claims.sub === '') throw new Error('its ID token names nobody');
  const told = emailIn(claims);
  if (told !== null || config.serverMetadata().userinfo_endpoint === undefined) return { subject: claims.sub, email: told };
  return { subject: claims.sub, email: emailIn(await library.fetchUserInfo(config, tokens.access_token, claims.sub)) };
}

/** An address that was not verified is anybody's. */
function emailIn(claims: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: isVerified } = claims;
  return typeof email === 'string' && isVerified === true ? email : null;
}

/** What a browser is told of an answer that is refused; `null`: the issuer is away. */
function failureOf(library: typeof oidc, error: unknown, name: string, failed: IssuerFailed): Refusal | null {
  if (error instanceof library.AuthorizationResponseError) {
    failed(`it refused the sign-in (${known(error.error)})`);
    return refused(
      error.error === 'access_denied'
        ? 'was not allowed to say who you are: the sign-in was cancelled there'
        : `refused the sign-in (${known(error.error)})`,
      name,
    );
  }
  if (error instanceof library.ResponseBodyError && error.status < 500) {
    failed(`it refused the code (${known(error.error)})`);
    if (error.error === 'invalid_grant')
      return refused('takes this sign-in no more: it was used already, or took too long. Begin again', name);
    return refused(
      `does not take this console as its client (${known(error.error)}); an operator must look at CONSOLE_OIDC_CLIENT_ID and its secret`,
      name,
    );
  }
  const code = error instanceof library.ClientError ? (error.code ?? '') : '';
  const said = BY_CODE[code];
  if (said === undefined) return null;
  failed(reasonOf(error));
  return refused(said, name);
}

const BY_CODE: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: 'answered with what does not belong to this sign-in, or what it has not signed. Begin again',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'answered with a token that is for somebody else, of another issuer or of another sign-in',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED:
    'answered with a token that is over or not valid yet; if it goes on, the clocks differ by more than a minute',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'answered with a token of one person, and with the address of another',
  OAUTH_UNSUPPORTED_OPERATION:
    'signs its tokens in a way that this console does not take, or answered by another flow; an operator must look at what it signs with: RS256 is one that is taken',
  OAUTH_KEY_SELECTION_FAILED: 'answered with a token that none of its keys has signed',
};

function refused(what: string, name: string): Refusal {
  return refusal('UNAUTHORIZED', `${name} ${what}`);
}

/** A code of an error as the protocol knows them: whatever else stands there is not shown. */
function known(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'for a reason of its own';
}

/** Why it failed, in the words of whatever failed. Texts of the issuer itself are left out: they may name people. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  if (cause === '') return errorMessage(error).slice(0, 300);
  // What the library says of anything that it does not know itself.
  return (errorMessage(error) === 'something went wrong' ? cause : `${errorMessage(error)}: ${cause}`).slice(0, 300);
}
