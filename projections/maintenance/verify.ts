import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { groupBy } from '../../src/kernel/group.ts';
import { readProjectEvent } from '../../src/log/decode.ts';
import { followToEnd } from '../../src/log/follow.ts';
import { isForeign, isForeignFiller } from '../../src/log/foreign.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { accessStream, PROJECT_PREFIX, projectOf, projectStream } from '../../src/log/streams.ts';
import { fillAll, IN_PAGES } from '../fills.ts';
import { verifyTelemetry } from '../models/telemetry/verify.ts';
import { PROJECTION_NAMES, PROJECTIONS } from '../registry.ts';
import { SCRATCH_VERSION, schemaOf, TABLES, type Transaction, tableName, type Versions } from '../tables.ts';
import { snapshot, transaction } from '../transaction.ts';
import { type Memory, NOTHING, writeBatch } from '../write.ts';
import {
  type ActiveCheckpoint,
  activeCheckpoints,
  activeVersions,
  behindProblem,
  checkpoints,
  isGone,
  lagging,
} from './active-checkpoints.ts';
import { ChainCheck } from './chain-check.ts';
import { compareTable, foreignProblem, foreignRows, otherProjects, type Problem } from './compare.ts';
import { discardVersion } from './rebuild.ts';
import { verifyLooks } from './verify-looks.ts';
import { verifyPeople } from './verify-people.ts';

/**
 * Proves that the read models are right. It checks the hash chain of every project's stream, then compares every column of every row with a
 * fresh fold of the log into scratch tables. It reads the rows from one snapshot while writers continue, so that a slow comparison holds
 * nobody up. Telemetry comes last; it has no chain.
 */

interface VerifyProgress {
  readonly phase: 'folding' | 'comparing';
  readonly events: number;
  readonly project: string;
  /** Progress of the whole verification, 0 to 100. */
  readonly percent: number;
}

export interface VerifyOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly onProgress?: (progress: VerifyProgress) => void;
}

export interface Verified {
  readonly ok: boolean;
  /** The first {@link MAX_PROBLEMS} problems. */
  readonly problems: readonly Problem[];
  readonly projects: number;
  readonly events: number;
  /** Events that the read models did not show when they were compared. Nothing is known of them: they are `behind` problems. */
  readonly behind: number;
  readonly seconds: number;
}

const MAX_PROBLEMS = 1_000;
/** Events of one transaction. A batch costs a dozen statements, however large it is. */
const BATCH = 2_000;
/** Events that are read at once, however large they are. */
const PAGE = 500;
/** The most events that may be folded while the snapshot is held. A snapshot keeps Postgres from removing old versions of rows. */
const LITTLE = 500;
const ROUNDS = 20;
/** The scratch tables are analysed only after this many events. With fewer, any query plan is good enough. */
const LARGE = 10_000;
/** The number of tries: a rebuild may switch to other tables between reading their versions and locking them. */
const TRIES = 5;
/** The percentage of the run that folding takes, about; comparing takes the rest. */
const FOLDING = 90;
const BUFFERED = 16 * 1024 * 1024;
const SCRATCH: Versions = new Map(PROJECTION_NAMES.map((name) => [name, SCRATCH_VERSION]));

/** The progress of one project. */
interface Walk {
  readonly chain: ChainCheck;
  /** How far the scratch tables are, and how far they must be before the snapshot is taken. */
  folded: number;
  readonly target: number;
  memory: Memory;
  waiting: RecordedEvent[];
  /** Whether an event could not be folded. */
  unreadable: boolean;
}

/** Runs one piece of folding in a transaction. */
type Run = (work: (tx: Transaction) => Promise<Memory>) => Promise<Memory>;

/** Verifies all projects, from the beginning of the log. Throws when another verification runs. */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const lock = await options.pool.connect();
  try {
    const { rows } = await lock.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [ADVISORY_LOCKS.verification]);
    if (!rows[0]?.free) throw new Error('another verification is running');
    await discardScratch(lock);
    for (const name of PROJECTION_NAMES) {
      await lock.query(schemaOf(name, SCRATCH_VERSION).replaceAll('CREATE TABLE', 'CREATE UNLOGGED TABLE'));
    }
    return await new Verification(options).run();
  } finally {
    await discardScratch(lock).catch(() => undefined);
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.verification]).catch(() => undefined);
    lock.release();
  }
}

