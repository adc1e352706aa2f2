import { describe, expect, it } from 'vitest';
import { readConfig, redactUrl } from '../../src/config/config.ts';
import { misspeltSettings } from '../../src/config/misspelt.ts';
import { LIMITS, SERVER, VERIFIER } from '../../src/config/settings.ts';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      dataDir: './data',
      databaseUrl: null,
      eventStoreUrl: null,
      wireNames: 'neutral',
      keyPrefix: 'sp_',
      limits: { documentBytes: 65_536, gameBodyBytes: 262_144, managementBodyBytes: 8_388_608, groupBytes: 786_432, queueCommits: 5000 },
    });
  });

  it('prefers the flag to the variable and the variable to the default; an empty variable counts as not set', () => {
    expect(readConfig({ PORT: '9000', HOST: ' ', LIMIT_DOCUMENT: '1MiB', GROUP_BYTES: '4MiB' }, { port: '9001' })).toMatchObject({
      port: 9001,
      host: '127.0.0.1',
      limits: { documentBytes: 1_048_576 },
    });
  });

  it('names every invalid setting, its value and what is allowed', () => {
    const read = () => readConfig({ PORT: '70000', WIRE_NAMES: 'loud', PLATFORM_ID_PATTERN: '(', LIMIT_DOCUMENT: '64 pages' });
    expect(read).toThrow(
      'PORT is "70000"; allowed: a whole number from 0 to 65535\nWIRE_NAMES is "loud"; allowed: one of neutral, published\n',
    );
    expect(read).toThrow(/PLATFORM_ID_PATTERN is "\("; allowed: a regular expression/);
    expect(read).toThrow(/LIMIT_DOCUMENT is "64 pages"; allowed: bytes.* from 1 KiB to 1 MiB/);
  });

  it.each([
    ['^[a-z.|@]{3,16}$', '"." "@" "|"'],
    ['^\\w+@\\w+\\.com$', '"@" "."'],
    ['^steam/[0-9]+$', '"/"'],
    ['^\\x41\\u{2f}[!-+]$', '"/" "!" "\\"" "#" "$" "%" "&" "\'" "(" ")" "*" "+"'],
  ])('refuses a pattern of player ids that no document key can hold, and names the characters (%s)', (pattern, named) => {
    expect(() => readConfig({ PLATFORM_ID_PATTERN: pattern })).toThrow(`this one admits ${named}, too`);
  });

  it.each([
    '^[79][0-9]{3,16}$',
    '^(?:steam:[0-9]+|user-[a-z]{1,20})$',
    '^(?!.*--)(?<name>[\\w-]+)\\b$',
    '^[A-Za-z0-9]{28}$',
    '^\\x41\\p{Nd}+$',
  ])('takes a pattern of ids that fit (%s)', (pattern) => {
    expect(readConfig({ PLATFORM_ID_PATTERN: pattern }).platformIdPattern).toBe(pattern);
  });

  it('says which variables look like a setting and are none', () => {
    const env = {
      CORS_ORIGIN: 'https://game.example',
      LIMIT_DOCUMNET: '1MiB',
      SAVEPOINT_DAT: '/data',
      redis_url: 'redis://r',
      VERIFIER_URI: '',
    };
    const others = {
      HOME: '/',
      NODE_ENV: 'production',
      LC_ALL: 'C',
      SSH_AUTH_SOCK: '/s',
      SAVEPOINT_SECRET_KEY: 'k',
      SAVEPOINT_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      REDIS_PORT: 'tcp://10.0.0.2:6379',
      npm_config_cache: '/c',
      XDG_DATA_DIRS: '/',
    };
    expect(misspeltSettings({ ...env, ...others, CORS_ORIGINS: '*' })).toEqual([
      'CORS_ORIGIN is no setting and has no effect; did you mean CORS_ORIGINS?',
      'LIMIT_DOCUMNET is no setting and has no effect; did you mean LIMIT_DOCUMENT?',
      'SAVEPOINT_DAT is no setting and has no effect; did you mean SAVEPOINT_DATA?',
      'redis_url is no setting and has no effect; did you mean REDIS_URL?',
    ]);
  });

  it('refuses documents that no append could hold', () => {
    expect(readConfig({ LIMIT_DOCUMENT: '192 KiB' }).limits.documentBytes).toBe(196_608);
    expect(() => readConfig({ LIMIT_DOCUMENT: '1 MiB' })).toThrow(
      'GROUP_BYTES is 768 KiB; allowed with a LIMIT_DOCUMENT of 1 MiB: 4 MiB or more',
    );
    expect(() => readConfig({ GROUP_BYTES: '64 KiB' })).toThrow(/^GROUP_BYTES is 64 KiB; allowed with a LIMIT_DOCUMENT of 64 KiB/);
  });

  it('refuses a console that others could reach without TLS, or that everybody could', () => {
    const read = (settings: Readonly<Record<string, string>>) => readConfig(settings).consoleListen;
    expect(read({})).toEqual({ host: '127.0.0.1', port: 8090 });
    expect(read({ CONSOLE_LISTEN: 'off' })).toBeNull();
    expect(read({ CONSOLE_LISTEN: '[::1]:0' })).toEqual({ host: '::1', port: 0 });
    for (const text of ['8090', '127.0.0.1', 'localhost:99999', 'on'])
      expect(() => read({ CONSOLE_LISTEN: text })).toThrow(/^CONSOLE_LISTEN is /);
    const open = { CONSOLE_LISTEN: '0.0.0.0:8090', CONSOLE_URL: 'https://console.game.example', CONSOLE_NETWORKS: '10.0.0.0/8' };
    expect(() => read({ CONSOLE_LISTEN: open.CONSOLE_LISTEN })).toThrow(/CONSOLE_URL.*\n.*CONSOLE_NETWORKS.*\n.*CONSOLE_TLS/);
    expect(() => read(open)).toThrow(/CONSOLE_TLS \(certificate and key\) or CONSOLE_PROXIES/);
    expect(() => read({ ...open, CONSOLE_TLS: 'a.pem,b.pem', CONSOLE_NETWORKS: 'none' })).toThrow(/CONSOLE_NETWORKS/);
    expect(() => read({ CONSOLE_URL: 'http://console.game.example' })).toThrow(/^CONSOLE_URL is /);
    expect(read({ ...open, CONSOLE_TLS: 'a.pem,b.pem' })).toEqual({ host: '0.0.0.0', port: 8090 });
    expect(read({ CONSOLE_URL: open.CONSOLE_URL, CONSOLE_NETWORKS: '10.0.0.0/8', CONSOLE_PROXIES: '127.0.0.1' })).toMatchObject({
      port: 8090,
    });
  });

  it('accepts addresses and networks as trusted proxies, and nothing else', () => {
    const read = (text: string) => readConfig({ TRUSTED_PROXIES: text }).trustedProxies;
    expect(readConfig({}).trustedProxies).toEqual(['127.0.0.0/8', '::1']);
    expect(read('10.1.2.3, 172.16.0.0/12,fd00::/8')).toEqual(['10.1.2.3', '172.16.0.0/12', 'fd00::/8']);
    expect(read('none')).toEqual([]);
    for (const text of ['balancer', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/', '10.0.0.1/8/8', '10.0.0.1,'])
      expect(() => read(text)).toThrow(/^TRUSTED_PROXIES is /);
  });

  it('accepts origins in the form of browsers, and nothing else', () => {
    const read = (text: string) => readConfig({ CORS_ORIGINS: text }).corsOrigins;
    expect(readConfig({}).corsOrigins).toEqual([]);
    expect(read('https://game.example, http://localhost:5173')).toEqual(['https://game.example', 'http://localhost:5173']);
    expect(read('*')).toEqual(['*']);
    const apps = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'];
    expect(read(apps.join(','))).toEqual(apps);
    for (const text of [
      'game.example',
      'https://*.games.example',
      'tauri://*',
      'https://game.example/',
      'https://game.example/play',
      '*.example',
      'https://a.example,',
    ])
      expect(() => read(text)).toThrow(/^CORS_ORIGINS is /);
  });

  it('accepts prefixes of addresses for webhooks that no other host can share', () => {
    const read = (text: string) => readConfig({ WEBHOOK_PREFIXES: text }).webhookPrefixes;
    expect(readConfig({}).webhookPrefixes).toBeNull();
    expect(read('https://chat.example/hooks/, http://10.0.0.1:8080/')).toEqual(['https://chat.example/hooks/', 'http://10.0.0.1:8080/']);
    expect(read('none')).toEqual([]);
    for (const text of [
      'https://chat.example',
      'https://chat.example/hooks',
      'ftp://chat.example/',
      'https://me@chat.example/',
      'https://a.example/../',
    ])
      expect(() => read(text)).toThrow(/^WEBHOOK_PREFIXES is /);
  });

  it('never shows a secret', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://me:hidden@db/x?password=hidden' })).toThrow(
      /^DATABASE_URL is mysql:\/\/me:\*\*\*@db\/x; allowed: postgres:/,
    );
    for (const text of ['hidden', 'postgres:hidden', 'hidden@db', 'postgres:/me:hidden@']) {
      expect(redactUrl(text)).not.toContain('hidden');
      const outcome = (() => {
        try {
          return String(readConfig({ DATABASE_URL: text }).databaseUrl === text);
        } catch (error) {
          return String(error);
        }
      })();
      expect(outcome).not.toContain('hidden');
    }
    expect(() => readConfig({ VERIFIER_SECRET: 'a://hidden' })).toThrow(/^VERIFIER_SECRET is \(not shown\); allowed: a text/);
  });

  it('describes each setting once', () => {
    const names = [SERVER, VERIFIER, LIMITS].flatMap((table) => Object.values(table).map(({ variable }) => variable));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['PORT', 'SAVEPOINT_DATA', 'DATABASE_URL', 'WIRE_NAMES']));
  });
});
