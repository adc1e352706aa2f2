import { z } from 'zod';
import { SESSION_KEYS } from '../credentials.ts';
import { Failure } from '../errors.ts';
import { AS_PLAYER, PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, instant, ok } from '../values.ts';

const Session = z
  .object({
    id: z.string(),
    projectId: z.string(),
    userId: z.int().meta({ description: "The owner of the project: an installation's operator" }),
    platformId: z.string().optional(),
    createdAt: instant,
    expiresAt: instant,
    revokedAt: instant.nullable(),
  })
  .catchall(anyJson)
  .meta({ id: 'Session', description: 'A session of a player' });

export const SessionOpened = z
  .strictObject({
    ok,
    status: z.literal(200),
    sessionToken: z.string().optional().meta({ description: 'Opaque; absent after a revoke' }),
    ttlSeconds: z.int().optional(),
    session: Session,
    _requestId: z.string(),
  })
  .meta({ id: 'SessionOpened', description: 'The session, and its token' });

const SessionRefused = Failure.extend({ status: z.int(), _requestId: z.string() }).meta({
  id: 'SessionRefused',
  description: 'Why there is no session; HTTP status 200, because a game cannot read the body of another',
});

const SessionClaim = z
  .object({
    platformId: z.union([z.string(), z.number()]).optional(),
    token: z.string().optional().meta({ description: 'As `x-platform-token`' }),
    sessionToken: z.string().optional().meta({ description: 'As `x-auth-session`' }),
  })
  .catchall(anyJson)
  .meta({ id: 'SessionClaim', description: 'Who plays, and what proves it; all of it may come in headers' });

const session = <const Operation extends 'create' | 'refresh' | 'reauth' | 'revoke'>(
  operation: Operation,
  summary: string,
  needs: string,
) =>
  route({
    id: `${operation}Session`,
    method: 'POST',
    path: `/:project/${operation}`,
    family: 'sessions',
    tag: 'Players',
    summary,
    description: `${needs} What is refused has HTTP status 200, and the one that is meant inside.`,
    keys: SESSION_KEYS,
    headers: AS_PLAYER,
    body: { schema: SessionClaim, required: false, loose: true, unreadable: null },
    answers: { 200: z.union([SessionOpened, SessionRefused]) },
    answerHeaders: {
      'X-Request-Id': z.string(),
      'Retry-After': z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'Seconds; where the answer says that the player cannot be verified now' }),
    },
    errors: [],
    writes: true,
    refusesKey: true,
    idempotent: false,
    ...(operation === 'create'
      ? {
          example: {
            headers: { 'x-platform-id': PLAYER },
            answer: {
              ok: true,
              status: 200,
              sessionToken: 'ns_sess_…',
              ttlSeconds: 3600,
              session: {
                id: '0123456789abcdef0123456789abcdef',
                projectId: 'demo',
                userId: 1,
                platformId: PLAYER,
                createdAt: '2026-03-01T12:00:00.000Z',
                expiresAt: '2026-03-01T13:00:00.000Z',
                revokedAt: null,
              },
              _requestId: '2f1c9d1e-7d0f-4a43-9a57-3a1f4f6f8a10',
            },
          },
        }
      : {}),
  });

export const sessions = {
  create: session('create', 'A session for a player who proves to be one', 'Takes the id of the player and its token.'),
  refresh: session('refresh', 'A new session beside one that is in force', "Takes a session's token."),
  reauth: session('reauth', 'The same, with the player proven anew', "Takes a session's token, and the player's."),
  revoke: session('revoke', 'End a session, and all that were refreshed from it', "Takes a session's token."),
} as const;

const Modes = z.strictObject({ authSessions: z.string(), encryptedRequests: z.string(), analytics: z.string() });

export const securityConfig = {
  read: route({
    id: 'readSecurityConfig',
    method: 'GET',
    path: '/:project',
    family: 'security-config',
    tag: 'Players',
    summary: "What the project's clients are told of its security, signed",
    description: [
      '`config.signature` is RSASSA-PKCS1-v1_5 with SHA-256 over the stable JSON (sorted names, no blanks) of `config` without it, by the',
      "installation's key, which `config.signing` shows.",
    ].join('\n'),
    keys: null,
    query: {
      refresh: z.enum(['1']).meta({ description: 'Asks for one as of the end of the log; so does `cache=bypass`' }),
      cache: z.enum(['bypass']),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          source: z.literal('store'),
          config: z.strictObject({
            schemaVersion: z.int(),
            projectId: z.string(),
            configVersion: z.string(),
            generatedAt: instant,
            ttlSeconds: z.int(),
            modes: Modes,
            clientMode: z.string(),
            settings: z.record(z.string(), anyJson),
            signing: z.record(z.string(), anyJson),
            signature: z.string(),
          }),
        })
        .meta({ id: 'SecurityConfig', description: 'The configuration' }),
    },
    answerHeaders: {
      'X-Security-Config-Version': z.string(),
      'X-Security-Config-Cache': z.enum(['bypass', 'public']),
      'X-Security-Config-Source': z.literal('store'),
    },
    errors: ['SECURITY_CONFIG_NOT_FOUND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        source: 'store',
        config: {
          schemaVersion: 1,
          projectId: 'demo',
          configVersion: '0123456789abcdef',
          generatedAt: '2026-03-01T12:00:00.000Z',
          ttlSeconds: 60,
          modes: { authSessions: 'disabled', encryptedRequests: 'disabled', analytics: 'enabled' },
          clientMode: 'legacy',
          settings: { enableAuthSessions: false, authSessionTtlSeconds: 3600, enableEncryptedRequests: false },
          signing: { algorithm: 'RS256' },
          signature: '…',
        },
      },
    },
  }),
} as const;
