import { askingAt } from '../../folder/credentials.ts';
import { answerOf, refused, strangeAnswer, unreachable } from '../../folder/exchange.ts';
import type { Remote, Target } from '../../folder/remote.ts';

/** Reads a file of a server that is too large to be held. */

interface DownloadRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
}

interface Download {
  /** What the server calls the file. */
  readonly fileName: string;
  /** The revision of the log that it shows. */
  readonly revision: number;
  /** Throws `RemoteUnreachable` if it breaks off. */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Opens a file. Throws `RemoteRefusal` and `RemoteUnreachable`. */
export async function openDownload({ server }: Remote, { path, query, target, headers }: DownloadRequest): Promise<Download> {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const asking = askingAt(server);
  const url = `${asking.origin}${path}?${new URLSearchParams(parameters)}`;
  const sent = { ...asking.headers, ...(target === 'next' ? { 'x-ns-publish-target': 'next' } : {}), ...headers };
  const lost = (error: unknown) => unreachable(url, 'GET', error);
  const response = await fetch(url, { headers: sent, redirect: 'error' }).catch((error: unknown) => {
    throw lost(error);
  });
  const { body } = response;
  if (!response.ok || body === null) throw refused(await answerOf(response));
  // The name becomes a file here, so it must not lead into another folder.
  const [, fileName] = /filename="([A-Za-z0-9_.-]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  if (fileName === undefined || fileName.startsWith('.')) {
    await body.cancel();
    throw strangeAnswer(url, 'it is no file');
  }
  return {
    fileName,
    revision: Number(response.headers.get('x-ns-position')),
    async *chunks() {
      try {
        for await (const chunk of body) yield chunk;
      } catch (error) {
        throw lost(error);
      }
    },
  };
}
