import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const RULES = ['src/kernel', 'src/contract', 'src/domain', 'src/language'];
/** What every use case begins with. */
const USE_CASES = [
  ...RULES,
  'src/app/caller.ts',
  'src/app/answers.ts',
  'src/app/access.ts',
  'src/app/context.ts',
  'src/app/called.ts',
  'src/app/request-ids.ts',
  'src/app/idempotency.ts',
  'src/app/ports',
  'src/app/project',
];

/** The rooms of the source, and which rooms each may import (docs/architecture.md, "Import direction"). */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/kernel': [],
  'src/contract': ['src/kernel'],
  // Types alone: it runs where nothing else of the project does.
  'src/client': ['src/contract'],
  // The page in the browser: it knows the routes by their description alone, and what the command line tells in the same words.
  'src/console': ['src/contract/told-as-one.ts'],
  'src/contract/told-as-one.ts': [],
  // Their own order is DOMAIN_LEVELS.
  'src/domain': ['src/kernel', 'src/contract', 'src/language'],
  'src/language': ['src/kernel', 'src/contract', 'src/domain'],
  // What a game's folder and its server's address are enough for: no database, nothing of the server.
  'src/folder': RULES,
  'src/log': RULES,
  'src/app/caller.ts': [...RULES, 'src/app/request-ids.ts'],
  'src/app/request-ids.ts': ['src/kernel', 'src/app/project'],
  'src/app/answers.ts': RULES,
  // Only types: each interface is beside its implementation.
  'src/app/app.ts': [...RULES, 'src/app'],
  'src/app/ports': RULES,
  'src/app/project': [...RULES, 'src/log', 'src/app/ports'],
  'src/app/access.ts': [...RULES, 'src/app/caller.ts', 'src/app/project'],
  'src/app/idempotency.ts': [...RULES, 'src/app/caller.ts', 'src/app/project'],
  'src/app/called.ts': [...RULES, 'src/app/context.ts'],
  'src/app/context.ts': [
    ...USE_CASES,
    'src/app/looking/look-log.ts',
    'src/app/security/key-uses.ts',
    'src/app/people/people.ts',
    'src/app/telemetry/telemetry-recorder.ts',
    'src/app/telemetry/heartbeat-folds.ts',
  ],
  'src/app/telemetry': [...USE_CASES, 'src/log'],
  'src/app/past': USE_CASES,
  'src/app/security': USE_CASES,
  'src/app/people': [...USE_CASES, 'src/log'],
  'src/app/looking': [...USE_CASES, 'src/log', 'src/app/past'],
  'src/app/storage': [...USE_CASES, 'src/app/past', 'src/app/security'],
  'src/app/endpoints': [...USE_CASES, 'src/app/security', 'src/app/storage'],
  'src/app/management': [...USE_CASES, 'src/app/people', 'src/app/past', 'src/app/security', 'src/app/storage', 'src/app/endpoints'],
  'src/app/correction': [...USE_CASES, 'src/app/past', 'src/app/storage', 'src/app/endpoints', 'src/app/management'],
  'src/app/history': [...USE_CASES, 'src/app/people', 'src/app/past', 'src/app/security', 'src/app/storage', 'src/app/management'],
  'src/app/economy': [...USE_CASES, 'src/app/past'],
  'src/app/live': [...USE_CASES, 'src/app/security', 'src/app/storage', 'src/app/management'],
  'src/app/operator': [...USE_CASES, 'src/app/management'],
  'src/app/create-app.ts': ['src/app'],
  'src/http': ['src/kernel', 'src/contract', 'src/domain', 'src/language', 'src/app/app.ts', 'src/log/port.ts'],
  'src/jobs': ['src/kernel', 'src/domain', 'src/app/management/test-runs.ts'],
  'src/outbound': ['src/kernel', 'src/domain', 'src/app/ports'],
  projections: [
    'src/kernel',
    'src/domain',
    'src/log',
    'src/app/ports/readers.ts',
    'src/app/ports/state-reader.ts',
    'src/app/ports/approvals.ts',
    'src/app/ports/boards.ts',
    'src/app/ports/documents.ts',
    'src/app/ports/economy.ts',
    'src/app/ports/grants.ts',
    'src/app/ports/ledger.ts',
    'src/app/ports/publishes.ts',
    'src/app/ports/telemetry.ts',
    'src/app/ports/call-table.ts',
    'src/app/ports/sign-in-store.ts',
    'src/app/ports/processes.ts',
    'src/app/ports/key-uses.ts',
  ],
  'src/config': ['src/kernel'],
  'src/logger.ts': ['src/log-output.ts', 'src/log-text.ts', 'src/kernel'],
  'src/log-text.ts': ['src/kernel'],
  'src/log-output.ts': [],
  'src/version.ts': [],
  'infra/postgres': ['src/kernel'],
  'src/cluster': ['src/kernel'],
  'src/compose': [
    'src/kernel',
    'src/contract',
    'src/log',
    'src/app',
    'src/http',
    'src/jobs',
    'src/outbound',
    'src/config',
    'src/version.ts',
    'projections',
    'infra/postgres',
  ],
  'src/main.ts': ['src', 'projections', 'infra/postgres'],
  'src/index.ts': ['src/kernel', 'src/config', 'src/logger.ts', 'src/main.ts'],
  'src/cli': ['src', 'projections', 'infra/postgres'],
  // Games of their own: they know the client by its package alone.
  'infra/examples': [],
  'infra/harness': ['src/kernel'],
  'infra/demo': ['src/kernel', 'infra/harness'],
  'infra/docs': ['src', 'projections', 'infra/harness'],
  'infra/cluster': ['src/kernel', 'infra/harness', 'infra/postgres'],
  'infra/load': ['src/kernel', 'infra/harness', 'infra/cluster', 'infra/postgres'],
  'infra/pictures': ['infra/harness', 'infra/demo', 'infra/load'],
};

