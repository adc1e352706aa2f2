import type { IncomingMessage } from 'node:http';
import { refusal } from '../../kernel/errors.ts';
import { isLoopback, nearest, networkMatcher, withoutPort } from '../client-address.ts';

/** Where the console is reached, and by whom: its one host name, the networks and the proxies in front of it. */

export interface ConsoleSettings {
  /** The origin that browsers know it by; `null`: `http://console.localhost` with the port. */
  readonly origin: string | null;
  /** Networks that may reach it; `null`: whoever reaches its loopback address. */
  readonly networks: readonly string[] | null;
  /** Proxies that end TLS in front of it; empty: browsers reach it themselves. */
  readonly proxies: readonly string[];
  /** Certificate and key, as PEM; `null`: it speaks plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Folder of the built page. */
  readonly folder: string;
}

/**
 * The host name on this machine. No game uses it: cookies ignore ports, so another name would share them with games. Browsers resolve it
 * themselves.
 */
const LOCAL_NAME = 'console.localhost';
const OTHER_LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export class ConsolePlace {
  readonly origin: string;
  readonly cookie: string;
  readonly #host: string;
  /** The port that its origin leaves out. Browsers leave it out, too, but some proxies write it. */
  readonly #impliedPort: string;
  readonly #isListed: ((address: string) => boolean) | null;
  readonly #isProxy: ((address: string) => boolean) | null;

  /** `port`: where it listens. */
  constructor({ origin, networks, proxies }: Pick<ConsoleSettings, 'origin' | 'networks' | 'proxies'>, port: number) {
    this.origin = origin ?? `http://${LOCAL_NAME}:${port}`;
    this.#host = new URL(this.origin).host;
    this.#impliedPort = this.origin.startsWith('https:') ? ':443' : ':80';
    // A `__Host-` cookie can be set by this very host alone, over TLS. On this machine the port stands for the host: two nodes have one
    // name.
    this.cookie = origin === null ? `savepoint-console-${port}` : '__Host-savepoint-console';
    this.#isListed = networks && networkMatcher(networks);
    this.#isProxy = proxies.length === 0 ? null : networkMatcher(proxies);
  }

  /** Attributes of the cookie. */
  get cookieAttributes(): string {
    return `Path=/; HttpOnly; SameSite=Strict${this.origin.startsWith('https:') ? '; Secure' : ''}`;
  }

  /** From where a request comes; `null`: this machine. Throws 403 ACCESS_DENIED if it may not reach the console. */
  admit(req: IncomingMessage): string | null {
    const peer = withoutPort(req.socket.remoteAddress);
    if (this.#isProxy !== null && !this.#isProxy(peer))
      throw refusal('ACCESS_DENIED', 'The console is reached through its proxy alone (CONSOLE_PROXIES)');
    const address = this.#isProxy === null ? peer : nearest(req, this.#isProxy);
    if (this.#isListed !== null && !this.#isListed(address))
      throw refusal('ACCESS_DENIED', 'Your network may not reach the console (CONSOLE_NETWORKS)');
    return isLoopback(address) ? null : address;
  }

  /**
   * Throws 403 ACCESS_DENIED for another host name: a page elsewhere may make its own name resolve to this machine. Answers where to go
   * instead, if the name is another one of this machine.
   */
  elsewhere(req: IncomingMessage): string | null {
    const [, name = '', named = ''] = /^(.+?)(:\d+)?$/.exec(req.headers.host?.toLowerCase() ?? '') ?? [];
    const port = named === this.#impliedPort ? '' : named;
    if (name + port === this.#host) return null;
    if (new URL(this.origin).hostname === LOCAL_NAME && OTHER_LOCAL_NAMES.has(name) && this.#host === LOCAL_NAME + port)
      return this.origin + (req.url?.startsWith('/') ? req.url : '/');
    throw refusal('ACCESS_DENIED', `The console answers at ${this.origin} alone`);
  }
}
