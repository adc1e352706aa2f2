import type { SecurityConfig } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { fromBase64url, hasCrypto, sha256, subtle, utf8 } from './crypto.ts';
import { hex } from './ids.ts';
import { stableJson } from './stable-json.ts';

/** The security config of a project, and the check of its signature. */

export type Config = SecurityConfig['config'];

/** Why a config must not be used; `null`: it may be used. `projectId`: the project that the config must belong to. */
export async function faultOf(config: unknown, projectId: string): Promise<string | null> {
  if (!isObject(config) || !isObject(config['settings'])) return 'it is not a config';
  if (config['projectId'] !== projectId) return 'it is of another project';
  // A page without WebCrypto was loaded over plain HTTP, like the config. The key comes with the config, so its signature proves nothing.
  if (!hasCrypto()) return null;
  if (await isSigned(config)) return null;
  return config['configVersion'] === (await versionOf(config['settings'])) ? null : 'its signature does not fit';
}

/** First 16 hex digits of SHA-256 over the stable JSON of the settings. */
export async function versionOf(settings: unknown): Promise<string> {
  return hex((await sha256(stableJson(settings))).subarray(0, 8));
}

/** Whether the RSASSA-PKCS1-v1_5 signature (SHA-256, over the stable JSON of the rest) fits the key that the config names. */
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
