import { expect, it } from 'vitest';
import { StreamBounds, type StreamHolders } from '../../../src/app/live/stream-bounds.ts';

const PLENTY = { streams: 100, topics: 100 };
const BUSY = expect.objectContaining({ code: 'BUSY', status: 503 });
const holders = (more: Partial<StreamHolders> = {}): StreamHolders => ({ project: 'p', key: 'k', address: '192.0.2.1', ...more });

function bounded(of: Partial<Record<'project' | 'key' | 'address', { streams: number; topics: number }>>, streams = 100) {
  const refused: string[] = [];
  const bounds = new StreamBounds({ streams, of: { project: PLENTY, key: PLENTY, address: PLENTY, ...of } }, (by) => void refused.push(by));
  return { bounds, refused };
}

it('one address, key or project takes no more streams than its bound, and the others go on', () => {
  const others = { project: { project: 'q' }, key: { key: 'another' }, address: { address: '192.0.2.2' } };
  for (const holder of ['project', 'key', 'address'] as const) {
    const { bounds, refused } = bounded({ [holder]: { streams: 2, topics: 100 } });
    const release = bounds.take(holders(), 1);
    bounds.take(holders(), 1);
    expect(() => bounds.take(holders(), 1)).toThrow(BUSY);
    expect(refused).toEqual([holder]);
    bounds.take(holders(others[holder]), 1);
    release();
    bounds.take(holders(), 1);
    expect(bounds.streams).toBe(3);
  }
});

it('topics are counted over all streams', () => {
  const { bounds, refused } = bounded({ address: { streams: 100, topics: 10 } });
  bounds.take(holders(), 8);
  expect(() => bounds.take(holders({ project: 'q' }), 3)).toThrow(BUSY);
  bounds.take(holders(), 2);
  expect([bounds.topics, refused]).toEqual([10, ['address']]);
});

it('this machine is not counted as an address, but as a stream of the process', () => {
  const { bounds, refused } = bounded({ address: { streams: 0, topics: 0 } }, 1);
  bounds.take(holders({ address: null }), 1);
  expect(() => bounds.take(holders({ address: null }), 1)).toThrow(BUSY);
  expect(refused).toEqual(['process']);
});
