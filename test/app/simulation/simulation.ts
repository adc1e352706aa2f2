import type { Project } from '../../../src/app/project/project.ts';
import type { WriterLimits } from '../../../src/app/project/writer.ts';
import { documentSubject } from '../../../src/domain/subjects.ts';
import { refusalOf } from '../../../src/http/errors.ts';
import { type Answer, type Ask, commandOf, WALLETS } from './commands.ts';
import { type Wallet, walletOf } from './model.ts';
import type { Submission } from './network.ts';
import { type Plant, SimulatedNode } from './node.ts';
import { type Call, finalState, type History, judge, type Look, sameWallet } from './oracle.ts';
import { ReadModel } from './read-model.ts';
import { setUp } from './setup.ts';
import { PROJECT, type Random, STREAM, World } from './world.ts';

/** The plan of one simulation. Everything else follows from the seed. */
export interface Plan {
  readonly nodes: number;
  readonly commands: number;
  /** How long commands come and failures happen, virtual ms. */
  readonly busyMs: number;
  readonly faulty: boolean;
  /** Number of wallets, 2 to 6: fewer wallets mean more conflicts. */
  readonly keys: number;
  /** The one command to repeat; left out: the usual mix. */
  readonly only?: Ask;
  /** Left out: small and random. */
  readonly limits?: WriterLimits;
}

export interface Report {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly calls: readonly Call[];
  readonly appends: number;
  readonly conflicts: number;
}

const KEYS = ['ada', 'bo', 'cy', 'di', 'eve', 'flo'] as const;
const CALM_MS = 2500;
const PROBE_MS = 1000;

export function planOf(seed: number): Plan {
  return { nodes: 1 + (seed % 4), commands: 160, busyMs: 3500, faulty: true, keys: seed % 5 < 2 ? 2 : KEYS.length };
}

/** Runs one seed to its end and judges it. The same seed and plan give the same report. */
export async function simulate(seed: number, plan: Plan = planOf(seed), plant: Plant = {}): Promise<Report> {
  const simulation = new Simulation(new World(seed), plan, plant);
  return simulation.run();
}

class Simulation {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #plant: Plant;
  readonly #model: ReadModel;
  readonly #calls: Call[] = [];
  readonly #looks: Look[] = [];
  readonly #failures: string[] = [];
  readonly #submissions: Submission[] = [];
  readonly #nodes: SimulatedNode[] = [];
  readonly #all: SimulatedNode[] = [];
  readonly #limits: WriterLimits;
  readonly #cacheBytes: number;
  /** Highest revision that any client was told. */
  #told = 0;
  readonly #versions = new Map<string, number>();
  #made = 0;

