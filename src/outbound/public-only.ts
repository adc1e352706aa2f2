import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Which addresses are public, for requests to what somebody else has named. */

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
export const publicOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) return callback(new Error('The name resolves to a private address.'), []);
    return options.all ? callback(null, open) : callback(null, first.address, first.family);
  });
};
