import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Proof, Verdict } from '../../../src/app/ports/player-verifier.ts';
import { realScheduler, type Scheduler } from '../../../src/kernel/scheduler.ts';
import { createVerifier, type VerifierSettings } from '../../../src/outbound/verifier/create-verifier.ts';

/** What the tests of verifiers share: a player, a clock, and a login service of their own. */

export const PLAYER = '76561190000000042';
export const NOW = 1_760_000_000;
export const SECRET = 'a secret of sixteen or more';

export const OFF: VerifierSettings = {
  kind: 'none',
  preset: 'custom',
  url: null,
  idMember: null,
  tokenMember: null,
  success: null,
  idPath: null,
  secret: null,
  jwksUrl: null,
  issuer: null,
  audience: null,
  claim: 'sub',
  timeoutMs: 5_000,
  cacheSeconds: 60,
};

/** A clock that the test sets. */
class Stopped implements Pick<Scheduler, 'now' | 'monotonic'> {
  at = NOW * 1000;
  readonly now = () => this.at;
  readonly monotonic = () => this.at;
  readonly scheduler: Scheduler = { ...realScheduler, now: this.now, monotonic: this.monotonic };
}

export const clock = new Stopped();

export function proof(token: string | null, more: Partial<Proof> = {}): Proof {
  return { projectId: 'p', platformId: PLAYER, token, address: null, ...more };
}

export function kindOf(verdict: Verdict): string {
  return verdict.ok ? 'ok' : verdict.kind;
}

export async function judge(settings: Partial<VerifierSettings>, token: string | null, more: Partial<Proof> = {}): Promise<string> {
  return kindOf(await createVerifier({ ...OFF, ...settings }, clock.scheduler).verify(proof(token, more)));
}

/** A service that belongs to the tests, on a free port. */
class Service {
  asked: { readonly headers: object; readonly body: string }[] = [];
  answer: RequestListener = (_, response) => response.end('{}');
  #server: Server | null = null;

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.asked.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        this.answer(request, response);
      });
    });
    // Longer than the pause between two tests that use it. Otherwise a connection might be closed just as it is used again.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
  }

  get url(): string {
    const address = this.#server?.address();
    if (!address || typeof address === 'string') throw new Error('not open');
    return `http://127.0.0.1:${address.port}/verify`;
  }

  says(status: number, body: string): void {
    this.answer = (_, response) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

/** A service for the tests of the calling file, of which each begins at {@link NOW}. */
export function openService(): Service {
  const service = new Service();
  beforeAll(() => service.open());
  afterAll(() => service.close());
  beforeEach(() => {
    clock.at = NOW * 1000;
    service.asked = [];
  });
  return service;
}
