import type { ManageAnswer } from '../../app/app.ts';
import type { Settings as SettingsBody } from '../../contract/answers.ts';
import { settings } from '../../contract/routes/project.ts';
import { isReservedQuery } from '../../domain/security/reserved-queries.ts';
import { wireNames } from '../../domain/wire-names.ts';
import type { Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { readJson } from '../body.ts';
import { authenticate } from '../credentials.ts';
import { type Exchange, queryOf, queryParam } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { flagOf, invalidResource, managed, membersOf, type Services } from './services.ts';

/** Project settings, and revoking a public key. */
export function settingsHandlers(services: Services): Handlers<typeof settings> {
  const { app, managementBody } = services;
  const spelled = spelledBy(services);
  const read = async (ctx: ContextOf<typeof settings.read>) =>
    spelled(await app.settings.read(await authenticate(app, ctx, settings.read)));
  return {
    read,
    readConfig: read,

    async change(ctx) {
      const caller = await authenticate(app, ctx, settings.change);
      // Without a body there is nothing to change. An editor's script sends `{}` for no body.
      const body = await readJson(ctx.state.exchange, managementBody, invalidResource('project-settings'));
      return spelled(await app.settings.change(caller, body ?? {}, flagOf(ctx.state.exchange, 'strict', body)));
    },

    async revokePublicKey(ctx) {
      const caller = await authenticate(app, ctx, settings.revokePublicKey);
      const named = publicKeyOf(await readJson(ctx.state.exchange, managementBody, invalidKey)) ?? queryParam(ctx, 'publicKey');
      if (named === null) requireNoOther(ctx.state.exchange);
      return managed(await app.settings.revokePublicKey(caller, named));
    },
  };
}

const invalidKey = invalidResource('api-keys');

/** The key to revoke. Anything but text is refused: counted as "no key named", it would leave a valid key that was meant to be revoked. */
function publicKeyOf(body: Json | undefined): string | null {
  const publicKey = member(membersOf(body, ['publicKey'], invalidKey), 'publicKey') ?? null;
  if (publicKey !== null && typeof publicKey !== 'string') throw invalidKey('`publicKey` must be a text');
  return publicKey || null;
}

/** A query that names no key, and something else: a key was meant to be revoked. */
function requireNoOther(exchange: Exchange): void {
  const other = Object.keys(queryOf(exchange)).find((name) => !isReservedQuery(name) && !name.startsWith('_'));
  if (other !== undefined) throw invalidKey(`\`${other}\` names no key to revoke; \`publicKey\` does`);
}

type Shown = ManageAnswer<SettingsBody>;

/** Renames settings to the installation's spelling. Names inside a setting belong to its owner and stay. */
function spelledBy({ settings: { wireNames: mode } }: Services): (answer: Shown) => ReturnType<typeof managed<SettingsBody>> {
  const names = wireNames(mode);
  return (answer) => {
    if (mode === 'neutral') return managed(answer);
    const shown = names.body(answer.result.settings);
    return managed({ ...answer, result: { ...answer.result, settings: shown, config: shown } });
  };
}
