import type { AnswerOfPast, Caller, ManageAnswer } from '../../app/app.ts';
import type { Settings as SettingsBody } from '../../contract/answers.ts';
import { WHY } from '../../contract/parameters.ts';
import { settings } from '../../contract/routes/settings.ts';
import { isReservedQuery } from '../../domain/security/reserved-queries.ts';
import { wireNames } from '../../domain/wire-names.ts';
import { refusal } from '../../kernel/errors.ts';
import { type Exchange, queryOf } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Project settings, and revoking a public key. */
export function settingsHandlers(services: Services): Handlers<typeof settings> {
  const { app } = services;
  const spelled = spelledBy(services);
  const read = (caller: Caller, at: string | null): Promise<Shown> =>
    at === null ? app.settings.read(caller) : app.past.settings(caller, at);
  return answering(services, settings, {
    read: async ({ caller, query }) => spelled(await read(caller, query.at)),
    readConfig: async ({ caller, query }) => spelled(await read(caller, query.at)),
    // Without a body there is nothing to change. An editor's script sends `{}` for no body.
    change: async ({ caller, body, query }) => spelled(await app.settings.change(caller, body ?? {}, query.strict)),

    listKeys: async ({ caller }) => managed(await app.settings.listKeys(caller)),

    async revokePublicKey({ caller, body, query, exchange }) {
      const named = body.publicKey || query.publicKey;
      if (named === null) requireNoOther(exchange);
      return managed(await app.settings.revokePublicKey(caller, named));
    },
  });
}

/** A query that names no key, and something else than why: a key was meant to be revoked. */
function requireNoOther(exchange: Exchange): void {
  const other = Object.keys(queryOf(exchange)).find((name) => !isReservedQuery(name) && !Object.hasOwn(WHY, name) && !name.startsWith('_'));
  if (other === undefined) return;
  const message = `\`${other}\` names no key to revoke; \`publicKey\` does`;
  throw refusal('VALIDATION_FAILED', message, { body: { resourceKind: 'api-keys' } });
}

type Shown = ManageAnswer<SettingsBody> | (ManageAnswer<SettingsBody> & AnswerOfPast);

/** Renames settings to the installation's spelling. Names inside a setting belong to its owner and stay. */
function spelledBy({ settings: { wireNames: mode } }: Services): (answer: Shown) => ReturnType<typeof managed<SettingsBody>> {
  const names = wireNames(mode);
  return (answer) => {
    if (mode === 'neutral') return managed(answer);
    const shown = names.body(answer.result.settings);
    return managed({ ...answer, result: { ...answer.result, settings: shown, config: shown } });
  };
}
