import { respond } from './answer.ts';
import { type Exchange, headerText, type Middleware } from './exchange.ts';

const EXPOSED =
  'x-ns-position, x-ns-stale, x-ns-save-version, x-ns-publish, x-ns-published, x-ns-player-proof, X-Correlation-ID, Retry-After, idempotent-replay';

/** Adds the headers for a browser whose origin is on the list. Other answers get `Vary`, so that a cache never hands them to a browser. */
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

/** Answers a preflight request. For any other origin, OPTIONS is unknown like any other method. */
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
