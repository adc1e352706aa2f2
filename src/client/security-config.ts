import type { SecurityConfig } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { fromBase64url, hasCrypto, sha256, subtle, utf8 } from './crypto.ts';
import { hex } from './ids.ts';
import { stableJson } from './stable-json.ts';

/** The security config of a project, as its server signs it. */

export type Config = SecurityConfig['config'];

/** Why a config must not be used; `null`: it may be. `projectId`: the project that it must be of. */
export async function faultOf(config: unknown, projectId: string): Promise<string | null> {
  if (!isObject(config) || !isObject(config['settings'])) return 'it is no config';
  if (config['projectId'] !== projectId) return 'it is of another project';
  // A page without WebCrypto came over plain HTTP, as the config did: a signature that came with it proves nothing.
  if (!hasCrypto()) return null;
  if (await isSigned(config)) return null;
  return config['configVersion'] === (await versionOf(config['settings'])) ? null : 'its signature does not fit';
}

/** First 16 hex digits of SHA-256 over the stable JSON of the settings. */
export async function versionOf(settings: unknown): Promise<string> {
  return hex((await sha256(stableJson(settings))).subarray(0, 8));
}

/** RSASSA-PKCS1-v1_5 with SHA-256 over the stable JSON of the config without its signature, by the key that it shows. */
export async function isSigned({ signature, ...signed }: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { signing } = signed;
  if (typeof signature !== 'string' || !isObject(signing) || !isObject(signing['publicKeyJwk'])) return false;
  const { n, e } = signing['publicKeyJwk'];
  if (typeof n !== 'string' || typeof e !== 'string' || String(signing['algorithm']).toLowerCase() !== 'rsa-sha256') return false;
  try {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    const key = await subtle().importKey('jwk', { kty: 'RSA', n, e }, rsa, false, ['verify']);
    return await subtle().verify(rsa.name, key, fromBase64url(signature), utf8(stableJson(signed)));
  } catch {
    return false;
  }
}
