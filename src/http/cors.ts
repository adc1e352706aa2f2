import type { Answer } from './answer.ts';
import { type Exchange, headerText } from './exchange.ts';

const NONE: readonly string[] = [];
const EXPOSED = 'x-ns-position, x-ns-stale, x-ns-save-version, x-ns-publish, X-Correlation-ID, Retry-After, idempotent-replay';

const OTHERS: readonly string[] = ['Vary', 'Origin'];

/**
 * Headers for a browser whose origin is on the list, as pairs in a flat list (security 9.3). Anybody else is told with `Vary` that the
 * answer is not one for all, so that no cache between hands it to a browser; where there is no list, nobody is.
 */
export function corsHeaders(origins: readonly string[], exchange: Exchange): readonly string[] {
  if (origins.length === 0) return NONE;
  const origin = allowedOrigin(origins, exchange);
  if (!origin) return OTHERS;
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, 'Vary', 'Origin'];
}

/** The answer to a browser asking whether it may; `null` where CORS is off for it, and OPTIONS is as unknown as any other method. */
export function preflight(origins: readonly string[], exchange: Exchange): Answer | null {
  if (!allowedOrigin(origins, exchange) || !headerText(exchange, 'access-control-request-method')) return null;
  return {
    body: { ok: true },
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': headerText(exchange, 'access-control-request-headers') ?? '*',
      'Access-Control-Max-Age': '600',
    },
  };
}

function allowedOrigin(origins: readonly string[], exchange: Exchange): string | null {
  if (origins.length === 0) return null;
  const origin = headerText(exchange, 'origin');
  if (!origin) return null;
  return origins.includes('*') || origins.includes(origin) ? origin : null;
}
