import { type ClientRequest, request } from 'node:http';
import type { SentRequest } from './chromium.ts';

/** What an open page of the console asks for, without a browser: its streams, and what it reads again and again. */

/** A request as it was seen. */
export interface Asked {
  /** Milliseconds since the page was opened. */
  readonly atMs: number;
  readonly path: string;
  readonly isStream: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export function askedBy(sent: SentRequest, atMs: number): Asked {
  const { pathname, search } = new URL(sent.url());
  return { atMs, path: pathname + search, isStream: sent.resourceType() === 'eventsource', headers: sent.headers() };
}

/** What goes on while the page is open. */
export interface Plan {
  readonly streams: readonly Asked[];
  readonly repeated: readonly { readonly asked: Asked; readonly everyMs: number }[];
}

/** What a page reads twice within this time it reads while it opens, and not again and again. */
const OPENING_MS = 2_000;

/** The plan of a page, whose requests are given in their order. */
export function planOf(all: readonly Asked[]): Plan {
  const last = new Map<string, Asked>();
  const repeated = new Map<string, Plan['repeated'][number]>();
  for (const asked of all.filter(({ isStream }) => !isStream)) {
    const what = withoutTime(asked.path);
    const before = last.get(what);
    last.set(what, asked);
    const everyMs = asked.atMs - (before?.atMs ?? asked.atMs);
    if (everyMs > OPENING_MS) repeated.set(what, { asked, everyMs });
  }
  return { streams: all.filter(({ isStream }) => isStream), repeated: [...repeated.values()] };
}

/** A page that shows the last hour asks for another one each time. */
function withoutTime(path: string): string {
  return path.replace(/\b(from|to)=\d{4}-[^&]*/g, '$1=');
}

/** Where a plan is carried out, and as whom. */
export interface Asker {
  /** Of the console. */
  readonly origin: string;
  readonly cookie: string;
}

/** Does all of them until it is closed. */
export class Replay {
  readonly #requests = new Set<ClientRequest>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isOpen = true;
  #failed: string | null = null;

  /** Resolves once every stream is open. */
  async open(plans: readonly (readonly [Asker, Plan])[]): Promise<void> {
    const streams = plans.flatMap(([asker, plan]) => plan.streams.map((asked) => this.#ask(asker, asked, true)));
    for (const [asker, plan] of plans)
      for (const { asked, everyMs } of plan.repeated)
        this.#timers.push(setInterval(() => void this.#ask(asker, asked, false).catch(() => undefined), everyMs));
    await Promise.all(streams);
  }

  /** Answers what of it was not answered; `null`: all was. */
  close(): string | null {
    this.#isOpen = false;
    for (const timer of this.#timers) clearInterval(timer);
    for (const sent of this.#requests) sent.destroy();
    return this.#failed;
  }

  /** Resolves with the head of the answer, whose body is read and dropped. */
  #ask({ origin, cookie }: Asker, { path, headers }: Asked, isStream: boolean): Promise<void> {
    const { host, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      // The console goes by the name in `Host`, which only browsers resolve.
      const sent = request({ host: '127.0.0.1', port, path, headers: { ...headers, host, cookie } }, (reply) => {
        if (reply.statusCode !== 200) this.#failed ??= `${path} of a console was answered ${reply.statusCode}`;
        reply.resume();
        reply.once('close', () => {
          this.#requests.delete(sent);
          if (isStream && this.#isOpen) this.#failed ??= `the stream ${path} of a console was ended`;
        });
        resolve();
      });
      sent.once('error', (error) => {
        if (this.#isOpen) this.#failed ??= `${path} of a console: ${error.message}`;
        reject(error);
      });
      this.#requests.add(sent);
      sent.end();
    });
  }
}
