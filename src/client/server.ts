import type { ServerInfo } from '../contract/answers.ts';
import type { Answer } from './answer.ts';
import { mapped, type Result, SavepointError } from './errors.ts';
import type { RequestOptions } from './options.ts';
import type { ApiRequest } from './request.ts';
import { isOlder, MIN_SERVER_VERSION } from './version.ts';

/** What the server is and can do. It is read once, when it is first asked for. */

/** Reads what the server says of itself. An answer of another program is refused. */
export async function readServerInfo(
  send: (ask: ApiRequest) => Promise<Result<Answer>>,
  options?: RequestOptions,
): Promise<Result<ServerInfo>> {
  const answer = { product: 'string', version: 'string', capabilities: 'list' } as const;
  const sent = await send({ method: 'GET', family: 'server-info', path: [], answer, isRepeatable: true, options });
  return mapped(sent, ({ body }) => body as ServerInfo);
}

/** The error for a route that is not served: the address is wrong, or the server is too old. */
export function unservedRoute(url: string, info: Result<ServerInfo>, error: SavepointError): SavepointError {
  const facts = { status: error.status, details: error.details, body: error.body, requestId: error.requestId };
  if (!info.ok) {
    return new SavepointError('ROUTE_NOT_FOUND', `\`url\`: no game server answers at ${url}. Give it without /v3 and what follows`, facts);
  }
  const { product, version } = info.value;
  if (!isOlder(version, MIN_SERVER_VERSION)) return error;
  return new SavepointError('SERVER_OUTDATED', `${url} is ${product} ${version}; this library needs ${MIN_SERVER_VERSION} or later`, facts);
}
