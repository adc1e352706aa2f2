/** A secret of every kind. */
const RANDOM_48 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl';
const HEX = '00112233445566778899aabbccddeeff';
const BASE_43 = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

export const SECRETS = {
  'secret key': `sp_sk_${RANDOM_48}`,
  'secret key without a prefix': `sk_${RANDOM_48}`,
  'secret key under a prefix without a line': `gamesk_${RANDOM_48}`,
  device: `ns_guest_${BASE_43}`,
  session: `ns_sess_${HEX}.${HEX}.1772366400000.${BASE_43}`,
  'session as published clients spell it': `sbox_sess_${HEX}.${HEX}.1772366400000.${BASE_43}`,
  pass: `ns_pass_${HEX}.0011223344556677.1772366400000.${BASE_43}`,
  'recovery code': '7QK2-0123-4567-89AB-CDEF-GHJK-MNPQ',
  'recovery code as it is typed': '7qk20123456789abcdefghjkmnpq',
  'token of a login': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${BASE_43}`,
  'password in an address': 'postgres://u:hunter2@db.example/x?token=abc',
} as const;
