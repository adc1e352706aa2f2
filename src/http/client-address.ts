import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import proxyAddress from 'proxy-addr';

const MAX_ADDRESS = 64;
/**
 * How many addresses are cached. Matching an address against the list costs more than the rest of counting a request, and the same few
 * peers return again and again.
 */
const MAX_CACHED = 1_000;

/** The part of a request that is used here. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * The address that a request counts for: the nearest one that is not a trusted proxy. Each proxy appends its peer to `X-Forwarded-For`, so
 * the first untrusted address from the right is the one that nobody could forge. `null`: the peer is on this machine and forwards for
 * nobody, and is not counted.
 */
export function clientAddresses(trustedProxies: readonly string[]): (req: Received) => string | null {
  const trusts = memoized(networkMatcher(trustedProxies));
  const alone = memoized((sent) => ({ address: LOOPBACK.test(withoutPort(sent)) ? null : countedNetwork(withoutPort(sent)) }));
  return (req) => {
    if (req.headers['x-forwarded-for'] === undefined) return alone(req.socket.remoteAddress ?? '').address;
    const address = nearest(req, trusts);
    return LOOPBACK.test(address) && trusts(address) ? null : countedNetwork(address);
  };
}

/** Whether an address is in one of these networks. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const matches = proxyAddress.compile(networks.flatMap(halves));
  return (address) => matches(address, 0);
}

/** The nearest address that is no proxy. */
export function nearest(req: Received, isProxy: (address: string) => boolean): string {
  // The library looks only at the two members that `Received` has.
  return withoutPort(proxyAddress(req as IncomingMessage, (hop) => isProxy(withoutPort(hop))));
}

/** Splits a network with a prefix of 0 bits into its halves, because the library does not accept such a prefix. */
function halves(network: string): readonly string[] {
  const [host = '', length] = network.split('/');
  if (Number(length) !== 0) return [network];
  return isIP(host) === 6 ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1'];
}

/** Whether an address, as its socket writes it, is this machine's own. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(withoutPort(address));
}

const LOOPBACK = /^127\.|^::1$/;
const PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** The address without the port that some proxies add. An IPv4 address gets its IPv4 form, however the socket writes it. */
export function withoutPort(hop: string | undefined): string {
  const text = (hop ?? '').trim();
  const [, six, four] = PORT.exec(text) ?? [];
  return (six ?? four ?? text).replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_ADDRESS);
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The text to count by: of an IPv6 address its network, because an IPv6 client can use a new address for every request. */
export function countedNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - front.length - back.length)).fill('0');
  const network = [...front, ...zeros, ...back].slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function memoized<Found extends object | boolean>(look: (address: string) => Found): (address: string) => Found {
  const known = new LRUCache<string, Found>({ max: MAX_CACHED, memoMethod: look });
  return (address) => known.memo(address);
}
