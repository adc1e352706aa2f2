import { CAUSE } from '../../domain/correction/causes.ts';
import { DRIVEN, phaseAfter } from '../../domain/correction/grant.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { GrantPhase, GrantState } from '../../domain/states.ts';
import { documentSubject, grantPlayerSubject, grantSubject } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { decided } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { GrantPlayerRow } from '../ports/grants.ts';
import type { ViewReader } from '../ports/readers.ts';
import { newCommandId, Overtaken } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { givenCommit, giveTo, isStillDue, takeBack } from './grant-serving.ts';

/**
 * Goes on with a grant. What is left to do is read from the log's views, and each player's decision asks the log whether it is still due:
 * so it may be driven by several processes at once, stopped at any moment, and begun again.
 */

export interface GrantDriver {
  readonly views: Pick<ViewReader, 'caughtUp' | 'grantPlayers'>;
  readonly past: Past;
  readonly scheduler: Pick<Scheduler, 'sleep'>;
  readonly documentBytes: number;
}

/** Players who are read at a time. */
const PAGE = 200;
const VIEWS_WAIT_MS = 30_000;
/** How often a player is tried while storage is busy or away, and the first pause; each is longer than the one before. */
const TRIES = 8;
const PAUSE_MS = 100;
/** After so many players who failed for no reason of theirs, the rest is left to a later run. */
const MAX_FAILED = 20;
const MAX_WHY = 200;
const MAX_LINES = 50;

/** Drives a grant until nobody waits. Resolves to how many players were looked at. Throws what kept players from being served. */
export async function driveGrant(
  driver: GrantDriver,
  project: Project,
  grant: string,
  onPercent: (percent: number) => void = () => undefined,
): Promise<number> {
  let looked = 0;
  for (;;) {
    await project.refresh();
    const { state } = await project.read(grantSubject(grant));
    if (state === null || !DRIVEN.includes(state.phase) || project.authority?.deleted !== false) return looked;
    if (!(await driver.views.caughtUp(project.id, project.set.head, VIEWS_WAIT_MS))) throw refusal('BEHIND');
    const passed = await new Pass(driver, project, grant, state).run(onPercent);
    looked += passed;
    if (passed === 0) await endPhase(project, grant, state);
  }
}

/** Nobody waits any more: the grant is given, or taken back. */
async function endPhase(project: Project, grant: string, { actor, phase }: GrantState): Promise<void> {
  await project.execute({
    commandId: newCommandId(),
    cause: 'grant.end',
    actor,
    decide(ctx) {
      const next = phaseAfter(phase);
      const isIn = ctx.read(grantSubject(grant))?.phase === phase;
      return decided(null, isIn && next !== null ? [{ type: 'grant.moved', data: { grant, phase: next } }] : []);
    },
  });
}

/** One way through the players who wait in a phase. */
class Pass {
  readonly #driver: GrantDriver;
  readonly #project: Project;
  readonly #grant: string;
  readonly #state: GrantState;
  #failed = 0;
  #failure: unknown = null;

  constructor(driver: GrantDriver, project: Project, grant: string, state: GrantState) {
    this.#driver = driver;
    this.#project = project;
    this.#grant = grant;
    this.#state = state;
  }

