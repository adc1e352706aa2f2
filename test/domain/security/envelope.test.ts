import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { inputOfPayload, requestIdIn } from '../../../src/domain/security/call-body.ts';
import { fingerprintOf, type OpenedEnvelope, type OpenRequest, openEnvelope, sealedIn } from '../../../src/domain/security/envelope.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { canonicalJson, isObject, type JsonObject, parseJson } from '../../../src/kernel/json.ts';
import { type Seal, seal } from './seal.ts';

const PUBLIC_KEY = 'demo_ns_4f7Kq2ZxV9bLm1Tn8Rw3Yc6Hs5Jd0PgAeUiOrXtB7';
const FINGERPRINT = '712e7e526686d6f05b4835c11ba89d25';
const PLAYER = '76561190000000042';
const SESSION = '5d41402abc4b2a76b9719d911017c592';
const PLAIN =
  '{"oreId":"iron","kg":5,"security":{"configVersion":"","clientMode":"encrypted","authSessions":"disabled","encryptedRequests":"required","revisionId":0,"revisionOutdated":false},"encryptedRequestId":"1760000000_0123456789abcdef0123456789abcdef1042","_endpointSlug":"mine-ore"}';

const NEUTRAL =
  '{"version":"1","algorithm":"aes-256-gcm+hmac-sha256","projectId":"proj_demo","nonce":"MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY","publicKeyFingerprint":"712e7e526686d6f05b4835c11ba89d25","platformId":"76561190000000042","iv":"EBESExQVFhcYGRob","tag":"XSuPeQqnszooZnyS03kXfw","encryptedPayload":"4kUdODG1yp9iby5Znt9_n9QAf3XVzJKmqOKvBpAHj1lQmNMzYKQNHsY9JE0Ww1e-mCgQs5gfUrfNuZ68lG4JN5-XgGpiFDo0l2DjTAb5Bo0LYd_UxEyB8ei_tVUSLLwVu3mDYO7ysnI0R8sKYJlxkfBpJoJ4IAafFgdUQOS5y6lrAJWdfg4gRJgGEJbYz5GcvCerV7Ck5RiJsur2dUwn4sREZc57Vdix1lnB-SdCa2NZHVbYlrig1zaa-hXLJqXvtByyElWlLxUxYjYCnOX0WKG8cW2KhYJne23x0J80mo4LzpnoeGfZd-cYmGpBwzxvdVDlYkPAGBz-AGJzMnYWAX5hfG5CGg9l6UrObFxPfL7cZGc","signature":"af8e9c8d135a80527861719cf3ba58f2d5cb7944e7b0457a89c3459884403d55"}';
const PUBLISHED =
  '{"version":"1","algorithm":"aes-256-gcm+hmac-sha256","projectId":"proj_demo","nonce":"MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY","publicKeyFingerprint":"712e7e526686d6f05b4835c11ba89d25","steamId":"76561190000000042","iv":"EBESExQVFhcYGRob","tag":"CiaiRt3SJm8U1G0Aj-jCjQ","encryptedPayload":"63kUzm6nn2pBp_SRIntMYSW7LJqPhxYExvvMO4m74m4iXf1wlG4_8mNqNirQ0gJAJR6NrjWmqPnUyvv7MIY3qfz7mhAwT20Jb81aF66os_W899KuP_IozIMiMw92m2p4JNN8am84bCmfxrTRsTRlw1S-1E8LQEjHOqxqhvQFmnxxDNsh0gwf5pJQqzGr7qLEwozXxzuwTB0tqpPCZKhWXCOao07_615fTEx-vXPqW0_yPhW9VJ6V1B8T1PAaEfuYP4Sz2HKiZUWPiOILM-YEqqgnoi_OaAkiNc3CetEF0og7TY1RLPNcuK9J0TphWUJH3oJl1tjDMNkTyu-qraxQReWp9AeBNfF5Q-qnEFBPgBjMwl4","signature":"e845c682bb1e248dba8157df23953700847c8d9ad5ab71f75aba9b19278b0b1a"}';

function object(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error('an envelope is an object');
  return value;
}

const MINE: Omit<OpenRequest, 'envelope'> = {
  projectId: 'proj_demo',
  slug: 'mine-ore',
  publicKey: (fingerprint) => (fingerprint === FINGERPRINT ? PUBLIC_KEY : undefined),
  player: PLAYER,
  sessionId: null,
};
const open = (envelope: JsonObject, changes: Partial<OpenRequest> = {}) => openEnvelope({ ...MINE, envelope, ...changes });
const sealed = (changes: Partial<Seal> = {}) =>
  seal({ publicKey: PUBLIC_KEY, projectId: 'proj_demo', identity: PLAYER, plain: PLAIN, ...changes });

function codeOf(result: OpenedEnvelope | Refusal): string {
  return result instanceof Refusal ? `${result.status} ${result.code}` : 'opened';
}

test('the fingerprint of a key is the first half of its hash', () => {
  expect(fingerprintOf(PUBLIC_KEY)).toBe(FINGERPRINT);
});

