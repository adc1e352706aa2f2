import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { collectionsQuery, compareQuery, type DocumentChange, documentQuery, historyQuery } from '../../api/queries.ts';
import { useMay, useMayCorrect, useMayReadDocuments, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { codeOf, Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, Waiting } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import { useDrawn } from '../../parts/standing.ts';
import table from '../../parts/table.module.css';
import { At, When } from '../../parts/time.tsx';
import { type CommitSaid, deedOf } from '../../words/commit.ts';
import { isUnknown } from '../../words/refusal.ts';
import { cut, signed, valueText } from '../../words/value.ts';
import { CommitLink, WhoLink } from '../named.tsx';
import { NoDocuments } from '../no-documents.tsx';
import { Fields } from './fields.tsx';
import styles from './player.module.css';

const route = getRouteApi('/signed-in/p/$project/players/$player/documents/$collection/$key');

// Most who come to the page change nothing.
const EDIT = codeOf('edit', () => import('./edit.tsx').then((module) => module.EditDialog));
const DELETE = codeOf('delete', () => import('./delete.tsx').then((module) => module.DeleteDialog));

interface Asked {
  readonly collection: string;
  readonly key: string;
}

/** One document: what it is, what happened to it, and two moments of it beside one another. */
export function DocumentPage() {
  const { player, collection, key } = route.useParams();
  const { project } = useView();
  return (
    <div className={styles.stack}>
      <p className={styles.crumb}>
        <Link to="/p/$project/players/$player" params={{ project, player }}>
          All documents of {player}
        </Link>
      </p>
      <DocumentParts asked={{ collection, key }} player={player} />
    </div>
  );
}

interface DocumentPartsProps {
  readonly asked: Asked;
  /** Whose it is; left out of a record. */
  readonly player?: string;
}

/** What a document is and was. Two moments that are compared stand in the address. */
export function DocumentParts({ asked, player }: DocumentPartsProps) {
  const { a, b } = useSearch({ strict: false });
  const view = useView();
  const mayRead = useMay()('history', 'r');
  const mayShow = useMayReadDocuments();
  const comparing = useQuery({ ...compareQuery(view, asked, a ?? '', b ?? view.at), enabled: mayShow && a !== undefined });
  if (!mayShow)
    return (
      <Card title={`${asked.collection}/${asked.key}`}>
        <NoDocuments />
      </Card>
    );
  return (
    <>
      {a !== undefined && <Comparison asked={asked} a={a} b={b} player={player} />}
      <Present asked={asked} player={player} />
      {mayRead && <History asked={asked} isLater={a !== undefined && comparing.isPending} />}
    </>
  );
}

function Present({ asked, player }: DocumentPartsProps) {
  const view = useView();
  const mayDo = useMay();
  const [isEditing, setEditing] = useState(false);
  /** Its version then: once it is deleted it has none. */
  const [deleting, setDeleting] = useState<number | null>(null);
  const read = useQuery(documentQuery(view, asked));
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayDo('collections', 'r') });
  const schema = collections.data?.find(({ id, name }) => id === asked.collection || name === asked.collection)?.schema;
  const isMissing = isUnknown(read.error);
  const canEdit = useMayCorrect() && read.data?.version != null;
  return (
    <Card
      title={
        <>
          {asked.collection}/{asked.key} {read.data?.version != null && <Chip>version {read.data.version}</Chip>}
        </>
      }
      actions={
        canEdit && (
          <span className={styles.acts}>
            <Button isSmall onClick={() => setEditing(true)}>
              Edit
            </Button>
            <Button isSmall look="bad" onClick={() => setDeleting(read.data?.version ?? null)}>
              Delete…
            </Button>
          </span>
        )
      }
    >
      {read.isPending && <Waiting what="the document" />}
      {isMissing && (
        <Empty title={view.at === undefined ? 'There is no such document' : 'There was no such document then'}>{read.error?.message}</Empty>
      )}
      {read.isError && !isMissing && <Failed error={read.error} again={() => void read.refetch()} />}
      {read.isSuccess && <Fields document={read.data.document} schema={schema} player={player} />}
      {isEditing && read.isSuccess && read.data.version !== null && (
        <Later
          code={EDIT}
          props={{ asked, document: read.data.document, version: read.data.version, schema, close: () => setEditing(false) }}
        />
      )}
      {deleting !== null && <Later code={DELETE} props={{ asked, version: deleting, close: () => setDeleting(null) }} />}
    </Card>
  );
}

/** Fields that a change lists before the others are asked for. */
const FEW = 6;

interface HistoryProps {
  readonly asked: Asked;
  /** Of a large document either takes a node a while, and one looks for what is compared first. */
  readonly isLater: boolean;
}

function History({ asked, isLater }: HistoryProps) {
  const view = useView();
  const list = useInfiniteQuery({ ...historyQuery(view, asked), enabled: ({ state }) => !isLater || state.data !== undefined });
  const { a, b } = useSearch({ strict: false });
  const navigate = useNavigate();
  const pick = (side: 'a' | 'b', revision: number) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, [side]: String(revision), ...(side === 'b' && a === undefined ? { a: '0' } : {}) }),
    });
  if (list.isPending)
    return (
      <Card title="History">
        <Waiting what="the history" />
      </Card>
    );
  if (list.isError) return <Failed error={list.error} again={() => void list.refetch()} />;
  const changes = list.data.pages.flatMap((page) => page.changes);
  const redacted = list.data.pages.at(-1)?.redacted;
  return (
    <Card title="History" actions={<span className={styles.soft}>Choose A and B to compare two moments</span>}>
      {changes.length === 0 ? (
        <Empty title="Nothing has happened to it">It begins with the first write.</Empty>
      ) : (
        <ol className={styles.changes}>
          {changes.map((change) => (
            <Change key={change.revision} change={change} asked={asked} a={a} b={b} pick={pick} />
          ))}
        </ol>
      )}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()}>
        {redacted !== undefined && <span>What was stored at revision {redacted} was redacted.</span>}
      </More>
    </Card>
  );
}

