import { respond } from './answer.ts';
import { type Exchange, headerText, type Middleware } from './exchange.ts';

const EXPOSED = 'x-ns-position, x-ns-stale, x-ns-save-version, x-ns-publish, X-Correlation-ID, Retry-After, idempotent-replay';

/**
 * Headers for a browser whose origin is on the list. Anybody else is told with `Vary` that the answer is not one for all, so that no cache
 * between hands it to a browser.
 */
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

/** Answers a browser that asks whether it may. For any other origin, OPTIONS is as unknown as any other method. */
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
