import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { keysQuery, type ListedKey } from '../../api/keys.ts';
import { commitsQuery } from '../../api/queries.ts';
import { OfNow } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { permissionLines, unusedText } from '../../words/key.ts';
import { CommitLink, DoneBy, WhoLink, WhySaid } from '../named.tsx';
import styles from './keys.module.css';

const route = getRouteApi('/signed-in/p/$project/keys');

/** What games, servers and tools call the project with, and which of it nobody uses any more. */
export function KeysPage() {
  return (
    <Page
      name="Keys"
      title="Keys"
      sub={
        <>
          What games, servers and tools call this project with. Keys are made, restricted and revoked on the machine:{' '}
          <code>savepoint key</code>.
        </>
      }
    >
      <OfNow>These are the keys of now. When one was restricted stands in Activity.</OfNow>
      {useMay()('settings', 'r') ? (
        <Keys />
      ) : (
        <Card title="Keys">
          <Empty title="Your role does not see the keys">An owner can give you a role with the permission “settings”.</Empty>
        </Card>
      )}
    </Page>
  );
}

function Keys() {
  const { project } = useView();
  const { key: wanted } = route.useSearch();
  const read = useQuery(keysQuery(project));
  if (read.isPending || read.isError)
    return (
      <Card title="Keys">
        {read.isPending ? <Waiting what="the keys" /> : <Failed error={read.error} again={() => void read.refetch()} />}
      </Card>
    );
  const { keys, revoked, notedSince } = read.data;
  const isGone = wanted !== undefined && !keys.some((key) => isMeant(key, wanted)) && !revoked.some(({ keyId }) => keyId === wanted);
  return (
    <>
      {isGone && (
        <Card title={<code>{wanted}</code>}>
          <Empty title="This is no key of the project any more">Nor was a use of it noted.</Empty>
        </Card>
      )}
      <Card title="Keys">
        {keys.length === 0 ? (
          <Empty title="There is no key">
            <code>savepoint key create {project}</code> makes one, on the machine.
          </Empty>
        ) : (
          <Table name="Keys" heads={['Key', 'Last used', 'May', 'Made']} folds>
            {keys.map((key) => (
              <Row key={key.keyId} of={key} since={notedSince} isWanted={isMeant(key, wanted)} />
            ))}
          </Table>
        )}
      </Card>
      {revoked.length > 0 && (
        <Card title="Revoked">
          <Table name="Revoked keys" heads={['Key', 'Last used']}>
            {revoked.map(({ keyId, label, usedAt }) => (
              <tr key={keyId} {...wantedRow(keyId === wanted)}>
                <td>
                  <div>{label}</div>
                  <code className={table.soft}>{keyId}</code>
                </td>
                <td className={table.tight}>
                  <Ago at={usedAt} />
                </td>
              </tr>
            ))}
          </Table>
        </Card>
      )}
    </>
  );
}

/** Whether it is the key with this id, or that is shown so. */
function isMeant({ keyId, key }: ListedKey, wanted: string | undefined): boolean {
  return keyId === wanted || key === wanted;
}

/** The row of the key that a link leads to. */
function wantedRow(isWanted: boolean) {
  return isWanted ? ({ ref: shown, className: styles.wanted, 'aria-current': true } as const) : {};
}

function shown(row: HTMLTableRowElement | null): void {
  row?.scrollIntoView({ block: 'center' });
}

interface RowProps {
  readonly of: ListedKey;
  readonly since: string;
  readonly isWanted: boolean;
}

function Row({ of, since, isWanted }: RowProps) {
  const { project } = useView();
  const mayAsk = useMay()('history', 'r');
  const { keyId, type, label, key, enabled, permissions, createdAt, usedAt, use } = of;
  const unused = unusedText(use, since);
  return (
    <tr {...wantedRow(isWanted)}>
      <td className={table.wide}>
        <span className={styles.label}>{label}</span> <Chip>{type}</Chip> {!enabled && <Chip tone="past">disabled</Chip>}
        <div className={styles.ids}>
          {mayAsk ? (
            <Link to="/p/$project/find/$held" params={{ project, held: keyId }}>
              <code>{keyId}</code>
            </Link>
          ) : (
            <code>{keyId}</code>
          )}
          <code className={table.soft}>{key}</code>
        </div>
        {mayAsk && (
          <div className={styles.did}>
            <DoneBy who={keyId}>What it did</DoneBy>
          </div>
        )}
      </td>
      <td className={styles.used} data-head="Last used">
        {usedAt !== null && <Ago at={usedAt} />}
        {unused !== null && <div className={table.soft}>{unused}</div>}
      </td>
      <td className={table.wide} data-head="May">
        <ul className={styles.may}>
          {permissionLines(type, permissions).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </td>
      <td className={table.tight} data-head="Made">
        <At at={createdAt} />
        {mayAsk && <MadeBy at={createdAt} />}
      </td>
    </tr>
  );
}

/** Who made the key: whoever made the commit of that very moment. */
function MadeBy({ at }: { readonly at: string }) {
  const { project } = useView();
  const read = useInfiniteQuery(commitsQuery({ project, at: undefined, target: 'live' }, { from: at, to: at }));
  const commit = read.data?.pages[0]?.commits.find(({ events }) => events.includes('key.issued'));
  if (commit === undefined) return null;
  return (
    <div className={table.soft}>
      by <WhoLink commit={commit} />, commit <CommitLink revision={commit.revision} />
      {commit.why !== undefined && (
        <div className={styles.why}>
          <WhySaid why={commit.why} />
        </div>
      )}
    </div>
  );
}
