import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { type Explained, explainQuery, type Meaning } from '../api/queries.ts';
import { usePageOf } from '../frame/page-of.ts';
import { useMay, useView } from '../frame/view.ts';
import { Chip } from '../parts/chip.tsx';
import { Failed } from '../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { At } from '../parts/time.tsx';
import { exactJson } from '../words/exact.ts';
import { publishDeed } from '../words/publish.ts';
import { isUnknown } from '../words/refusal.ts';
import { whySaid } from '../words/why.ts';
import { CalledSo } from './called.tsx';
import { CallList } from './calls/call-row.tsx';
import { CommitActs, CommitFacts } from './commit-facts.tsx';
import styles from './commits.module.css';
import { CommitList } from './commits.tsx';
import { NamedFacts, NamesAlike } from './found-named.tsx';
import { LookAmongPersonal } from './found-personal.tsx';
import { KeyLink, WhySaid } from './named.tsx';
import { HowFound, PlayersFound } from './players.tsx';
import { ChangedAt } from './publishes/what-changed.tsx';

const route = getRouteApi('/signed-in/p/$project/find/$held');

const NAMES: Readonly<Record<string, string>> = {
  revision: 'Commit',
  publish: 'Publish',
  ticket: 'Ticket',
  event: 'Event',
  request: 'Request',
  session: 'Session',
  saveRecord: 'Save slot',
  record: 'Record',
  sealedRequest: 'Sealed request',
  idempotencyKey: 'Idempotency key',
  key: 'Key',
  guest: 'Guest',
  player: 'Player',
  person: 'Person',
  document: 'Document',
  collection: 'Collection',
  endpoint: 'Endpoint',
  workflow: 'Workflow',
  library: 'Library',
  board: 'Leaderboard',
  query: 'Query',
  value: 'Game value',
  rule: 'Rate limit',
  test: 'Saved test',
};

/** What an id, a name or a value is that somebody holds. What is one thing, which has a page, leads on to it. */
export function FoundPage() {
  const { held } = route.useParams();
  const view = useView();
  const found = useQuery(explainQuery(view, held));
  const isNothing = isUnknown(found.error);
  const pageOf = usePageOf();
  const [first, second] = found.data?.meanings ?? [];
  const page = first !== undefined && second === undefined && first.commits.length === 0 ? pageOf(first) : null;
  if (page !== null) return <Navigate {...page} replace />;
  if (first !== undefined && second === undefined && (first.is === 'player' || first.is === 'guest'))
    return <Navigate to="/p/$project/players/$player" params={{ project: view.project, player: held }} replace />;
  if (first?.is === 'ticket' && second === undefined)
    return <Navigate to="/p/$project" params={{ project: view.project }} search={{ ticket: held }} replace />;
  // A commit has one number, whichever of its revisions somebody holds.
  const commit = first?.is === 'revision' && second === undefined ? first.commits[0]?.revision : undefined;
  if (commit !== undefined && String(commit) !== held)
    return <Navigate to="/p/$project/find/$held" params={{ project: view.project, held: String(commit) }} replace />;
  return (
    <Page
      name={held}
      title={held}
      sub={found.isPending ? 'Looking through everything that has ids' : found.isSuccess ? foundSaid(found.data) : undefined}
    >
      {found.isPending && (
        <Card title="Searching">
          <Waiting what="what this is" />
        </Card>
      )}
      {found.data?.alike !== undefined && found.data.meanings.length === 0 && <NamesAlike held={held} alike={found.data.alike} />}
      {(isNothing || (found.isSuccess && found.data.meanings.length === 0 && found.data.calls.length === 0)) && (
        <NamedSo name={held} isAlike={found.data?.alike !== undefined} />
      )}
      {found.isError && !isNothing && <Failed error={found.error} again={() => void found.refetch()} />}
      <CalledSo names={new Map(Object.entries(found.data?.called ?? {}))}>
        {found.data?.meanings.map((meaning) => (
          <MeaningCard key={`${meaning.is} ${meaning.text} ${JSON.stringify(meaning.named)}`} meaning={meaning} held={held} />
        ))}
      </CalledSo>
      {found.data?.alike !== undefined && found.data.meanings.length > 0 && <NamesAlike held={held} alike={found.data.alike} />}
      {found.isSuccess && found.data.calls.length > 0 && (
        <Card title="Calls">
          <CallList requests={found.data.calls.toReversed()} />
        </Card>
      )}
      {found.isSuccess && <LookAmongPersonal held={held} fields={found.data.personal ?? []} />}
    </Page>
  );
}

function foundSaid({ meanings, calls, alike }: Explained): string {
  if (meanings.length === 0 && calls.length === 0 && alike !== undefined) return 'Nothing is called just so. What has it in its name:';
  return 'What this is, and what belongs to it';
}

/** How codes of refusals are written, those of games, too. */
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

interface NamedSoProps {
  readonly name: string;
  /** Whether something of the game has it in its name. */
  readonly isAlike: boolean;
}

/** No id: perhaps it is how a player is called. */
function NamedSo({ name, isAlike }: NamedSoProps) {
  const { project } = useView();
  const mayFind = useMay()('players', 'r');
  if (isAlike && !mayFind) return null;
  return (
    <Card title={`Players called “${name}”, or whose name begins so`}>
      <PlayersFound
        name={name}
        empty={
          <Empty title={isAlike ? 'No player’s name begins so' : 'Nothing here has this id or name'}>
            {CODE.test(name) && (
              <>
                The code of an error leads to{' '}
                <Link to="/p/$project/calls" params={{ project }} search={{ code: name }}>
                  the calls that were refused with it
                </Link>
                .{' '}
              </>
            )}
            Look whether it is whole: ids are copied from error messages, from the log and from this console; a document is found as
            collection/key, a ticket as it was named. <HowFound name={name} />
          </Empty>
        }
      />
    </Card>
  );
}

