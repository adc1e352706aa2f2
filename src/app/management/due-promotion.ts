import { noLonger } from '../../domain/access/refusals.ts';
import { asScheduled, duePromotion, isTooLate, missPromotion, tooLate } from '../../domain/definition/release/schedule.ts';
import { unseenIn } from '../../domain/definition/release/stored-data.ts';
import type { Actor } from '../../domain/events.ts';
import { type PeopleState, roleIn } from '../../domain/people/people.ts';
import { permissionsOf } from '../../domain/people/roles.ts';
import { personalIn } from '../../domain/personal/fields.ts';
import { withoutPersonal } from '../../domain/personal/unchecked.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import type { AccessKey, ScheduledPromotion } from '../../domain/states.ts';
import { AUTHORITY, RELEASE } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { operatorAccess, requirePermissions } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { PublishContext } from '../context.ts';
import type { People } from '../people/people.ts';
import { newCommandId } from '../project/commit.ts';
import type { Project } from '../project/project.ts';
import { personKey } from '../security/authenticate.ts';
import { promote } from './promotion.ts';
import { publishWhole } from './publish-whole.ts';
import type { SeenSchema } from './stored-documents.ts';
import { runSavedTests, type TestContext } from './test-runs.ts';
import { untold } from './untelling.ts';

/** Makes live what was scheduled, when its time has come. */

/** Tests run, too. */
type DueContext = PublishContext & TestContext & { readonly people: Pick<People, 'current' | 'latest'> };

/** How long the tests of a project may take: others wait. */
const TESTS_MS = 60_000;

export type DueOutcome =
  /** `unseen`: collections of which it was not looked whether documents fit personal fields. */
  | { readonly is: 'promoted'; readonly unseen: readonly string[] }
  | { readonly is: 'missed'; readonly code: string; readonly reason: string }
  /** None is due, or another node dealt with it. */
  | { readonly is: 'none' };

/**
 * Promotes what is due in a project, in the name of who scheduled it and by the rules of every promotion, if its tests pass; what refuses
 * it is kept as its reason. However many nodes look, the log decides, so it happens once. Throws what may be over in a minute, such as a
 * storage that is away: then it waits on.
 */
export async function promoteDue(context: DueContext, project: Project): Promise<DueOutcome> {
  await project.refresh();
  const now = context.scheduler.now();
  const due = duePromotion((await project.read(RELEASE)).state, now);
  if (due === null) return { is: 'none' };
  try {
    const caller = callerOf(context.people, await context.people.current(), project, due);
    const { result } = await promoteAsScheduled(context, caller, project, due, now);
    return { is: 'promoted', unseen: unseenIn(result.findings) };
  } catch (error) {
    const isLate = isTooLate(due, now);
    if (!(error instanceof Refusal) || (isPassing(error) && !isLate)) throw error;
    return miss(project, due, isLate ? tooLate() : error);
  }
}

async function promoteAsScheduled(context: DueContext, caller: Caller, project: Project, due: ScheduledPromotion, now: number) {
  await requireTestsPassed(context, project);
  const personal = personalIn(project.definitions);
  // Why it was refused is kept for all to read, as by a person who gives no reason.
  const seen: SeenSchema = (id, schema) => (caller.key.kind === 'person' ? withoutPersonal(schema, personal?.in(id) ?? []) : schema);
  return promote(context, caller, { dryRun: false, force: false, seen }, (decide) =>
    publishWhole(context, caller, 'promotion.run', 'live', STAGED_SCOPES, (access, _, release) => {
      const decision = untold(decide(access), access, seen);
      const refused = asScheduled(release, access.state, decision.events, due, now);
      if (refused !== null) throw refused;
      return decision;
    }),
  );
}

/** The project's own tests, on what is staged: nobody is there to read how they come out. Nothing of them is stored. */
async function requireTestsPassed(context: DueContext, project: Project): Promise<void> {
  const environment = { project, actor: { kind: 'operator' as const }, accessOf: operatorAccess('next') };
  const { results, failed } = await runSavedTests(context, environment, { withinMs: TESTS_MS });
  const first = results.find(({ passed }) => !passed);
  if (first === undefined) return;
  const more = failed > 1 ? ` (and ${failed - 1} more tests)` : '';
  // Why is for whoever runs it: it quotes what was found, and this is kept for all to read.
  const told = `test ${JSON.stringify(first.name ?? first.id)} of ${first.endpoint} does not pass${more}; run the tests to see why`;
  throw refusal('PROMOTION_FINDINGS', `Nothing was promoted: ${told}`);
}

/** Other writes were in the way, or a storage was away. */
function isPassing({ status, code }: Refusal): boolean {
  return status >= 500 || code === 'WRITE_CONFLICT';
}

async function miss(project: Project, due: ScheduledPromotion, why: Refusal): Promise<DueOutcome> {
  const { answer } = await project.execute<boolean>({
    commandId: newCommandId(),
    cause: 'promotion.miss',
    actor: { kind: 'operator' },
    decide(ctx) {
      const events = ctx.read(AUTHORITY)?.deleted === false ? missPromotion(ctx.read(RELEASE), due, why) : [];
      return { events, answer: events.length > 0 };
    },
  });
  return answer ? { is: 'missed', code: why.code, reason: why.message } : { is: 'none' };
}

/** Who scheduled it, with the rights of now. Tests and stored data take their time, so a person is asked about once more behind them. */
function callerOf(
  { latest }: Pick<People, 'latest'>,
  people: PeopleState,
  project: Project,
  { scheduled: { by }, message, ticket }: ScheduledPromotion,
): Caller {
  const nobody = { extraSecret: null, platformId: null, onBehalfOf: null, position: null, revision: null } as const;
  const caller = { projectId: project.id, isSecret: true, ...nobody, message, ticket };
  const { person } = by;
  if (person === undefined) return { ...caller, key: keyOf(project, by) };
  const stillMay = async () => requirePermissions(personOf(await latest(), project, person), STAGED_SCOPES, 'rw');
  return { ...caller, key: personOf(people, project, person), stillMay };
}

function keyOf({ authority }: Project, { keyId = '' }: Actor): AccessKey {
  const key = authority?.keys.get(keyId);
  if (key === undefined) throw noLonger('key');
  return key;
}

function personOf({ people }: PeopleState, { id }: Project, person: string): AccessKey {
  const found = people.get(person);
  const role = found === undefined ? null : roleIn(found, id);
  if (found === undefined || role === null) throw noLonger('person');
  return personKey(found.id, found.name, permissionsOf(role));
}
