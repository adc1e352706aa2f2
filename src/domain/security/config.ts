import { createHash } from 'node:crypto';
import type { SecurityConfig } from '../../contract/answers.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { ProjectSettings } from '../project/settings.ts';
import { analyticsSetting } from '../telemetry/switches.ts';

/**
 * The security config of a project for its clients. The signature covers exactly the numbers and texts that are sent, because clients check
 * it against the raw text.
 */

const SCHEMA_VERSION = 1;
/** How long a client may use a config before it fetches a new one, seconds. */
const TTL_SECONDS = 60;

/** The settings that clients act on. */
function clientSettings(settings: ProjectSettings): JsonObject {
  return {
    enableAuthSessions: settings.enableAuthSessions,
    authSessionTtlSeconds: settings.authSessionTtlSeconds,
    enableEncryptedRequests: settings.enableEncryptedRequests,
    encryptedRequestWindowSeconds: settings.encryptedRequestWindowSeconds,
    analytics: settings.analytics,
  };
}

const versions = new WeakMap<ProjectSettings, string>();

/** 16 hex digits that differ whenever what clients act on differs. */
export function configVersion(settings: ProjectSettings): string {
  const known = versions.get(settings);
  if (known !== undefined) return known;
  const version = versionOf(clientSettings(settings));
  versions.set(settings, version);
  return version;
}

/** First 16 hex digits of the SHA-256 of the settings' canonical JSON. */
export function versionOf(settings: JsonObject): string {
  return createHash('sha256').update(canonicalJson(settings)).digest('hex').slice(0, 16);
}

/** The modes that a call must use, in the words of the clients' `security` block. */
export function expectedModes(settings: ProjectSettings): Omit<SecurityConfig['config']['modes'], 'analytics'> {
  return {
    authSessions: settings.enableAuthSessions ? 'enabled' : 'disabled',
    encryptedRequests: settings.enableEncryptedRequests ? 'required' : 'disabled',
  };
}

/** The config without its signature. `signing` names the key that will sign it; `now` in unix ms. */
export function securityConfig(
  projectId: string,
  settings: ProjectSettings,
  signing: JsonObject,
  now: number,
): Omit<SecurityConfig['config'], 'signature'> {
  return {
    schemaVersion: SCHEMA_VERSION,
    projectId,
    configVersion: configVersion(settings),
    generatedAt: new Date(now).toISOString(),
    ttlSeconds: TTL_SECONDS,
    modes: { ...expectedModes(settings), analytics: analyticsSetting(settings.analytics).enabled ? 'enabled' : 'disabled' },
    clientMode: clientMode(settings),
    settings: clientSettings(settings),
    signing,
  };
}

function clientMode({ enableAuthSessions, enableEncryptedRequests }: ProjectSettings): string {
  const modes = [...(enableAuthSessions ? ['session'] : []), ...(enableEncryptedRequests ? ['encrypted'] : [])];
  return modes.length === 0 ? 'legacy' : modes.join('+');
}
