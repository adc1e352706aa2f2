import type { securityConfig } from '../../contract/routes/players.ts';
import { type Exchange, headerText, param, queryText } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import type { Services } from './services.ts';

const SHARED = 'public, max-age=15, s-maxage=60';
const BYPASSED = 'no-store, max-age=0';

/** Every client reads the security config when it starts, without a key. Without an answer it uses the defaults built into the game. */
export function securityConfigHandlers({ app }: Services): Handlers<typeof securityConfig> {
  return {
    async read(ctx) {
      const fresh = wantsFresh(ctx.state.exchange);
      const { version, config } = await app.securityConfig(param(ctx, 'project'), { fresh });
      const headers = {
        'Cache-Control': fresh ? BYPASSED : SHARED,
        'X-Security-Config-Cache': fresh ? 'bypass' : 'public',
        'X-Security-Config-Source': 'store',
        'X-Security-Config-Version': version,
      };
      return { body: { ok: true, source: 'store', config }, headers };
    },
  };
}

function wantsFresh(exchange: Exchange): boolean {
  if (queryText(exchange, 'refresh') === '1' || queryText(exchange, 'cache') === 'bypass') return true;
  return [headerText(exchange, 'cache-control'), headerText(exchange, 'pragma')].some((text) => text !== null && NO_CACHE.test(text));
}

const NO_CACHE = /\bno-(?:cache|store)\b/i;
