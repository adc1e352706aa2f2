import { lookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Delivery, Webhooks } from '../app/ports/webhooks.ts';
import { WEBHOOK_PREFIXES } from '../domain/wire-names.ts';
import { Bulkhead } from '../kernel/bulkhead.ts';
import { stringifyJson } from '../kernel/json.ts';

/** Most concurrent webhooks of this process: one slow service must not use up its sockets. Projects share them. */
export const MAX_WEBHOOKS = 64;
const MAX_ERROR = 500;
/** A service that decodes these would see other segments than the ones that were compared. */
const ENCODED_SLASH = /%(?:2f|5c)/i;

/** Webhooks, some of which nobody awaits. `settled` resolves when all of them have ended. */
export interface SentWebhooks extends Webhooks {
  settled(): Promise<void>;
}

/**
 * `configured`: allowed prefixes of addresses, each with a path; `null`: the default ones. An address is compared in the form in which it will be
 * requested, so `..` and user names cannot evade the check. Redirects are not followed. A name that resolves to a private address is
 * refused. A numeric address or `localhost` is allowed if a prefix names it, because the operator set that.
 */
export function createWebhooks(configured: readonly string[] | null, shares = new Bulkhead({ slots: MAX_WEBHOOKS })): SentWebhooks {
  const prefixes = configured ?? WEBHOOK_PREFIXES;
  const underWay = new Set<Promise<number>>();
  return {
    isAllowed(url) {
      if (!URL.canParse(url)) return false;
      const { href, pathname, username, password } = new URL(url);
      if (username !== '' || password !== '' || ENCODED_SLASH.test(pathname)) return false;
      return prefixes.some((prefix) => href.startsWith(prefix));
    },
    async post(projectId, url, payload, timeoutMs) {
      if (!shares.tryAcquire(projectId)) return failed('Too many webhooks of this project are under way.');
      try {
        const sending = send(new URL(url), stringifyJson(payload), timeoutMs);
        underWay.add(sending);
        const status = await sending.finally(() => underWay.delete(sending));
        return status >= 200 && status < 300 ? { ok: true, status } : { ok: false, status, error: `The service answered ${status}.` };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      } finally {
        shares.release(projectId);
      }
    },
    async settled() {
      await Promise.allSettled(underWay);
    },
  };
}

function failed(error: string): Delivery {
  return { ok: false, status: 0, error: error.slice(0, MAX_ERROR) };
}

/**
 * Sends a webhook. Resolves to the status of the answer, whose body is not read. Each webhook has a connection of its own, because they are
 * rare.
 */
function send(url: URL, text: string, timeoutMs: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const guard = url.hostname === 'localhost' || isIP(url.hostname) !== 0 ? {} : { lookup: publicOnly };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = open(url, { method: 'POST', headers, agent: false, signal, ...guard }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', (error) => reject(signal.aborted ? new Error(`No answer within ${timeoutMs} ms.`) : error));
    request.end(text);
  });
}

/** Two lists, because in one the network of IPv4 in IPv6 would include every IPv4 address. */
const PRIVATE = { 4: new BlockList(), 6: new BlockList() } as const;
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/3', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  // A public number that clouds answer from inside: Azure's services of a machine.
  '168.63.129.16/32',
  // Loopback, IPv4 in IPv6 in its five forms, unique local, link-local, site-local, multicast, discarded, examples, segment routing.
  ...[
    '::/96',
    '::ffff:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '2002::/16',
    '2001::/32',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
    '100::/64',
    '2001:db8::/32',
    '3fff::/20',
    '5f00::/16',
  ],
]) {
  const [address = '', length = ''] = network.split('/');
  const family = isIP(address) === 6 ? 6 : 4;
  PRIVATE[family].addSubnet(address, Number(length), family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an IP address, version 4 or 6, is not a public one. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 6 ? PRIVATE[6].check(address, 'ipv6') : PRIVATE[4].check(address, 'ipv4');
}

/** Looks a name up at the moment of connecting, so that no second look-up can give another address. */
const publicOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) return callback(new Error('The name resolves to a private address.'), []);
    return options.all ? callback(null, open) : callback(null, first.address, first.family);
  });
};