function MeaningCard({ meaning, held }: { readonly meaning: Meaning; readonly held: string }) {
  const { project } = useView();
  const { is, text, named, publish, call, commits, more } = meaning;
  const [only, another] = commits;
  const commit = another === undefined && more !== true ? only : undefined;
  return (
    <Card title={NAMES[is] ?? is} actions={commit !== undefined && <CommitActs commit={commit} />}>
      <CardBody>
        <dl className={styles.facts}>
          <dt>What it is</dt>
          <dd>{text}</dd>
          {(is === 'player' || is === 'guest') && (
            <>
              <dt>Player</dt>
              <dd>
                <Link to="/p/$project/players/$player" params={{ project, player: held }}>
                  {held}
                </Link>
              </dd>
            </>
          )}
          {is === 'ticket' && (
            <>
              <dt>All of it</dt>
              <dd>
                <Link to="/p/$project" params={{ project }} search={{ ticket: held }}>
                  What was done for it
                </Link>
              </dd>
            </>
          )}
          {named !== undefined && <NamedFacts meaning={meaning} />}
          {commit !== undefined && <CommitFacts commit={commit} />}
          {is === 'key' && named === undefined && (
            <>
              <dt>Key</dt>
              <dd>
                <KeyLink keyId={held} label="Among the keys, with its last use" />
              </dd>
            </>
          )}
          {publish !== undefined && (
            <>
              <dt>Published</dt>
              <dd>
                <PublishSaid publish={publish} />
              </dd>
            </>
          )}
          {call !== undefined && (
            <>
              <dt>Called</dt>
              <dd>
                <code>{call.endpoint}</code>
                {call.publish === null ? ', by a definition older than the last 200 publishes' : ', as this publish made it:'}
                {call.publish !== null && (
                  <div>
                    <PublishSaid publish={call.publish} />
                  </div>
                )}
                {call.definition !== null && (
                  <details>
                    <summary>The endpoint as it was then</summary>
                    <pre style={{ overflowX: 'auto', maxHeight: 420 }}>{exactJson(call.definition, 2)}</pre>
                  </details>
                )}
              </dd>
            </>
          )}
        </dl>
      </CardBody>
      {is === 'publish' && publish !== undefined && <ChangedAt revision={publish.revision} />}
      {call !== undefined && call.uses.length > 0 && <UsesTable uses={call.uses} left={call.left ?? 0} at={commits[0]?.revision} />}
      {commits.length > 0 && commit === undefined && <CommitList commits={commits} />}
      {more === true && <CardBody>There are more commits than these, or older ones were not looked at.</CardBody>}
    </Card>
  );
}

type Use = NonNullable<Meaning['call']>['uses'][number];

interface UsesProps {
  readonly uses: readonly Use[];
  /** How many more there are. */
  readonly left: number;
  /** Revision of the call's commit, which is the newest. */
  readonly at: number | undefined;
}

/** The values and definitions that the endpoint may have read, each with the publish that it was in force by. */
function UsesTable({ uses, left, at }: UsesProps) {
  return (
    <>
      <Table name="In force at this call" heads={['In force at this call', 'As it is since']}>
        {uses.map((use) => (
          <tr key={`${use.kind} ${use.id} ${use.entry ?? ''}`}>
            <td>
              <UseLink use={use} at={at} />
            </td>
            <td>{use.publish === null ? 'a publish too far back to be looked for' : <PublishSaid publish={use.publish} />}</td>
          </tr>
        ))}
      </Table>
      <CardBody>
        {left > 0 && `${left} more are not listed. `}
        What the endpoint can read, by its definition of then; a call may have needed only some of it.
      </CardBody>
    </>
  );
}

/** Leads to what it was at the call: what it is now may be another price. */
function UseLink({ use: { kind, id, entry }, at: revision }: { readonly use: Use; readonly at: number | undefined }) {
  const { project } = useView();
  const at = revision?.toString();
  const name = entry === undefined ? id : `${id}.${entry}`;
  return (
    <>
      {kind}{' '}
      {kind === 'value' ? (
        <Link to="/p/$project/values/$value" params={{ project, value: id }} search={{ at }}>
          {name}
        </Link>
      ) : (
        <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind, id }} search={{ show: 'history', at }}>
          {name}
        </Link>
      )}
    </>
  );
}

function PublishSaid({ publish }: { readonly publish: NonNullable<Meaning['publish']> }) {
  const { project } = useView();
  const { revision, at, action, target, label, keyId, message: reason, ticket, changes } = publish;
  const why = whySaid({ reason, ticket });
  return (
    <>
      <Link to="/p/$project/publishes/$revision" params={{ project, revision: String(revision) }} title="What it changed, and compare">
        {revision}
      </Link>
      : {keyId === undefined ? (label ?? 'The operator') : <KeyLink keyId={keyId} label={label} />} {publishDeed(action)}{' '}
      <Chip tone={target}>{target}</Chip>, <At at={at} />, {changes} {changes === 1 ? 'definition' : 'definitions'}
      {why !== '' && (
        <>
          {' '}
          – <WhySaid why={{ reason, ticket }} />
        </>
      )}
    </>
  );
}
