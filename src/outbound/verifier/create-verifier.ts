import type { PlayerVerifier } from '../../app/ports/player-verifier.ts';
import { VERIFIER_PRESET } from '../../domain/wire-names.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { type Check, NO_VERIFIER, type Service } from './check.ts';
import { isFetched } from './fetch-json.ts';
import { GuardedVerifier, type VerifierParts } from './guarded.ts';
import { hmacCheck } from './hmac.ts';
import { type HttpMapping, httpCheck } from './http.ts';
import { jwksAt } from './jwks.ts';
import { jwtCheck } from './jwt.ts';

/** The verifier settings of an installation. `null`: not set. */
export interface VerifierSettings {
  readonly kind: 'none' | 'http' | 'jwt' | 'hmac';
  /** For `http`: the defaults of settings that are not set. */
  readonly preset: 'custom' | 'published';
  readonly url: string | null;
  readonly idMember: string | null;
  readonly tokenMember: string | null;
  /** `path=text`. */
  readonly success: string | null;
  readonly idPath: string | null;
  /** For `hmac`, and for `jwt` without a key set. */
  readonly secret: string | null;
  readonly jwksUrl: string | null;
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly claim: string;
  readonly timeoutMs: number;
  readonly cacheSeconds: number;
}

/** What is wrong with the settings; `null`: nothing. */
export function verifierProblem({ kind, preset, url, secret, jwksUrl }: VerifierSettings): string | null {
  if (kind === 'http' && preset === 'custom' && url === null) return 'VERIFIER is http, and VERIFIER_URL is not set';
  if (kind === 'hmac' && secret === null) return 'VERIFIER is hmac, and VERIFIER_SECRET is not set';
  if (kind === 'jwt' && (secret === null) === (jwksUrl === null))
    return 'VERIFIER is jwt: set VERIFIER_JWKS_URL or VERIFIER_SECRET, one of them';
  return null;
}

/** Throws for settings with a {@link verifierProblem}. */
export function createVerifier(settings: VerifierSettings, scheduler: Scheduler, parts: VerifierParts = {}): PlayerVerifier {
  const problem = verifierProblem(settings);
  if (problem !== null) throw new Error(problem);
  const check = checkOf(settings, scheduler);
  if (check === null) return NO_VERIFIER;
  return new GuardedVerifier(check, { timeoutMs: settings.timeoutMs, cacheMs: settings.cacheSeconds * 1000 }, scheduler, parts);
}

/** A proof that nobody has: a service must refuse it, and the keys of an issuer are fetched for it. */
const NOBODY = { platformId: '0', token: `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.e30.AA` };

/**
 * Asks the service of a verifier about a player that does not exist. Answers why the service cannot verify anybody; `null` if it can, and
 * for verifiers that ask no service.
 */
export async function serviceProblem(settings: VerifierSettings, scheduler: Scheduler): Promise<string | null> {
  const check = checkOf(settings, scheduler);
  let answered: unknown;
  const ask: Service['ask'] = async (work) => {
    const answer = await work(AbortSignal.timeout(settings.timeoutMs));
    answered = answer;
    return answer;
  };
  try {
    const verdict = await check?.(NOBODY, { ask });
    if (verdict?.ok) return 'it takes a proof that nobody has';
    return isFetched(answered) && NOTHING_THERE.has(answered.status) ? `it answered ${answered.status}: is the path right?` : null;
  } catch (error) {
    return serviceFault(error);
  }
}

/** Not Found and Method Not Allowed: a service that judges tokens seldom answers so. */
const NOTHING_THERE: ReadonlySet<number> = new Set([404, 405]);

/** Why a request to a service failed. `fetch` names the reason only in the cause. */
export function serviceFault(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  return errorMessage(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}

function checkOf(settings: VerifierSettings, scheduler: Scheduler): Check | null {
  const now = () => scheduler.now();
  const { secret, jwksUrl, issuer, audience, claim } = settings;
  switch (settings.kind) {
    case 'none':
      return null;
    case 'http':
      return httpCheck(mappingOf(settings));
    case 'jwt':
      return jwtCheck({ secret, keys: jwksUrl === null ? null : jwksAt(jwksUrl, scheduler), issuer, audience, claim }, now);
    case 'hmac':
      return hmacCheck(secret ?? '', now);
  }
}

/** Defaults of the requests to a studio's own service. */
const CUSTOM: HttpMapping = { url: '', idMember: 'platformId', tokenMember: 'token', success: null, idPath: 'platformId' };

function mappingOf({ preset, url, idMember, tokenMember, success, idPath }: VerifierSettings): HttpMapping {
  const base = preset === 'published' ? VERIFIER_PRESET : CUSTOM;
  return {
    url: url ?? base.url,
    idMember: idMember ?? base.idMember,
    tokenMember: tokenMember ?? base.tokenMember,
    success: success === null ? base.success : successIn(success),
    idPath: idPath === null ? base.idPath : idPath === 'none' ? null : idPath,
  };
}

function successIn(text: string): HttpMapping['success'] {
  const at = text.indexOf('=');
  return text === 'none' ? null : { path: text.slice(0, at), value: text.slice(at + 1) };
}

/** Describes the verifier, without secrets, for `savepoint doctor` and the start. */
export function describeVerifier(settings: VerifierSettings): string {
  switch (settings.kind) {
    case 'none':
      return 'none: only guests are proven, in projects that have them';
    case 'http':
      return `http, ${new URL(mappingOf(settings).url).host}`;
    case 'jwt':
      return settings.jwksUrl === null ? 'jwt, shared secret' : `jwt, keys of ${new URL(settings.jwksUrl).host}`;
    case 'hmac':
      return 'hmac, shared secret';
  }
}
