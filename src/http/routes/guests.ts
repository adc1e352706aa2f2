import type { Account, GuestAnswer, InvitationRequest } from '../../app/app.ts';
import type { Guest } from '../../contract/answers.ts';
import type { Written } from '../../contract/resources/member.ts';
import {
  type Account as AccountSchema,
  guests,
  type Hosted,
  type Revoking,
  type WithAccount,
  type WithCode,
} from '../../contract/routes/guests.ts';
import { deviceIdOf } from '../../domain/guest/token.ts';
import { isObject, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { freshHeaders } from '../answer.ts';
import { invalidBody } from '../body.ts';
import { authenticate } from '../credentials.ts';
import type { Context } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { CLAIM_MEMBERS } from '../names.ts';
import { claimText } from '../proof.ts';
import { presentBody, type Services } from './services.ts';

/** Guests: players that are proven by their devices. The device's secret is sent as the player's token, an account in the body. */
export function guestHandlers({ app, gameBody }: Services): Handlers<typeof guests> {
  const bodyOf = async (ctx: Context): Promise<JsonObject> => {
    const body = await presentBody(ctx.state.exchange, gameBody, invalidBody);
    if (isObject(body)) return body;
    throw invalidBody('The body must be a JSON object');
  };
  return {
    async register(ctx) {
      return answered(await app.guests.register(await authenticate(app, ctx, guests.register)));
    },
    async join(ctx) {
      const caller = await authenticate(app, ctx, guests.join);
      return answered(await app.guests.join(caller, invitationIn(await bodyOf(ctx))));
    },
    async link(ctx) {
      const caller = await authenticate(app, ctx, guests.link);
      return answered(await app.guests.link(caller, accountIn(await bodyOf(ctx))));
    },
    async unlink(ctx) {
      const caller = await authenticate(app, ctx, guests.unlink);
      return answered(await app.guests.unlink(caller, accountIn(await bodyOf(ctx))));
    },
    async issueCode(ctx) {
      const answer = await app.guests.issueCode(await authenticate(app, ctx, guests.issueCode));
      return { body: { ...shown(answer), code: answer.code }, headers: freshHeaders(answer) };
    },
    async show(ctx) {
      return answered(await app.guests.show(await authenticate(app, ctx, guests.show)));
    },
    async pass(ctx) {
      const caller = await authenticate(app, ctx, guests.pass);
      const { host }: Written<typeof Hosted> = await bodyOf(ctx);
      const { guest: player, ...passed } = await app.guests.pass(caller, claimText(host) ?? '');
      return { body: { ok: true, player, ...passed } };
    },
    async revoke(ctx) {
      const caller = await authenticate(app, ctx, guests.revoke);
      const { device }: Written<typeof Revoking> = await bodyOf(ctx);
      return answered(await app.guests.revoke(caller, stringOrEmpty(device)));
    },
  };
}

function answered(answer: GuestAnswer) {
  return { body: shown(answer), headers: freshHeaders(answer) };
}

function shown({ guest: player, device, state: { devices, account, recovery } }: GuestAnswer): Guest {
  const listed = devices.map(({ hash, joinedAt }) => {
    const id = deviceIdOf(hash);
    return { id, joinedAt: new Date(joinedAt).toISOString(), asks: id === device };
  });
  return { ok: true, player, device, devices: listed, account, hasCode: recovery !== null };
}

function invitationIn(body: JsonObject): InvitationRequest {
  const { code }: Written<typeof WithCode> = body;
  return typeof code === 'string' ? { code } : { account: accountIn(body) };
}

/** The account in a body. Missing members are empty; the use case refuses them. */
function accountIn(body: JsonObject): Account {
  const { account }: Written<typeof WithAccount> = body;
  const sent = objectOf(account);
  const { token }: Written<typeof AccountSchema> = sent;
  return { platformId: idIn(sent), token: stringOrEmpty(token) };
}

function idIn(account: JsonObject): string {
  for (const name of CLAIM_MEMBERS) {
    const claim = claimText(member(account, name));
    if (claim) return claim;
  }
  return '';
}
