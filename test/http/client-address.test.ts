import { describe, expect, it } from 'vitest';
import { clientAddresses } from '../../src/http/client-address.ts';

const PROXIES = ['127.0.0.0/8', '::1', '10.0.0.5', '172.16.0.0/12', 'fd00::/8'];

function client(peer: string, forwarded?: string, proxies: readonly string[] = PROXIES): string | null {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddresses(proxies)({ headers, socket: { remoteAddress: peer } });
}

describe('the address that a request counts for', () => {
  it('is the peer, whatever it claims, unless the peer is a trusted proxy', () => {
    expect(client('8.8.8.8', '1.1.1.1')).toBe('8.8.8.8');
    expect(client('10.0.0.6', '1.1.1.1')).toBe('10.0.0.6');
    expect(client('127.0.0.1', '1.1.1.1', [])).toBe('127.0.0.1');
  });

  it.each([
    ['10.0.0.5', '1.1.1.1', '1.1.1.1'],
    ['172.31.9.9', '1.1.1.1', '1.1.1.1'],
    ['fd12::3', '2001:db8::1', '2001:db8:0:0::/64'],
    ['::ffff:10.0.0.5', '1.1.1.1', '1.1.1.1'],
    ['127.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
  ])('is what a trusted proxy (%s) forwards', (peer, forwarded, address) => {
    expect(client(peer, forwarded)).toBe(address);
  });

  it('is the right-most untrusted one, through several proxies and despite forged entries', () => {
    expect(client('10.0.0.5', '6.6.6.6, 1.1.1.1, 172.16.0.1')).toBe('1.1.1.1');
    expect(client('10.0.0.5', '6.6.6.6, 10.0.0.6, 127.0.0.1')).toBe('10.0.0.6');
    expect(client('10.0.0.5', '6.6.6.6, nonsense')).toBe('nonsense');
  });

  it('is the farthest proxy if all are trusted', () => {
    expect(client('10.0.0.5')).toBe('10.0.0.5');
    expect(client('10.0.0.5', '')).toBe('10.0.0.5');
    expect(client('127.0.0.1', '172.16.0.7, 10.0.0.5')).toBe('172.16.0.7');
  });

  it('is the farthest address if every address is trusted', () => {
    for (const peer of ['8.8.8.8', '200.0.0.1', '2001:db8::1', 'fe80::1'])
      expect(client(peer, '6.6.6.6, 1.1.1.1', ['0.0.0.0/0', '::/0'])).toBe('6.6.6.6');
    expect(client('2001:db8::1', '6.6.6.6', ['0.0.0.0/0'])).toBe('2001:db8:0:0::/64');
  });

  it('is none for this machine itself', () => {
    for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(client(peer)).toBeNull();
    expect(client('127.0.0.1', '127.0.0.1')).toBeNull();
    expect(client('127.0.0.1', undefined, [])).toBeNull();
  });

  it('is the same whichever port a proxy adds', () => {
    expect(client('10.0.0.5', '1.1.1.1:4711')).toBe('1.1.1.1');
    expect(client('10.0.0.5', '[2001:db8::1]:4711')).toBe('2001:db8:0:0::/64');
  });

  it.each([
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0001:2:3:4:5', '2001:db8:0:1::/64'],
    ['::2', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ])('is the network of an IPv6 address (%s), which its holder can vary at will', (address, network) => {
    expect(client(address)).toBe(network);
    expect(client('10.0.0.5', address)).toBe(network);
  });

  it('is bounded', () => {
    expect(client('10.0.0.5', 'x'.repeat(1000))).toHaveLength(64);
  });
});
