import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evolveDocument } from '../../../src/domain/document/evolve.ts';
import { isThere, PackedDocument, packed, storedText } from '../../../src/domain/document/packed.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { ExactNumber, type Json, parseStored, stringifyJson } from '../../../src/kernel/json.ts';

const TIMES = { version: 3, createdAt: 10, updatedAt: 20 };

function state(document: DocumentState['document']): DocumentState {
  return { document, ...TIMES };
}

describe('a packed document', () => {
  test('reads as the state it was made of, exact numbers included', () => {
    const document = { id: new ExactNumber('18446744073709551615'), bag: [{ n: 1.5 }], none: null };
    const kept = packed(state(document));
    expect(kept).toBeInstanceOf(PackedDocument);
    expect([kept.document, kept.version, kept.createdAt, kept.updatedAt]).toEqual([document, 3, 10, 20]);
    expect(storedText(kept)).toBe(stringifyJson(document));
  });

  test('can be made of any document without changing it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stringifyJson({ value: value as Json });
        fc.pre(!text.includes('__proto__'));
        const parsed = parseStored(text);
        expect(packed(state(parsed)).document).toEqual(parsed);
      }),
    );
  });

  test('gives the same object each time, until it is evicted by others', () => {
    const kept = packed(state({ n: 1 }));
    const first = kept.document;
    expect(kept.document).toBe(first);
    const large = 'x'.repeat(600_000);
    for (const name of ['a', 'b']) expect(packed(state({ [name]: large })).document).toEqual({ [name]: large });
    expect(kept.document).not.toBe(first);
    expect(kept.document).toEqual(first);
  });

  test('is freed with its text once it is evicted by others', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const forgotten = (): WeakRef<DocumentState> => {
      const kept = packed(state({ n: 1 }));
      expect(kept.document).toEqual({ n: 1 });
      return new WeakRef(kept);
    };
    const reference = forgotten();
    for (const name of ['a', 'b']) expect(packed(state({ [name]: 'x'.repeat(600_000) })).document).toHaveProperty(name);
    // A weak reference keeps its value until the end of the turn in which it was made.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(reference.deref()).toBeUndefined();
  });

  test('is known to exist without being parsed, and folds from its value', () => {
    const kept = packed(state({ n: 1 }));
    const deleted = state(null);
    expect([isThere(kept), isThere(deleted), isThere(null), packed(deleted)]).toEqual([true, false, false, deleted]);
    const event = {
      type: 'document.written' as const,
      data: { space: 'live' as const, collection: 'c', key: 'k', version: 4, changes: [['m', 2] as const], definition: 'd' },
    };
    expect(evolveDocument(kept, event, 30)).toEqual({
      document: { n: 1, m: 2 },
      version: 4,
      createdAt: 10,
      updatedAt: 30,
      parts: { events: 1, bytes: 11 },
    });
  });
});
