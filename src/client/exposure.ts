import { urlOrNull } from './address.ts';
import { SavepointError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { secretOf } from './secret-shapes.ts';

/** Where a secret key may be: in a dedicated server or an editor, and on its way to the server alone. */

const exposed = (message: string) => new SavepointError('SECRET_EXPOSED', `A secret key ${message}`);

/** Why a client with these options must not have its secret key; `null`: it may, or it has none. */
export function misplacedSecret(options: ClientOptions): SavepointError | null {
  if (!secretOf(options)) return null;
  if (isPage()) return exposed('must not be in a page: everybody who plays can read it');
  const isGame = (options.clientType ?? 'game') === 'game';
  return isGame ? exposed("must not be in a game that players have; a dedicated server says so: `clientType: 'dedicated'`") : null;
}

/** The error if a secret key could be read on its way: it is sent only over TLS or within the machine. */
export function exposedSecret(url: string, options: ClientOptions): SavepointError | null {
  const { protocol, hostname = '' } = urlOrNull(url) ?? {};
  const isSafe = protocol === 'https:' || /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
  return isSafe || !secretOf(options) ? null : exposed('is sent over https:, or to this machine alone');
}

/** Whether this is a page of a browser or one of its workers. Programs such as Node name themselves in `userAgent`, too. */
function isPage(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return 'document' in globalThis || /^Mozilla/.test(navigator?.userAgent ?? '');
}
