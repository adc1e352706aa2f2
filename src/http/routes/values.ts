import { rateLimits, values } from '../../contract/routes/values.ts';
import { authenticate, targetOf } from '../credentials.ts';
import { queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { momentOf, pastHeaders, readAnswer, type Services } from './services.ts';

/** Game values. */
export function valueHandlers({ app }: Services): Handlers<typeof values> {
  return {
    async read(ctx) {
      const caller = await authenticate(app, ctx, values.read);
      const at = momentOf(ctx);
      if (at === null) return readAnswer(await app.values.read(caller, targetOf(ctx.state.exchange)));
      const past = await app.past.values(caller, targetOf(ctx.state.exchange), at);
      return readAnswer(past, pastHeaders(past));
    },
  };
}

/** The project's rate limits. */
export function rateLimitHandlers({ app }: Services): Handlers<typeof rateLimits> {
  return {
    async read(ctx) {
      const caller = await authenticate(app, ctx, rateLimits.read);
      return readAnswer(await app.values.rateLimits(caller, targetOf(ctx.state.exchange), queryParam(ctx, 'platformId')));
    },
  };
}