  async run(onPercent: (percent: number) => void): Promise<number> {
    const { phase, players: all, collection } = this.#state;
    const outcome = phase === 'giving' ? 'listed' : 'given';
    let looked = 0;
    for (let after = -1; ; ) {
      const players = await this.#driver.views.grantPlayers(this.#project.id, this.#grant, { outcome, after, limit: PAGE });
      const last = players.at(-1);
      if (last === undefined) break;
      await this.#project.load(
        players.flatMap(({ player }) => [grantPlayerSubject(this.#grant, player), documentSubject('live', collection, player)]),
      );
      await inTurns(players, (player) => this.#trying(player));
      looked += players.length;
      after = last.place;
      onPercent((100 * (after + 1)) / all);
      if (this.#failed >= MAX_FAILED || (await this.#phaseNow()) !== phase) break;
    }
    if (this.#failed > 0) throw this.#failure;
    return looked;
  }

  async #phaseNow(): Promise<GrantPhase | undefined> {
    return (await this.#project.read(grantSubject(this.#grant))).state?.phase;
  }

  /** A player who fails does not hold up the others. */
  async #trying(player: GrantPlayerRow): Promise<void> {
    try {
      await (this.#state.phase === 'giving' ? this.#give(player) : this.#take(player));
    } catch (error) {
      this.#failed += 1;
      this.#failure ??= error;
    }
  }

  async #give({ player }: GrantPlayerRow): Promise<void> {
    await this.#serve(player, CAUSE.grant, 'refused', async () => (ctx, now) => {
      const given = giveTo(ctx, now, this.#driver.documentBytes, this.#state, player);
      if (given instanceof Refusal) throw given;
      return [...given.events, { type: 'grant.served', data: { grant: this.#grant, player, is: 'given' } }];
    });
  }

  async #take({ player, given: revision }: GrantPlayerRow): Promise<void> {
    await this.#serve(player, CAUSE.undoGrant, 'kept', async () => {
      const given = await givenCommit(this.#driver.past, this.#project, revision ?? 0);
      return (ctx, now) => {
        const served = { grant: this.#grant, player, is: 'taken' as const };
        if (given === null) return [{ type: 'grant.served', data: served }];
        // As it is told now: it may have been stopped and told otherwise since this pass began.
        const undo = ctx.read(grantSubject(this.#grant))?.undo ?? { reason: this.#state.reason, policy: 'reverse' as const };
        const taken = takeBack(ctx, now, this.#driver.documentBytes, given, undo);
        // Somebody undid the commit of this player by itself.
        if (taken instanceof Refusal && taken.code === 'ALREADY_UNDONE') return [{ type: 'grant.served', data: served }];
        if (taken instanceof Refusal) throw taken;
        const shortfalls = taken.report.shortfalls
          .slice(0, MAX_LINES)
          .map(({ field, asked, moved, short }) => ({ field, asked, moved, short }));
        const left = taken.report.left.slice(0, MAX_LINES).map(({ path }) => path);
        const told = { ...(shortfalls.length === 0 ? {} : { shortfalls }), ...(left.length === 0 ? {} : { left }) };
        return [...taken.events, { type: 'grant.served', data: { ...served, ...told } }];
      };
    });
  }

  /** Serves a player if it is still due. A refusal for a reason of the player's is a fact as well. */
  async #serve(player: string, cause: string, otherwise: 'refused' | 'kept', prepare: () => Promise<Serve>): Promise<void> {
    try {
      await this.#patiently(async () => this.#commit(player, cause, await prepare()));
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500 || error instanceof Overtaken) throw error;
      const told = { code: error.code, why: error.message.slice(0, MAX_WHY) };
      const served: DomainEvent = { type: 'grant.served', data: { grant: this.#grant, player, is: otherwise, ...told } };
      await this.#patiently(() => this.#commit(player, cause, () => [served]));
    }
  }

  async #commit(player: string, cause: string, serve: Serve): Promise<void> {
    const { actor, phase, collection } = this.#state;
    await this.#project.execute({
      commandId: newCommandId(),
      cause,
      actor,
      decide: (ctx, now) => {
        ctx.expect([grantSubject(this.#grant), grantPlayerSubject(this.#grant, player), documentSubject('live', collection, player)]);
        return decided(null, isStillDue(ctx, this.#grant, phase, player) ? serve(ctx, now) : []);
      },
    });
  }

  /** Tries again while storage is busy or away, or other nodes keep writing. */
  async #patiently(run: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        const isPassing = error instanceof Refusal && (error.status === 503 || error.status === 504 || error instanceof Overtaken);
        if (!isPassing || tries === TRIES) throw error;
        await this.#driver.scheduler.sleep(PAUSE_MS * 2 ** (tries - 1));
      }
    }
  }
}

type Serve = (ctx: DecisionContext, now: number) => readonly DomainEvent[];
