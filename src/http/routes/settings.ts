import type { ManageAnswer } from '../../app/app.ts';
import { wireNames } from '../../domain/wire-names.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Answer } from '../answer.ts';
import { readJson } from '../body.ts';
import { authenticate, managementKeys } from '../credentials.ts';
import { type Context, queryText } from '../exchange.ts';
import { invalidResource, managed, type Routes, type Services, strictOf } from './services.ts';

const READS = managementKeys('r', 'settings');
const WRITES = managementKeys('rw', 'settings');

/** Project settings, and revoking a public key (management 4.5, 16, 17.2). */
export function settingsRoutes(router: Routes, services: Services): void {
  const { app, managementBody } = services;
  const spelled = spelledBy(services);

  const read = async (ctx: Context): Promise<Answer> => spelled(await app.settings.read(await authenticate(app, ctx, READS)));
  router.get('/:project/settings', read);
  router.get('/:project/config', read);

  router.put('/:project/settings', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, WRITES);
    // Without a body there is nothing to change; an editor's script sends `{}` as none (management 19.1).
    const body = await readJson(ctx.state.exchange, managementBody, invalidResource('project-settings'));
    return spelled(await app.settings.change(caller, body ?? {}, strictOf(ctx.state.exchange, body)));
  });

  router.delete('/:project/keys', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, WRITES);
    const { exchange } = ctx.state;
    const named = publicKeyOf(await readJson(exchange, managementBody, invalidKey));
    return managed(await app.settings.revokePublicKey(caller, named ?? queryText(exchange, 'publicKey')));
  });
}

const invalidKey = invalidResource('api-keys');

/** Anything but a text is refused: taken for "no key named" it would leave a key in force that was meant to go. */
function publicKeyOf(body: Json | undefined): string | null {
  if (body === undefined) return null;
  if (!isObject(body)) throw invalidKey('The body must be an object');
  const publicKey = member(body, 'publicKey') ?? null;
  if (publicKey !== null && typeof publicKey !== 'string') throw invalidKey('`publicKey` must be a text');
  return publicKey || null;
}

/** The names of settings have two spellings; what is inside a setting is its owner's. */
function spelledBy({ settings: { wireNames: mode } }: Services): (answer: ManageAnswer) => Answer {
  const names = wireNames(mode);
  return (answer) => {
    const { settings } = answer.body;
    if (mode === 'neutral' || !isObject(settings)) return managed(answer);
    const shown = names.body(settings);
    return managed({ ...answer, body: { ...answer.body, settings: shown, config: shown } });
  };
}
