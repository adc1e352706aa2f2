import { expect, it } from 'vitest';
import { didYouMean, nearest } from '../../src/kernel/nearest.ts';

it.each([
  ['requird', 'required'],
  ['requried', 'required'],
  ['rate-limit-rules', 'rateLimitRules'],
  ['Collection', 'collection'],
  ['endpoint', 'endpoints'],
  ['wiht', 'with'],
])('%s means %s', (word, meant) => {
  expect(nearest(word, ['other', 'required', 'rateLimitRules', 'collection', 'endpoints', 'with'])).toBe(meant);
  expect(didYouMean(word, [meant])).toBe(`Did you mean '${meant}'?`);
});

it.each([['xy'], ['colour'], ['id'], ['x'.repeat(5000)], ['']])('%s is near to no known word', (word) => {
  expect(nearest(word, ['ab', 'key', 'collection', 'as'])).toBeUndefined();
});
