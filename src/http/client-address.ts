import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

const LONGEST_ADDRESS = 64;
/** A look into the list costs more than the rest of counting a request, and the same few peers come again and again. */
const REMEMBERED = 1_000;

/** What is looked at of a request. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Whom a request counts for: the last address on its way that is no trusted proxy. Each proxy adds the peer it saw to
 * `X-Forwarded-For`, so from the right the first that is not trusted is the one nobody could make up. `null`: a peer on this machine
 * that forwards for nobody, which is not counted (decision 16).
 */
export function clientAddresses(trustedProxies: readonly string[]): (req: Received) => string | null {
  const trusts = remembered(trust(trustedProxies));
  const peerOf = remembered((sent): Peer => {
    const address = plain(sent);
    return { address, trusted: trusts(address), alone: LOOPBACK.test(address) ? null : counted(address) };
  });
  return (req) => {
    const peer = peerOf(req.socket.remoteAddress ?? '');
    if (!isForwarded(req)) return peer.alone;
    if (!peer.trusted) return counted(peer.address);
    const hops = hopsOf(req);
    const untrusted = hops.findLast((hop) => !trusts(hop));
    const client = untrusted ?? hops[0] ?? peer.address;
    return untrusted === undefined && LOOPBACK.test(client) ? null : counted(client);
  };
}

interface Peer {
  readonly address: string;
  readonly trusted: boolean;
  /** Whom its requests count for that it forwards for nobody. */
  readonly alone: string | null;
}

/** Whether a peer's address, as its socket writes it, is this machine's own. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(plain(address));
}

const LOOPBACK = /^127\.|^::1$/;
const PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** Without the port that some proxies add, and an IPv4 address as one, however the socket writes it. */
function plain(hop: string): string {
  const text = hop.trim();
  const [, six, four] = PORT.exec(text) ?? [];
  return (six ?? four ?? text).replace(/^::ffff:(?=\d+\.)/i, '').slice(0, LONGEST_ADDRESS);
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** An IPv6 client has a network of addresses to draw from, a new one for every request if it likes: the network is what counts. */
function counted(address: string): string {
  if (isIP(address) !== 6) return address;
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - front.length - back.length)).fill('0');
  const network = [...front, ...zeros, ...back].slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function isForwarded(req: Received): boolean {
  return req.headers['x-forwarded-for'] !== undefined;
}

/** The nearest last. */
function hopsOf(req: Received): readonly string[] {
  const forwarded = req.headers['x-forwarded-for'];
  if (forwarded === undefined) return [];
  const text = typeof forwarded === 'string' ? forwarded : forwarded.join(',');
  return text
    .split(',')
    .map(plain)
    .filter((hop) => hop !== '');
}

function trust(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [host = '', length] = proxy.split('/');
    const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(host, family);
    else list.addSubnet(host, Number(length), family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

function remembered<Found extends object | boolean>(look: (address: string) => Found): (address: string) => Found {
  const known = new LRUCache<string, Found>({ max: REMEMBERED });
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const found = look(address);
    known.set(address, found);
    return found;
  };
}
