import { gamePackage } from '../../contract/routes/game-package.ts';
import { revisionIdOf } from '../../domain/revision/status.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { revisionOf } from '../credentials.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** The game's package, which editors read and send, and the handshake of a game that starts. */
export function gamePackageHandlers(services: Services): Handlers<typeof gamePackage> {
  const { gamePackage: packages } = services.app;
  return answering(services, gamePackage, {
    sync: async ({ caller, body }) => managed(await packages.sync(caller, body)),
    read: async ({ caller }) => managed(await packages.read(caller)),

    async init({ caller, body, exchange }) {
      const named = revisionIdOf(member(objectOf(body ?? undefined), 'revisionId'));
      return managed(await packages.init(caller, named ?? revisionOf(exchange)));
    },
  });
}