/**
 * The rooms of the rules from below. A room imports rooms of its own level and of the levels before. `src/domain` here: the files beside
 * its rooms, which say what events, states and definitions are.
 */
const DOMAIN_LEVELS: readonly (readonly string[])[] = [
  ['src/domain'],
  [
    ...['document', 'limit', 'record', 'guest', 'session', 'idempotency', 'page'].map((room) => `src/domain/${room}`),
    ...['project', 'revision', 'security', 'telemetry', 'economy', 'people', 'looking'].map((room) => `src/domain/${room}`),
  ],
  ['src/language/expressions', 'src/language/normal'],
  ['src/domain/query', 'src/domain/commit'],
  ['src/language', 'src/language/steps', 'src/language/validate', 'src/language/types'],
  ['src/domain/definition/source'],
  ['src/domain/definition/model'],
  ['src/domain/access', 'src/domain/live', 'src/domain/personal'],
  ['src/domain/correction'],
  ['src/domain/definition/findings'],
  ['src/domain/definition/push', 'src/domain/test'],
  ['src/domain/definition/pull', 'src/domain/definition/release'],
];

/** The rooms of the console's page from below: a room imports rooms before it. What begins it lies above them. */
const CONSOLE_LEVELS = ['style', 'words', 'api', 'parts', 'frame', 'pages'].map((room) => `src/console/${room}`);

const ROOT = resolve(import.meta.dirname, '../..');

