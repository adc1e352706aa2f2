import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import proxyAddress from 'proxy-addr';

const MAX_ADDRESS = 64;
/**
 * Addresses whose answer is cached: a look into the list costs more than the rest of counting a request, and the same few peers come again and
 * again.
 */
const CACHED = 1_000;

/** The parts of a request that are looked at. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * The address that a request counts for: the last one on its way that is no trusted proxy. Each proxy adds the peer that it saw to
 * `X-Forwarded-For`, so from the right the first untrusted address is the one that nobody could make up. `null`: a peer on this machine that
 * forwards for nobody, which is not counted.
 */
export function clientAddresses(trustedProxies: readonly string[]): (req: Received) => string | null {
  const listed = proxyAddress.compile(trustedProxies.flatMap(halves));
  const trusts = memoized((address) => listed(address, 0));
  const alone = memoized((sent) => ({ address: LOOPBACK.test(plain(sent)) ? null : counted(plain(sent)) }));
  return (req) => {
    if (req.headers['x-forwarded-for'] === undefined) return alone(req.socket.remoteAddress ?? '').address;
    // The library looks only at the two members that `Received` has.
    const address = plain(proxyAddress(req as IncomingMessage, (hop) => trusts(plain(hop))));
    return LOOPBACK.test(address) && trusts(address) ? null : counted(address);
  };
}

/** The halves of a network with a prefix of 0 bits, which the library does not accept. */
function halves(network: string): readonly string[] {
  const [host = '', length] = network.split('/');
  if (Number(length) !== 0) return [network];
  return isIP(host) === 6 ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1'];
}

/** Whether an address, as its socket writes it, is this machine's own. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(plain(address));
}

const LOOPBACK = /^127\.|^::1$/;
const PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** The address without the port that some proxies add. An IPv4 address gets its IPv4 form, however the socket writes it. */
function plain(hop: string | undefined): string {
  const text = (hop ?? '').trim();
  const [, six, four] = PORT.exec(text) ?? [];
  return (six ?? four ?? text).replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_ADDRESS);
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** What is counted: the network of an IPv6 address, because an IPv6 client can use a new address for every request. */
function counted(address: string): string {
  if (isIP(address) !== 6) return address;
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - front.length - back.length)).fill('0');
  const network = [...front, ...zeros, ...back].slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function memoized<Found extends object | boolean>(look: (address: string) => Found): (address: string) => Found {
  const known = new LRUCache<string, Found>({ max: CACHED, memoMethod: look });
  return (address) => known.memo(address);
}