interface ChangeProps {
  readonly change: DocumentChange;
  readonly asked: Asked;
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly pick: (side: 'a' | 'b', revision: number) => void;
}

function Change({ change, asked, a, b, pick }: ChangeProps) {
  const [isWhole, setWhole] = useState(false);
  const { commit: revision, at, action, version, fields, more = 0, ledger } = change;
  const said = {
    cause: change.cause,
    actor: change.actor as unknown as CommitSaid['actor'],
    events: [],
    documents: [{ ...asked, change: action }],
  };
  const shown = isWhole ? (fields ?? []) : (fields ?? []).slice(0, FEW);
  return (
    <li className={styles.change}>
      <div className={styles.changeHead}>
        <span>
          <strong>
            <WhoLink commit={said} />
          </strong>{' '}
          {deedOf(said)}
        </span>
        <Chip tone={action === 'deleted' ? 'bad' : 'plain'}>
          {action}, version {version}
        </Chip>
        <span className={styles.soft}>
          <When at={at} /> · <CommitLink revision={revision} />
        </span>
        <span className={styles.picks}>
          {(['a', 'b'] as const).map((side) => {
            const isPicked = (side === 'a' ? a : b) === String(revision);
            return (
              <Button
                key={side}
                isSmall
                look={isPicked ? 'main' : 'plain'}
                aria-pressed={isPicked}
                aria-label={`Compare revision ${revision} as ${side.toUpperCase()}`}
                onClick={() => pick(side, revision)}
              >
                {side.toUpperCase()}
              </Button>
            );
          })}
        </span>
      </div>
      {fields === undefined && <p className={styles.soft}>What changed was redacted.</p>}
      <div className={styles.differences}>
        {shown.map((field) => (
          <div key={field.path} className={styles.difference}>
            <span>{field.label || 'the whole document'}</span>
            <span>
              <span className={styles.from}>{cut(valueText(field.before))}</span> →{' '}
              <span className={styles.to}>{cut(valueText(field.after))}</span>
            </span>
          </div>
        ))}
      </div>
      {!isWhole && (fields?.length ?? 0) > FEW && (
        <div>
          <Button isSmall look="quiet" onClick={() => setWhole(true)}>
            Show all {(fields?.length ?? 0) + more} fields
          </Button>
        </div>
      )}
      {isWhole && more > 0 && <p className={styles.soft}>And {more} fields more.</p>}
      {ledger.map((entry) => (
        <p key={entry.eventId} className={styles.soft}>
          Money: {entry.field} {signed(entry.delta)} ({entry.source}
          {entry.reason !== undefined && `: ${entry.reason}`})
        </p>
      ))}
    </li>
  );
}

interface ComparisonProps {
  readonly asked: Asked;
  readonly a: string;
  readonly b: string | undefined;
  readonly player: string | undefined;
}

function Comparison({ asked, a, b, player }: ComparisonProps) {
  const view = useView();
  const mayRestore = useMay()('restore', 'w');
  const navigate = useNavigate();
  const close = () => void navigate({ to: '.', search: (before: object) => ({ ...before, a: undefined, b: undefined }) });
  const read = useQuery(compareQuery(view, asked, a, b ?? view.at));
  const drawn = useDrawn(read.data?.fields ?? []);
  return (
    <Card
      title="Two moments compared"
      actions={
        <Button isSmall look="quiet" onClick={close}>
          Close
        </Button>
      }
    >
      {read.isPending && <Waiting what="what differs" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && (
        <>
          <Scroll name="What differs">
            <table className={classes(table.table, styles.compare)}>
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <Side title="A" side={read.data.from} />
                  <Side title={b === undefined ? 'B, now' : 'B'} side={read.data.to} />
                </tr>
              </thead>
              <tbody>
                {drawn.map(({ path, label, before, after }) => (
                  <tr key={path}>
                    <th scope="row">{label || 'the whole document'}</th>
                    <td className={styles.from} title={cut(valueText(before), 2000)}>
                      {cut(valueText(before), 400)}
                    </td>
                    <td className={styles.to} title={cut(valueText(after), 2000)}>
                      {cut(valueText(after), 400)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {read.data.fields.length === 0 && <Empty title="Nothing differs">It was the same at both moments.</Empty>}
          {(read.data.more ?? 0) > 0 && <CardBody>And {read.data.more} fields more differ.</CardBody>}
          {mayRestore && player !== undefined && view.target === 'live' && read.data.fields.length > 0 && (
            <CardBody>
              <Link
                to="/p/$project/players/$player/restore"
                params={{ project: view.project, player }}
                search={{ to: String(read.data.from.revision) }}
              >
                Restore what the player had at A
              </Link>
            </CardBody>
          )}
        </>
      )}
    </Card>
  );
}

interface SideProps {
  readonly title: string;
  readonly side: { readonly revision: number; readonly time: string; readonly version: number | null };
}

function Side({ title, side: { revision, time, version } }: SideProps) {
  return (
    <th scope="col">
      {title} · <At at={time} /> · {revision}
      {version === null && ' · there was none'}
    </th>
  );
}