describe('the vectors', () => {
  it.each([
    ['12.6, neutral names', NEUTRAL],
    ['15.1, published names', PUBLISHED],
  ])('%s open', (_, envelope) => {
    expect(open(object(envelope))).toEqual({ payload: JSON.parse(PLAIN), type: 'platform', identity: PLAYER });
  });

  it('our seals equal those of clients, so the tests seal what clients send', () => {
    expect(sealed({ published: false })).toEqual(JSON.parse(NEUTRAL));
    expect(sealed()).toEqual(JSON.parse(PUBLISHED));
  });

  it.each([
    [
      '12.7, neutral',
      false,
      '57a969a6b0a27dd7f1ffb78bce0ba427',
      '03797676cf5718997f17c961d25f1956bfa8660a3fe508d0ad8ebf615a5132f1',
      '7a5f11944bf506b126937bfbaf857077476e7b794367ccb671533abeb45745ae',
    ],
    [
      '15.1, published',
      true,
      'a62787c9b50683e50fa0f96ea4d25833',
      '7b6453af0ac23288668e90567f82308d2aaf0459f4bd4f7368b0e1c754b45fe2',
      '1349c6cd38d47df0c8055110acef9950c40fb26cd84ee76a2528a36b5284b520',
    ],
  ])('%s: a session’s seal opens with that session', (_, published, tag, ciphertext, signature) => {
    const envelope = sealed({ published, sessionId: SESSION });
    const bytes = (name: string) => Buffer.from(String(envelope[name]), 'base64url');
    expect(bytes('tag').toString('hex')).toBe(tag);
    expect(createHash('sha256').update(bytes('encryptedPayload')).digest('hex')).toBe(ciphertext);
    expect(envelope.signature).toBe(signature);
    expect(open(envelope, { sessionId: SESSION })).toEqual({ payload: JSON.parse(PLAIN), type: 'session', identity: SESSION });
  });
});

