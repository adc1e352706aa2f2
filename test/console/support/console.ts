import { afterAll, beforeAll, vi } from 'vitest';
import { ProjectWorker } from '../../../projections/projector/project-worker.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { RoleName } from '../../../src/console/words/role.ts';
import { createLogger } from '../../../src/logger.ts';
import { startNode } from '../../../src/main.ts';
import { type Env, printed } from '../../node/support/command-line.ts';
import { type Client, createClient } from '../../node/support/game-client.ts';
import { newFolder, removeFolders } from '../../node/support/program.ts';
import type { Page, Profile } from '../../support/chromium.ts';
import { migratedDatabase } from '../../support/postgres.ts';
import { newProfile } from './chromium.ts';
import { heading } from './page.ts';

/** A node in this process with its console, and a browser that is signed in as the owner. */
export interface Console {
  /** For commands that are about this node. */
  readonly env: Env;
  readonly project: string;
  /** With the secret key of the project. */
  readonly manager: Client;
  readonly origin: string;
  readonly profile: Profile;
  readonly page: Page;
  /** What went wrong on pages besides what they tell. */
  readonly faults: readonly string[];
  /** A page that is signed in by a new link, of the owner or of the person that is named. */
  signedIn(profile: Profile, person?: string): Promise<Page>;
  /** A page of somebody else, who has this role in the project. Its browser ends with the test file. */
  signedInAs(role: RoleName): Promise<Page>;
  close(): Promise<void>;
}

/** The console of the tests of a file: it starts before them with `settings` and what `seed` stores, and ends after them. */
export function useConsole(seed: (console: Console) => Promise<unknown>, settings: () => Promise<Env> = async () => ({})): () => Console {
  let started: Console | null = null;
  beforeAll(async () => {
    started = await startConsole(await settings());
    await seed(started);
  });
  afterAll(() => started?.close());
  return () => {
    if (started === null) throw new Error('the console is asked for before its tests');
    return started;
  };
}

/** For a machine that is very busy, ms. */
const VIEWS_MS = 60_000;

/** A page asks for a list once, and takes one that is a little behind. Here the node waits until it is not. Returns what ends that. */
function withoutLag(): () => void {
  const { waitFor } = ProjectWorker.prototype;
  const longer = vi.spyOn(ProjectWorker.prototype, 'waitFor').mockImplementation(function (this: ProjectWorker, revision, timeoutMs) {
    return waitFor.call(this, revision, Math.max(timeoutMs, VIEWS_MS));
  });
  return () => longer.mockRestore();
}

async function startConsole(settings: Env): Promise<Console> {
  const env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0', ...settings };
  const config = readConfig({ ROLES: 'api,projector', PORT: '0', ...env }, { dataDir: newFolder() });
  const logger = createLogger({ level: 'warn', format: 'json' });
  const endWaiting = withoutLag();
  const node = await startNode(config, { demo: false, logger, onLost: () => undefined });
  if (node.console === null || node.createProject === null) throw new Error('this node has no console');
  const made = await node.createProject('Market');
  const manager = createClient(node.url, made);
  const faults: string[] = [];
  const signedIn = async (of: Profile, person?: string) => {
    const opened = await of.newPage();
    opened.on('pageerror', (error) => faults.push(error.message));
    opened.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource')) faults.push(message.text());
    });
    const whose = person === undefined ? [] : [person];
    await opened.goto(JSON.parse(await printed(['console', 'link', ...whose, '--json'], { env })).url);
    await heading(opened, /^(Activity|Projects)$/);
    return opened;
  };
  const profiles: Profile[] = [];
  const ownProfile = async () => {
    const own = await newProfile();
    profiles.push(own);
    return own;
  };
  const signedInAs = async (role: RoleName) => {
    const name = `${role}-${profiles.length}`;
    await printed(['user', 'add', name, '--role', role, '--project', made.projectId, '--json'], { env });
    return signedIn(await ownProfile(), name);
  };
  const profile = await ownProfile();
  const page = await signedIn(profile);
  const close = async () => {
    manager.close();
    await Promise.all(profiles.map((own) => own.close()));
    await node.close();
    endWaiting();
    removeFolders();
  };
  return { env, project: made.projectId, manager, origin: node.console.origin, profile, page, faults, signedIn, signedInAs, close };
}
