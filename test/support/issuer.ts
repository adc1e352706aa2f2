import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

/** Issuers of OpenID Connect on this machine: `oidc-provider`, and one that answers whatever a test has it answer. */

export const CLIENT = 'console';
export const SECRET = 'a-secret-of-the-console-at-its-issuer';

/** A server on a free port, which answers by what `serve` is at that moment. */
async function listening(): Promise<{
  readonly address: string;
  readonly server: Server;
  serve: (req: IncomingMessage, res: ServerResponse) => unknown;
}> {
  const parts = { serve: (_: IncomingMessage, res: ServerResponse): unknown => res.writeHead(503).end() };
  const server = createServer((req, res) => void parts.serve(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    server,
    get serve() {
      return parts.serve;
    },
    set serve(serve) {
      parts.serve = serve;
    },
  };
}

function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}

interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface ProviderOnLoopback {
  readonly address: string;
  /** What the provider knows of whom. */
  readonly accounts: Map<string, Account>;
  /** Who sits before the browser, and what they say to the question whether this console may know; `null`: they say no. */
  user: string | null;
  /** Serves a console that browsers come back to here. */
  open(back: string): Promise<void>;
  stop(): Promise<void>;
}

/** A real provider, whose pages for signing in are replaced by an answer at once. */
export async function startProvider(): Promise<ProviderOnLoopback> {
  const at = await listening();
  const accounts = new Map<string, Account>();
  const { Provider } = await import('oidc-provider');
  const made: ProviderOnLoopback = {
    address: at.address,
    accounts,
    user: null,
    async open(back) {
      const provider = new Provider(at.address, {
        clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [back] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts.get(sub) }) }),
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        cookies: { keys: ['of this test'] },
        jwks: { keys: [await ownKey()] },
        ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      });
      const callback = provider.callback();
      at.serve = (req, res) => {
        if (!req.url?.startsWith('/interaction/')) return callback(req, res);
        return answered(req, res);
      };
      const answered = async (req: IncomingMessage, res: ServerResponse) => {
        const { prompt, params, session } = await provider.interactionDetails(req, res);
        if (made.user === null) return provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'said no' });
        if (prompt.name === 'login') return provider.interactionFinished(req, res, { login: { accountId: made.user } });
        const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
        grant.addOIDCScope('openid email');
        return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
      };
    },
    stop: () => stopped(at.server),
  };
  return made;
}

async function ownKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
}

/** What a made-up issuer says. Left out: what is right. */
interface Said {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signed by a key that the issuer does not publish. */
  readonly isForged?: boolean;
  /** Not signed at all, or by the secret that the client has, too; it is described so, too. */
  readonly signedBy?: 'none' | 'HS256';
  /** What it says of the account besides. */
  readonly account?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly body?: unknown;
  readonly description?: Readonly<Record<string, unknown>>;
  /** What happens before it answers a code. */
  readonly meanwhile?: () => Promise<unknown>;
}

export interface MadeUpIssuer {
  readonly address: string;
  said: Said;
  /** The nonce that the browser was sent with. */
  nonce: string;
  stop(): Promise<void>;
}

/** An issuer that answers every code with a token as the test says. */
export async function startMadeUpIssuer(): Promise<MadeUpIssuer> {
  const at = await listening();
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const issuer: MadeUpIssuer = { address: at.address, said: {}, nonce: '', stop: () => stopped(at.server) };
  const described = () => ({
    issuer: at.address,
    authorization_endpoint: `${at.address}/authorize`,
    token_endpoint: `${at.address}/token`,
    jwks_uri: `${at.address}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [issuer.said.signedBy ?? 'RS256'],
    ...(issuer.said.account === undefined ? {} : { userinfo_endpoint: `${at.address}/account` }),
    code_challenge_methods_supported: ['S256'],
    ...issuer.said.description,
  });
  const token = async () => {
    const now = Math.floor(Date.now() / 1000);
    const right = { iss: at.address, aud: CLIENT, sub: 'u1', iat: now, exp: now + 300, nonce: issuer.nonce };
    const { signedBy = 'RS256', claims } = issuer.said;
    if (signedBy === 'none') return new UnsecuredJWT({ ...right, ...claims }).encode();
    const signed = new SignJWT({ ...right, ...claims }).setProtectedHeader({ alg: signedBy, kid: 'k1' });
    if (signedBy === 'HS256') return signed.sign(new TextEncoder().encode(SECRET));
    return signed.sign(issuer.said.isForged ? other.privateKey : own.privateKey);
  };
  at.serve = async (req, res) => {
    const { status = 200 } = issuer.said;
    const answer = (body: unknown) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (req.url === '/.well-known/openid-configuration') return answer(described());
    if (req.url === '/account') return answer(issuer.said.account);
    if (req.url === '/keys') return answer({ keys: [jwk] });
    await issuer.said.meanwhile?.();
    return answer(issuer.said.body ?? { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: await token() });
  };
  return issuer;
}