describe('the checks, in their order', () => {
  const other = 'f'.repeat(32);
  it.each<[string, JsonObject, Partial<OpenRequest>, string]>([
    ['1: another project', sealed(), { projectId: 'proj_other' }, '401 REQUEST_SIGNATURE_INVALID'],
    ['2: another endpoint', sealed({ context: { endpointSlug: 'other' } }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['2: this endpoint', sealed({ context: { endpointSlug: 'mine-ore' } }), {}, 'opened'],
    ['3: another version', sealed({ context: { version: '2' } }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['3: another algorithm', sealed({ context: { algorithm: 'none' } }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['4: a short nonce', sealed({ nonce: '1234567' }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['5: an unknown key', sealed({ publicKey: 'demo_ns_other' }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['6: no iv', { ...sealed(), iv: '' }, {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['6: no payload', { ...sealed(), encryptedPayload: null }, {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['7: nobody', { ...sealed(), steamId: '' }, {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['8: a session that did not come', sealed({ sessionId: SESSION }), {}, '401 AUTH_SESSION_REQUIRED'],
    ['9: another session', sealed({ sessionId: SESSION }), { sessionId: other }, '401 AUTH_SESSION_PLATFORMID_MISMATCH'],
    ['10: another player', sealed(), { player: '76561190000000043' }, '401 REQUEST_SIGNATURE_INVALID'],
    ['10: anybody, for a server', sealed({ identity: '0' }), { player: null }, 'opened'],
    ['11: another signature', { ...sealed(), signature: '0'.repeat(64) }, {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['11: no hex signature', { ...sealed(), signature: 'x' }, {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['12: no JSON', sealed({ plain: '{"a":' }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['12: nothing inside', sealed({ plain: '' }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['12: nested too deeply', sealed({ plain: '['.repeat(100) + ']'.repeat(100) }), {}, '400 INVALID_JSON'],
    ['13: no object', sealed({ plain: '[1]' }), {}, '400 INVALID_BODY'],
    ['14: sealed for another endpoint', sealed({ plain: '{"_endpointSlug":"other"}' }), {}, '401 REQUEST_SIGNATURE_INVALID'],
    ['14: sealed for any endpoint', sealed({ plain: '{}' }), {}, 'opened'],
    ['1 before 8', sealed({ sessionId: SESSION }), { projectId: 'x' }, '401 REQUEST_SIGNATURE_INVALID'],
    ['9 before 11', { ...sealed({ sessionId: SESSION }), signature: '0' }, { sessionId: other }, '401 AUTH_SESSION_PLATFORMID_MISMATCH'],
  ])('%s', (_, envelope, changes, code) => {
    expect(codeOf(open(envelope, changes))).toBe(code);
  });
});

describe('spellings that are understood', () => {
  const upper = { ...sealed(), signature: sealed().signature.toUpperCase() };
  const { version, algorithm, ...bare } = sealed();
  const { encryptedPayload, ...rest } = sealed();
  const padded = { ...sealed(), tag: `${String(sealed()['tag'])}==` };

  it.each(['hex', 'tagged'] as const)('the form %s', (form) => {
    expect(codeOf(open(sealed({ form })))).toBe('opened');
    expect(codeOf(open({ ...sealed({ form }), nonce: 'another1' }))).toBe('401 REQUEST_SIGNATURE_INVALID');
  });
  it('base64url that happens to be all hex digits', () => {
    expect(codeOf(open(sealed({ iv: Buffer.from('abcdefabcdefabcd', 'base64url') })))).toBe('opened');
  });
  it('a signature in capitals', () => expect(codeOf(open(upper))).toBe('opened'));
  it('no version and no algorithm', () => expect(codeOf(open(bare))).toBe('opened'));
  it('a version that is a number', () => expect(codeOf(open({ ...sealed(), version: 1 }))).toBe('opened'));
  it('`ciphertext` for `encryptedPayload`', () => expect(codeOf(open({ ...rest, ciphertext: encryptedPayload ?? null }))).toBe('opened'));
  it('padding is part of what is signed', () => expect(codeOf(open(padded))).toBe('401 REQUEST_SIGNATURE_INVALID'));
  it('a player’s id that is a number of 17 digits', () => {
    const { steamId, ...others } = sealed();
    expect(codeOf(open({ ...others, steamId: parseJson(PLAYER) }))).toBe('opened');
    expect(steamId).toBe(PLAYER);
  });
});

describe('where the envelope is', () => {
  const envelope: JsonObject = { encryptedPayload: 'x' };
  it.each<[string, JsonObject, JsonObject | null]>([
    ['as the client sends it', { security: {}, encrypted: true, envelope: { iv: 'y' } }, { iv: 'y' }],
    ['under its other name', { encryptedRequest: envelope }, envelope],
    ['the body itself', { ciphertext: 'x', iv: 'y' }, { ciphertext: 'x', iv: 'y' }],
    ['nowhere: a game may have envelopes of its own', { envelope: { stamp: 1 } }, null],
    ['nowhere: a game may say that something is not encrypted', { encrypted: false }, null],
    ['nowhere', {}, null],
  ])('%s', (_, body, found) => {
    expect(sealedIn(body)).toEqual(found);
  });
});

describe('what becomes input', () => {
  it('does not include credentials or what describes the call', () => {
    const payload = object(
      PLAIN.replace('{', '{"token":"t","apiKey":"k","steamId":1,"platformId":2,"sessionToken":3,"authSessionToken":4,'),
    );
    expect(inputOfPayload(payload)).toEqual({ oreId: 'iron', kg: 5 });
    expect(requestIdIn(payload)).toBe('1760000000_0123456789abcdef0123456789abcdef1042');
  });

  it('is the member `input`, if there is one', () => {
    expect(inputOfPayload({ input: { token: 'the author’s' }, token: 'gone' })).toEqual({ token: 'the author’s' });
  });
});

describe('whatever is sent', () => {
  const names = Object.keys(sealed());

  it('one altered character anywhere is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.stringMatching(/^[A-Za-z0-9_-]$/), (name, place, char) => {
        const envelope = sealed();
        const text = String(envelope[name]);
        const at = place % text.length;
        const altered = text.slice(0, at) + char + text.slice(at + 1);
        fc.pre(name === 'signature' ? altered.toLowerCase() !== text : altered !== text);
        expect(open({ ...envelope, [name]: altered })).toBeInstanceOf(Refusal);
      }),
      { numRuns: 1000 },
    );
  });

  it('one flipped bit of iv, tag or ciphertext is refused, and so is a cut', () => {
    fc.assert(
      fc.property(fc.constantFrom('iv', 'tag', 'encryptedPayload'), fc.nat(), fc.nat(7), fc.boolean(), (name, place, bit, cut) => {
        const envelope = sealed();
        const bytes = Buffer.from(String(envelope[name]), 'base64url');
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const altered = (cut ? bytes.subarray(0, at) : bytes).toString('base64url');
        expect(open({ ...envelope, [name]: altered })).toBeInstanceOf(Refusal);
      }),
      { numRuns: 500 },
    );
  });

  it('any values in any members are refused, and nothing is thrown', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(fc.string()),
      fc.dictionary(fc.string(), fc.string()),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names, 'sessionId', 'platformId', 'endpointSlug', 'ciphertext'), anything),
        (changes) => {
          const altered = { ...sealed(), ...changes };
          fc.pre(canonicalJson(altered) !== canonicalJson(sealed()));
          const result = open(altered, { player: null, sessionId: SESSION });
          // Members outside the seal may be present: an empty or unusable text counts as missing.
          if (!(result instanceof Refusal)) expect(result.payload).toEqual(JSON.parse(PLAIN));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('a payload opens to exactly what was sealed', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        fc.uint8Array({ minLength: 12, maxLength: 12 }),
        (payload, iv) => {
          const { _endpointSlug, ...plain } = JSON.parse(JSON.stringify(payload));
          fc.pre(!JSON.stringify(plain).includes('\\u') && !JSON.stringify(plain).includes('__proto__'));
          const result = open(sealed({ plain: JSON.stringify(plain), iv: Buffer.from(iv) }));
          expect(result).toMatchObject({ type: 'platform', identity: PLAYER });
          if (!(result instanceof Refusal)) expect(JSON.stringify(result.payload)).toBe(JSON.stringify(plain));
        },
      ),
    );
  });
});