  constructor(world: World, plan: Plan, plant: Plant) {
    const { random } = world;
    this.#world = world;
    this.#plan = plan;
    this.#plant = plant;
    this.#model = new ReadModel(world);
    world.faulty = plan.faulty;
    this.#limits = plan.limits ?? {
      groupCommits: random.whole(1, 8),
      groupBytes: 100_000,
      queueCommits: random.whole(12, 60),
      windowBytes: random.pick([15_000, 40_000, 1_000_000]),
      deadlineMs: 300,
    };
    // Room for a handful of documents, so what was read a moment ago is often gone.
    this.#cacheBytes = random.whole(2_500, 9_000);
  }

  async run(): Promise<Report> {
    const { clock } = this.#world;
    const { busyMs, faulty } = this.#plan;
    const setupEnd = await setUp(this.#world);
    await this.#model.step(this.#world.random.whole(1, setupEnd + 1));
    this.#model.onProgress = (revision) => this.#announce(revision);
    this.#model.start();
    for (let index = 0; index < this.#plan.nodes; index += 1) this.#startNode(index);
    this.#planCommands();
    if (faulty) this.#planFaults();
    await clock.run(busyMs);
    this.#world.faulty = false;
    this.#world.note('── calm ──');
    await clock.run(busyMs + CALM_MS);
    // More than once: a lock with an unknown outcome may be stored after the first unlock.
    for (const part of [1, 2, 3]) {
      for (const [index] of this.#nodes.entries()) void this.#command(index, { kind: 'lock', locked: false });
      await clock.run(busyMs + CALM_MS + (PROBE_MS / 6) * part);
    }
    const probes = this.#nodes.map((_, index) => this.#command(index, { kind: 'inc', key: `probe${index}`, amount: 1 }));
    await clock.run(busyMs + CALM_MS + PROBE_MS);
    void Promise.all(probes);
    const log = await this.#world.log.read(STREAM, { limit: 1_000_000, direction: 'forwards' });
    const { deadlineMs } = this.#limits;
    const history: History = {
      calls: this.#calls,
      looks: this.#looks,
      failures: this.#failures,
      submissions: this.#submissions,
      log,
      setupEnd,
      deadlineMs,
    };
    const violations = [...judge(history), ...this.#checkAnswered(), ...(await this.#checkNodes(history))];
    const sum = (count: (node: SimulatedNode) => number) => this.#all.reduce((total, node) => total + count(node), 0);
    return {
      violations,
      trace: this.#world.lines,
      calls: this.#calls,
      appends: sum((node) => node.appends),
      conflicts: sum((node) => node.conflicts),
    };
  }

  #startNode(index: number): void {
    this.#made += 1;
    const name = `n${index}.${this.#made}`;
    const node = new SimulatedNode(this.#world, name, this.#model, this.#limits, this.#cacheBytes, this.#submissions, this.#plant);
    node.machine.skew = this.#world.random.between(-20, 20);
    this.#nodes[index] = node;
    this.#all.push(node);
    this.#world.note(`${name} starts`);
  }

  /** Projectors report late, never, or before the node itself has seen the event. */
  #announce(revision: number): void {
    const { clock, random } = this.#world;
    for (const node of this.#nodes) {
      if (random.chance(0.2)) continue;
      clock.after(random.between(0, 30), () => {
        if (!node.machine.dead) node.projects.projected(PROJECT, revision);
      });
    }
  }

  // ── what clients do ─────────────────────────────────────────────────────────────────────────────────────────────

  #planCommands(): void {
    const { clock, random } = this.#world;
    let left = this.#plan.commands;
    while (left > 0) {
      const burst = Math.min(left, random.chance(0.3) ? random.whole(3, 12) : 1);
      const at = random.between(0, this.#plan.busyMs);
      const index = random.whole(0, this.#plan.nodes - 1);
      clock.after(at, () => {
        for (let count = 0; count < burst; count += 1) this.#act(random.chance(0.8) ? index : random.whole(0, this.#plan.nodes - 1));
      });
      left -= burst;
    }
  }

  #act(index: number): void {
    if (this.#world.random.chance(0.15)) void this.#look(index);
    else void this.#command(index, this.#plan.only ?? this.#ask(this.#world.random));
  }

  #ask(random: Random): Ask {
    const key = random.chance(0.4) ? 'ada' : this.#key();
    const other = this.#key();
    const dice = random.next();
    if (dice < 0.34) return { kind: 'inc', key, amount: random.whole(1, 9) };
    if (dice < 0.46) return { kind: 'transfer', from: key, to: other === key ? 'zoe' : other, amount: random.whole(1, 12), once: null };
    if (dice < 0.58) return this.#transferOnce(random);
    if (dice < 0.72) return { kind: 'save', key, version: this.#versions.get(key) ?? 0, mark: random.whole(1, 999) };
    if (dice < 0.78) return { kind: 'delete', key };
    if (dice < 0.88) return { kind: 'look', keys: [key, other === key ? 'zoe' : other, 'flo'] };
    if (dice < 0.97) {
      const once = random.chance(0.7) ? `once${random.whole(1, 5)}` : null;
      return { kind: 'append', recordId: random.text(32), once, mark: random.whole(1, 2) };
    }
    return random.chance(0.7) ? { kind: 'limit', limit: random.pick([20, 40, 80]) } : this.#lock();
  }

  #key(): string {
    return KEYS[this.#world.random.whole(0, this.#plan.keys - 1)] ?? 'ada';
  }

  /** Few keys and few bodies: most requests are sent again, some with another body. */
  #transferOnce(random: Random): Ask {
    const number = random.whole(1, 12);
    const amount = random.chance(0.9) ? (number % 5) + 1 : random.whole(1, 6);
    return { kind: 'transfer', from: KEYS[number % this.#plan.keys] ?? 'ada', to: 'zoe', amount, once: `gift${number}` };
  }

  /** A locked key refuses nearly everything, so it is unlocked soon. */
  #lock(): Ask {
    const { clock, random } = this.#world;
    const index = random.whole(0, this.#plan.nodes - 1);
    for (const ms of [15, 80, 200]) clock.after(ms, () => void this.#command(index, { kind: 'lock', locked: false }));
    return { kind: 'lock', locked: true };
  }

  async #command(index: number, ask: Ask): Promise<void> {
    const node = this.#nodes[index];
    const project = node && (await this.#projectOf(node));
    if (!node || !project) return;
    const { clock } = this.#world;
    const commandId = this.#world.random.text(16);
    const call: Call = {
      commandId,
      ask,
      node: node.name,
      from: ask.kind === 'look' ? project.set.head : this.#world.end,
      askedAt: clock.now,
      machineFrom: node.machine.now(),
    };
    this.#calls.push(call);
    const end = (result: NonNullable<Call['ended']>['result']) => {
      call.ended = { at: clock.now, machineTo: node.machine.now(), to: this.#world.end, result };
      this.#world.note(`${node.name} ${commandId.slice(0, 8)} ${JSON.stringify(ask)} → ${JSON.stringify(result)}`);
    };
    try {
      const outcome = await project.execute(commandOf(commandId, ask));
      this.#learn(ask, outcome.answer, outcome.revision);
      end({ answer: outcome.answer, revision: outcome.revision });
    } catch (error) {
      const { code, status } = refusalOf(error);
      if (status === 500)
        this.#world.note(`${node.name} ${commandId.slice(0, 8)} failed: ${error instanceof Error ? error.stack : String(error)}`);
      end({ code, status });
    }
  }

  #learn(ask: Ask, answer: Answer, revision: number): void {
    this.#told = Math.max(this.#told, revision);
    if (ask.kind === 'inc' || ask.kind === 'save') this.#versions.set(ask.key, typeof answer === 'number' ? answer : 0);
    else if (ask.kind === 'look' && Array.isArray(answer))
      for (const [at, key] of ask.keys.entries()) this.#versions.set(key, answer[2 * at + 1] ?? 0);
  }

  /** A plain read, half of them with a position that some client was told. */
  async #look(index: number): Promise<void> {
    const node = this.#nodes[index];
    const project = node && (await this.#projectOf(node));
    if (!node || !project) return;
    const { random } = this.#world;
    const key = this.#key();
    const position = random.chance(0.5) ? this.#told : -1;
    const head = project.set.head;
    try {
      if (position > head) await project.seek(position);
      const wallet = await readWallet(project, key);
      this.#looks.push({ key, node: node.name, from: Math.max(head, position), to: project.set.head, wallet });
    } catch (error) {
      if (refusalOf(error).status !== 503) this.#failures.push(refusalOf(error).message);
    }
  }

  async #projectOf(node: SimulatedNode): Promise<Project | null> {
    try {
      return await node.project();
    } catch (error) {
      // A node does not open a project whose tables are further behind than it may hold.
      if (!['STORAGE_UNAVAILABLE', 'BEHIND'].includes(refusalOf(error).code)) this.#failures.push(refusalOf(error).message);
      return null;
    }
  }

  // ── what goes wrong ─────────────────────────────────────────────────────────────────────────────────────────────

  #planFaults(): void {
    const { clock, random } = this.#world;
    const { busyMs, nodes } = this.#plan;
    const sometimes = (most: number, task: (index: number) => void) => {
      const times = random.whole(0, most);
      for (let count = 0; count < times; count += 1) {
        const index = random.whole(0, nodes - 1);
        clock.after(random.between(0, busyMs), () => task(index));
      }
    };
    sometimes(3, (index) => {
      this.#nodes[index]?.crash();
      this.#world.note(`${this.#nodes[index]?.name} crashes`);
      this.#startNode(index);
    });
    sometimes(3, (index) => this.#cutOff(index, random.chance(0.3) ? random.between(400, 1800) : random.between(20, 300)));
    sometimes(1, () => {
      const ms = random.between(20, 700);
      for (const index of this.#nodes.keys()) this.#cutOff(index, ms);
    });
    sometimes(2, () => {
      this.#model.pausedUntil = clock.now + random.between(100, 800);
    });
    sometimes(4, (index) => {
      const node = this.#nodes[index];
      if (node) node.machine.skew -= random.between(0, 25);
    });
  }

  #cutOff(index: number, ms: number): void {
    const node = this.#nodes[index];
    if (!node) return;
    node.network.downUntil = this.#world.clock.now + ms;
    this.#world.note(`${node.name} is cut off for ${ms.toFixed(0)} ms`);
  }

  // ── how it must end ─────────────────────────────────────────────────────────────────────────────────────────────

  #checkAnswered(): string[] {
    const alive = new Set(this.#nodes.map((node) => node.name));
    return this.#calls.flatMap(({ node, ask, ended, commandId }) => {
      const what = `${node} ${commandId.slice(0, 8)} ${JSON.stringify(ask)}`;
      if (!ended) return alive.has(node) ? [`liveness: ${what} was never answered`] : [];
      const probed = 'key' in ask && ask.key.startsWith('probe') && 'code' in ended.result;
      return probed ? [`liveness: in the calm ${what} is still answered ${JSON.stringify(ended.result)}`] : [];
    });
  }

  async #checkNodes(history: History): Promise<string[]> {
    const wrong: string[] = [];
    const reading: Promise<void>[] = [];
    const truth = finalState(history);
    const end = history.log.length - 1;
    for (const node of this.#nodes) {
      const project = node.projects.peek(PROJECT);
      if (!project) {
        wrong.push(`liveness: ${node.name} has the project closed in the end`);
        continue;
      }
      if (project.set.head !== end) wrong.push(`liveness: ${node.name} stands at ${project.set.head}, the log at ${end}`);
      for (const key of KEYS) {
        const check = (wallet: Wallet) => {
          const right = walletOf(truth, key);
          if (sameWallet(wallet, right)) return;
          wrong.push(`${node.name} holds ${key} as ${JSON.stringify(wallet)} in the end, and it is ${JSON.stringify(right)}`);
        };
        reading.push(readWallet(project, key).then(check));
      }
    }
    await this.#world.clock.run(this.#world.clock.now + 500);
    await Promise.all(reading);
    return wrong;
  }
}

async function readWallet(project: Project, key: string): Promise<Wallet> {
  const { state } = await project.read(documentSubject('live', WALLETS, key));
  if (state === null || !('version' in state)) return { gold: 0, mark: 0, version: 0, exists: false, updatedAt: 0 };
  const { document, version, updatedAt } = state;
  return { gold: Number(document?.['gold'] ?? 0), mark: Number(document?.['mark'] ?? 0), version, exists: document !== null, updatedAt };
}
