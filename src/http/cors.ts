import { respond } from './answer.ts';
import { type Exchange, headerText, type Middleware } from './exchange.ts';

const EXPOSED =
  'x-ns-position, x-ns-at, x-ns-stale, x-ns-save-version, x-ns-publish, x-ns-published, x-ns-player-proof, X-Correlation-ID, Retry-After, idempotent-replay';

/** Adds CORS headers for an origin on the list. Other answers get `Vary`, so that a cache does not serve them to another origin. */
export function corsHeaders(origins: readonly string[]): Middleware {
  return (ctx, next) => {
    const origin = allowedOrigin(origins, ctx.state.exchange);
    if (origin !== null) {
      ctx.set('Access-Control-Allow-Origin', origin);
      ctx.set('Access-Control-Expose-Headers', EXPOSED);
    }
    ctx.set('Vary', 'Origin');
    return next();
  };
}

/** Answers preflight requests of origins on the list. For other origins, OPTIONS is an unknown method. */
export function preflight(origins: readonly string[]): Middleware {
  return async (ctx, next) => {
    const { exchange } = ctx.state;
    const isAsking = exchange.method === 'OPTIONS' && headerText(exchange, 'access-control-request-method') !== null;
    if (!isAsking || allowedOrigin(origins, exchange) === null) return next();
    respond(ctx, {
      body: { ok: true },
      headers: {
        'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': headerText(exchange, 'access-control-request-headers') ?? '*',
        'Access-Control-Max-Age': '600',
      },
    });
  };
}

function allowedOrigin(origins: readonly string[], exchange: Exchange): string | null {
  const origin = headerText(exchange, 'origin');
  return origin !== null && (origins.includes('*') || origins.includes(origin)) ? origin : null;
}