interface File {
  readonly path: string;
  /** The project's own files that it imports, as paths. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function read(path: string): File {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const specifiers = [...text.matchAll(/^\s*(?:import|export)[^'";]*?from '([^']+)'|import\('([^']+)'\)/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  const own = specifiers.filter((specifier) => specifier.startsWith('.'));
  return {
    path,
    imports: own.map((specifier) => relative(ROOT, resolve(ROOT, dirname(path), specifier))),
    packages: specifiers.filter((specifier) => !specifier.startsWith('.')),
  };
}

const files = [...filesIn('src'), ...filesIn('projections'), ...filesIn('infra')].map(read);

function roomOf(path: string, rooms: readonly string[] = Object.keys(ROOMS)): string | undefined {
  return rooms.filter((room) => path === room || path.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0];
}

/** `undefined`: the file is none of the rules. */
function levelOf(path: string): number | undefined {
  const room = roomOf(path, DOMAIN_LEVELS.flat());
  return room === undefined ? undefined : DOMAIN_LEVELS.findIndex((level) => level.includes(room));
}

describe('the structure', () => {
  it('every file lies in a room', () => {
    expect(files.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  it('imports only go in the direction of the design', () => {
    const wrong = files.flatMap(({ path, imports }) => {
      const room = roomOf(path) ?? '';
      const open = [room, ...(ROOMS[room] ?? [])];
      return imports
        .filter((target) => !open.some((allowed) => target === allowed || target.startsWith(`${allowed}/`)))
        .map((target) => `${path} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the rooms of the rules have an order: what games store below, the language over it, definitions and their release above', () => {
    const folders = files
      .map(({ path }) => dirname(path))
      .filter((folder) => /^src\/domain\/(?!definition$)[^/]+$|^src\/domain\/definition\/[^/]+$/.test(folder));
    expect(folders.filter((folder) => !DOMAIN_LEVELS.flat().includes(folder))).toEqual([]);
    const wrong = files.flatMap(({ path, imports }) => {
      const level = levelOf(path);
      if (level === undefined) return [];
      return imports.filter((target) => (levelOf(target) ?? 0) > level).map((target) => `${path} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the rooms of the console have an order: what is said below, then what is asked, what pages are made of, and the pages', () => {
    const levelIn = (path: string) => CONSOLE_LEVELS.findIndex((room) => path.startsWith(`${room}/`));
    const wrong = files.flatMap(({ path, imports }) => {
      const level = levelIn(path);
      if (level < 0) return [];
      const isAbove = (target: string) => target.startsWith('src/console/') && (levelIn(target) < 0 || levelIn(target) > level);
      return imports.filter(isAbove).map((target) => `${path} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the pure rooms use nothing that has effects', () => {
    const effects = ['pg', 'koa', '@koa/router', 'pino', 'node:fs', 'node:http', 'node:net', 'node:child_process', 'prom-client'];
    const pure = files.filter(({ path }) => RULES.some((room) => path.startsWith(`${room}/`)));
    const wrong = pure.flatMap(({ path, packages }) =>
      packages.filter((name) => effects.includes(name)).map((name) => `${path} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the use cases open no file and no connection: what they ask of the world, they ask of a port', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('src/app/'))
      .flatMap(({ path, packages }) =>
        packages.filter((name) => name !== 'node:crypto' && name !== 'lru-cache').map((name) => `${path} → ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('the client library uses types of the contract, and nothing else: it runs in a game', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('src/client/'))
      .flatMap(({ path, packages }) => {
        const values = readFileSync(join(ROOT, path), 'utf8').matchAll(/^\s*(?:import|export)\s+(?!type\b)[^'";]*?from '(\.\.\/[^']+)'/gm);
        return [...packages, ...[...values].map(([, specifier]) => specifier)].map((name) => `${path} → ${name}`);
      });
    expect(wrong).toEqual([]);
  });

  it('what measures time uses the monotonic clock: the other one is set while it runs', () => {
    const measures = /Date\.now\(\) [-+<>]|[-+<>] Date\.now\(\)/;
    const product = files.filter(({ path }) => /^(src|projections|infra\/postgres)\//.test(path));
    expect(
      product.filter(({ path }) => measures.test(readFileSync(join(ROOT, path), 'utf8').replaceAll('=> Date', ''))).map(({ path }) => path),
    ).toEqual([]);
  });

  it('who may do what with data and definitions is said in one place', () => {
    const says =
      /refusal\('(?:ENDPOINT_ONLY|RECORD_DELETE_DISABLED|SECRET_KEY_REQUIRED|SECRET_KEY_INVALID|FORBIDDEN)'|\baccess\.(?:read|write)\b/;
    const elsewhere = files.filter(({ path }) => /^src\/(?:app|http)\//.test(path) && says.test(readFileSync(join(ROOT, path), 'utf8')));
    // The metrics of a node belong to no project.
    expect(elsewhere.map(({ path }) => path)).toEqual(['src/http/metrics-access.ts']);
  });

  it('there are no cycles', () => {
    const graph = new Map(files.map((file) => [file.path, file.imports]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
        return;
      }
      if (done.has(path)) return;
      for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});
