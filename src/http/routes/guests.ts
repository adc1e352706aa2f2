import type { GuestAnswer } from '../../app/app.ts';
import type { Guest } from '../../contract/answers.ts';
import { guests } from '../../contract/routes/guests.ts';
import { deviceIdOf } from '../../domain/guest/token.ts';
import { freshHeaders } from '../answer.ts';
import type { Handlers } from '../handlers.ts';
import { type Answering, answering } from '../request.ts';
import type { Services } from './services.ts';

/** Guests: players that are proven by their devices. The device's secret is sent as the player's token, an account in the body. */
export function guestHandlers(services: Services): Handlers<typeof guests> {
  const { app } = services;
  const answers: Answering<typeof guests> = {
    register: async ({ caller }) => answered(await app.guests.register(caller)),
    join: async ({ caller, body }) => answered(await app.guests.join(caller, body)),
    link: async ({ caller, body }) => answered(await app.guests.link(caller, body.account)),
    unlink: async ({ caller, body }) => answered(await app.guests.unlink(caller, body.account)),

    async issueCode({ caller }) {
      const answer = await app.guests.issueCode(caller);
      return { body: { ...shown(answer), code: answer.code }, headers: freshHeaders(answer) };
    },

    show: async ({ caller }) => answered(await app.guests.show(caller)),

    async pass({ caller, body }) {
      const { guest: player, ...passed } = await app.guests.pass(caller, body.host);
      return { body: { ok: true, player, ...passed } };
    },

    revoke: async ({ caller, body }) => answered(await app.guests.revoke(caller, body.device)),
  };
  return answering(services, guests, answers, (caller) => app.guests.admit(caller));
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