async function discardScratch(client: PoolClient): Promise<void> {
  for (const name of PROJECTION_NAMES) await discardVersion(client, name, SCRATCH_VERSION);
}

class Verification {
  readonly #options: VerifyOptions;
  readonly #problems: Problem[] = [];
  readonly #walks = new Map<string, Walk>();
  readonly #started = performance.now();
  #targets: ReadonlyMap<string, number> = new Map();
  #events = 0;
  /** Events that the read models show. */
  #expected = 0;
  #compared = 0;
  #buffered = 0;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async run(): Promise<Verified> {
    const { pool } = this.#options;
    this.#targets = await checkpoints(pool);
    for (const revision of this.#targets.values()) this.#expected += revision + 1;
    await this.#walkLog();
    await this.#fillScratch();
    for (const projectId of this.#targets.keys()) await this.#compare(projectId);
    this.#findUnallowed();
    await this.#findForeign();
    const telemetry = await verifyTelemetry(this.#options);
    this.#add(telemetry.problems);
    const people = await verifyPeople(this.#options.log);
    this.#events += people.events;
    this.#add(people.problems);
    for (const projectId of this.#walks.keys()) await this.#verifyLooks(projectId);
    const behind = (await this.#findBehind()) + telemetry.behind;
    const problems = this.#problems.slice(0, MAX_PROBLEMS);
    const seconds = (performance.now() - this.#started) / 1000;
    const events = this.#events + telemetry.events;
    return { ok: problems.length === 0, problems, projects: this.#walks.size, events, behind, seconds };
  }

  /**
   * Finds rows of projects that are not in the log. The log is read again first, so that a project that was created meanwhile is found in
   * it.
   */
  async #findForeign(): Promise<void> {
    const { pool, log } = this.#options;
    for (const table of TABLES) {
      const known = [...this.#targets.keys(), ...this.#walks.keys()];
      for (const projectId of await otherProjects(pool, table, known)) {
        if ((await log.head(projectStream(projectId))) !== null) this.#walk(projectId);
        else this.#add(await foreignRows(pool, table, projectId));
      }
    }
  }

  /** Who looked at whose data is chained, too, and kept for a while. */
  async #verifyLooks(projectId: string): Promise<void> {
    const found = await verifyLooks(this.#options.log, accessStream(projectId));
    this.#events += found.events;
    this.#add(
      found.problems.map(({ revision, detail }) => ({
        kind: 'chain',
        project: projectId,
        table: 'access',
        row: `revision ${revision}`,
        detail,
      })),
    );
  }

  /** Counts events that the log held when it was read and that the read models do not show. */
  async #findBehind(): Promise<number> {
    const heads = new Map([...this.#walks].map(([projectId, { chain }]) => [projectId, chain.revision]));
    const lags = await lagging(heads, () => checkpoints(this.#options.pool));
    this.#add(lags.map((lag) => behindProblem('checkpoints', lag)));
    return lags.reduce((sum, { head, shown }) => sum + head - shown, 0);
  }

  /** One pass over the whole log: checks every link, and folds the events that were projected when the pass began. */
  async #walkLog(): Promise<void> {
    for await (const step of followToEnd(this.#options.log, PROJECT_PREFIX)) {
      for (const [stream, events] of groupBy(step.events, (event) => event.stream)) {
        await this.#take(projectOf(stream) ?? '', events);
      }
      if (this.#buffered > BUFFERED) await this.#foldAll();
    }
    await this.#foldAll();
  }

  /** Does the work that folding leaves to pages. The tables are then at their largest, and the large ones are analysed. */
  async #fillScratch(): Promise<void> {
    for (const projectId of this.#walks.keys()) await this.#fill(projectId);
    if (this.#events < LARGE) return;
    const tables = TABLES.filter(({ projection }) => PROJECTION_NAMES.includes(projection)).map(({ name }) =>
      tableName(name, SCRATCH_VERSION),
    );
    await this.#options.pool.query(`ANALYZE ${tables.join(', ')}`);
  }

  async #fill(projectId: string): Promise<void> {
    const walk = this.#walk(projectId);
    if (walk.unreadable) return;
    await fillAll(PROJECTIONS, walk.memory.catalog, (work) => transaction(this.#options.pool, projectId, SCRATCH, work));
  }

  #reportProgress(phase: VerifyProgress['phase'], project: string, percent: number): void {
    this.#options.onProgress?.({ phase, project, percent, events: this.#events });
  }

  #walk(projectId: string): Walk {
    const known = this.#walks.get(projectId);
    if (known) return known;
    const target = this.#targets.get(projectId) ?? -1;
    const walk: Walk = {
      chain: new ChainCheck('data.redacted'),
      folded: -1,
      target,
      memory: NOTHING,
      waiting: [],
      unreadable: false,
    };
    this.#walks.set(projectId, walk);
    return walk;
  }

  async #take(projectId: string, events: readonly RecordedEvent[]): Promise<void> {
    const walk = this.#walk(projectId);
    for (const event of events) {
      this.#checkLink(projectId, walk, event);
      if (event.revision > walk.target) continue;
      walk.waiting.push(event);
      this.#buffered += event.data.length;
    }
    if (walk.waiting.length >= BATCH) await this.#foldWaiting(projectId, walk);
  }

  #checkLink(project: string, { chain }: Walk, event: RecordedEvent): void {
    this.#events += 1;
    const detail = chain.take(event);
    if (detail !== null) this.#add([{ kind: 'chain', project, table: 'log', row: `revision ${event.revision}`, detail }]);
    else if (isForeign(event)) this.#addForeign(project, event);
  }

  #findUnallowed(): void {
    for (const [project, { chain }] of this.#walks) {
      const unallowed = chain.unallowed();
      this.#add(
        unallowed.map(({ revision, detail }) => ({ kind: 'redaction', project, table: 'log', row: `revision ${revision}`, detail })),
      );
    }
  }

  /** What a copy put in the place of a foreign event is part of the copy. */
  #addForeign(project: string, event: RecordedEvent): void {
    if (isForeignFiller(event)) return;
    this.#add([foreignProblem(project, `revision ${event.revision}`, event)]);
  }

  async #foldAll(): Promise<void> {
    for (const [projectId, walk] of this.#walks) if (walk.waiting.length > 0) await this.#foldWaiting(projectId, walk);
  }

  async #foldWaiting(projectId: string, walk: Walk): Promise<void> {
    const { pool } = this.#options;
    while (walk.waiting.length > 0) {
      const page = walk.waiting.splice(0, BATCH);
      for (const event of page) this.#buffered -= event.data.length;
      await this.#fold(projectId, walk, page, (work) => transaction(pool, projectId, SCRATCH, work));
      this.#reportProgress('folding', projectId, FOLDING * Math.min(1, this.#events / this.#expected));
    }
  }

  async #fold(projectId: string, walk: Walk, page: readonly RecordedEvent[], run: Run) {
    if (walk.unreadable) return;
    try {
      const events = page.map((event) => readProjectEvent(event));
      walk.memory = await run(async (tx) => {
        if (walk.folded === -1) await openScratch(tx);
        return writeBatch(tx, PROJECTIONS, events, walk.memory, IN_PAGES);
      });
      walk.folded += page.length;
    } catch (error) {
      walk.unreadable = true;
      const detail = error instanceof Error ? error.message : String(error);
      this.#add([{ kind: 'unreadable', project: projectId, table: 'log', row: `from revision ${walk.folded + 1}`, detail }]);
    }
  }

  /** Folds the events since the pass, then compares everything in one snapshot. */
  async #compare(projectId: string): Promise<void> {
    const walk = this.#walk(projectId);
    this.#reportProgress('comparing', projectId, FOLDING + (100 - FOLDING) * (this.#compared / this.#targets.size));
    this.#compared += 1;
    for (let round = 0; round < ROUNDS && !walk.unreadable; round++) {
      const at = Math.max(-1, ...(await activeCheckpoints(this.#options.pool, projectId)).map((checkpoint) => checkpoint.revision));
      if (at - walk.folded < LITTLE) break;
      await this.#foldRest(projectId, walk, at, (work) => transaction(this.#options.pool, projectId, SCRATCH, work));
    }
    await this.#fill(projectId);
    for (let tries = 1; ; tries++) {
      const versions = await activeVersions(this.#options.pool);
      try {
        if (await this.#compareSnapshot(projectId, walk, versions)) return;
      } catch (error) {
        if (!isGone(error)) throw error;
      }
      if (tries === TRIES) throw new Error(`the tables of project ${projectId} were rebuilt again and again; verify when that is over`);
    }
  }

  /** Returns `false` when a rebuild has switched to other tables since the versions were read. */
  async #compareSnapshot(projectId: string, walk: Walk, versions: Versions): Promise<boolean> {
    const tables = TABLES.flatMap(({ name, projection }) => {
      const version = versions.get(projection);
      return version === undefined ? [] : [tableName(name, version)];
    });
    return snapshot(this.#options.pool, projectId, SCRATCH, tables, async (tx) => {
      const checkpoints = await activeCheckpoints(tx.client, projectId);
      if (checkpoints.some(({ name, version }) => versions.get(name) !== version)) return false;
      const at = Math.max(-1, ...checkpoints.map((checkpoint) => checkpoint.revision));
      await this.#foldRest(projectId, walk, at, (work) => work(tx));
      if (!walk.unreadable) await fillAll(PROJECTIONS, walk.memory.catalog, (work) => work(tx));
      for (const checkpoint of walk.unreadable ? [] : checkpoints) await this.#compareCheckpoint(tx, walk, checkpoint, at);
      return true;
    });
  }

  async #foldRest(projectId: string, walk: Walk, at: number, run: Run): Promise<void> {
    while (walk.folded < at && !walk.unreadable) {
      const range = { from: walk.folded + 1, limit: Math.min(PAGE, at - walk.folded), direction: 'forwards' } as const;
      const page = await this.#options.log.read(projectStream(projectId), range);
      if (page.length === 0) {
        const detail = `the read models stand at revision ${at}, the log ends at ${walk.folded}`;
        this.#add([{ kind: 'history', project: projectId, table: 'checkpoints', row: `revision ${at}`, detail }]);
        walk.unreadable = true;
        return;
      }
      for (const event of page) if (event.revision > walk.chain.revision) this.#checkLink(projectId, walk, event);
      await this.#fold(projectId, walk, page, run);
    }
  }

  async #compareCheckpoint(tx: Transaction, walk: Walk, checkpoint: ActiveCheckpoint, at: number): Promise<void> {
    const { projectId } = tx;
    const row = `${checkpoint.name} at revision ${checkpoint.revision}`;
    if (checkpoint.revision !== at) {
      return this.#add([
        { kind: 'behind', project: projectId, table: 'checkpoints', row, detail: `the others stand at ${at}; rebuild it` },
      ]);
    }
    const scratch = await tx.client.query<{ hash: string }>(
      'SELECT hash FROM savepoint.checkpoints WHERE project = $1 AND projection = $2 AND version = $3',
      [projectId, checkpoint.name, SCRATCH_VERSION],
    );
    if (walk.folded >= 0 && scratch.rows[0]?.hash !== checkpoint.hash) {
      this.#add([
        { kind: 'history', project: projectId, table: 'checkpoints', row, detail: 'its hash is not the hash of that event in the log' },
      ]);
    }
    for (const table of TABLES.filter(({ projection }) => projection === checkpoint.name)) {
      this.#add(await compareTable(tx.client, table, checkpoint.version, projectId));
    }
  }

  #add(problems: readonly Problem[]): void {
    for (const problem of problems) if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

async function openScratch(tx: Transaction): Promise<void> {
  await tx.client.query(
    `INSERT INTO savepoint.checkpoints (projection, version, project, revision, hash)
     SELECT name, $2, $1, -1, '' FROM unnest($3::text[]) AS w (name)`,
    [tx.projectId, SCRATCH_VERSION, PROJECTION_NAMES],
  );
}
