import type { Written } from '../../contract/resources/member.ts';
import type { Revoking } from '../../contract/routes/guests.ts';
import { support } from '../../contract/routes/support.ts';
import { isObject, stringOrEmpty } from '../../kernel/json.ts';
import { invalidBody } from '../body.ts';
import { authenticate } from '../credentials.ts';
import type { Context } from '../exchange.ts';
import { queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { managed, presentBody, type Services } from './services.ts';

/** Support: finds players, and changes what leads to a guest. */
export function supportHandlers({ app, managementBody }: Services): Handlers<typeof support> {
  return {
    async find(ctx) {
      const caller = await authenticate(app, ctx, support.find);
      return managed(await app.support.find(caller, { name: queryParam(ctx, 'name'), limit: queryParam(ctx, 'limit') }));
    },
    async show(ctx) {
      const caller = await authenticate(app, ctx, support.show);
      return managed(await app.support.show(caller, playerOf(ctx)));
    },
    async issueCode(ctx) {
      const caller = await authenticate(app, ctx, support.issueCode);
      return managed(await app.support.issueCode(caller, playerOf(ctx)));
    },
    async unlink(ctx) {
      const caller = await authenticate(app, ctx, support.unlink);
      return managed(await app.support.unlink(caller, playerOf(ctx)));
    },
    async revoke(ctx) {
      const caller = await authenticate(app, ctx, support.revoke);
      const body = await presentBody(ctx.state.exchange, managementBody, invalidBody);
      if (!isObject(body)) throw invalidBody('The body must be a JSON object');
      const { device }: Written<typeof Revoking> = body;
      return managed(await app.support.revoke(caller, playerOf(ctx), stringOrEmpty(device)));
    },
  };
}

function playerOf({ params }: Context): string {
  return params['player'] ?? '';
}
