import { expect, test } from 'vitest';
import { heldIn, keyShown } from '../../src/console/words/held.ts';
import { becomes } from '../../src/console/words/publish.ts';

test('a revision is found as the console writes it, and anything else as it was typed', () => {
  expect(['publish 5011', ' Commit 7 ', 'revision 3', 'publish', '  ada ', 'commit x'].map(heldIn)).toEqual([
    ...['5011', '7', '3', 'publish', 'ada', 'commit x'],
  ]);
});

test('a secret key is looked for by its beginning and end alone, a public one whole, and what is no key not so', () => {
  const [secret, open] = ['sp_sk_tbQQhEF1RKpObfHUv8YS95IDJuQs', 'sp_ns_m1eax3SjWu3h4qfNrllCcxdo'];
  expect([secret, open, 'sp_sk_', 'axe'].map(keyShown)).toEqual(['sp_sk_tbQQ...JuQs', open, null, null]);
});

test('what there are many of are new, and what there is one of is', () => {
  expect([
    becomes('add', 'rate-limit-rules'),
    becomes('change', 'game-values'),
    becomes('add', 'query'),
    becomes('change', 'query'),
  ]).toEqual([...['are new', 'change', 'is new', 'changes']]);
});
