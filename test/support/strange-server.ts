import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers every request with 200 and one text: what stands where a node should, or a node gone wrong. */
export interface StrangeServer {
  readonly url: string;
  /** What it answers from now on. */
  answers(text: string, contentType?: string): void;
  close(): void;
}

/** Bodies that no route answers. */
export const STRANGE = ['null', '[]', '{}', '"x"', '7', '<!doctype html><title>Sign in</title>', ''] as const;

export async function startStrangeServer(): Promise<StrangeServer> {
  let answer = { text: '', contentType: 'application/json' };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': answer.contentType }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers(text, contentType = 'application/json') {
      answer = { text, contentType };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
