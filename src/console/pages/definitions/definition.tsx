import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { definitionsQuery } from '../../api/definitions.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Chip } from '../../parts/chip.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { codeOf, Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import tabStyles from '../../parts/tabs.module.css';
import { type Definition, type DefinitionKind, isListed, kindNamed, SINGLE, templateOf } from '../../words/definition.ts';
import styles from './definitions.module.css';
import { DefinitionHistory, LiveBesideNext } from './history.tsx';
import { Versions } from './versions.tsx';

const EDITOR = codeOf('editor', () => import('./edit.tsx').then(({ EditCard }) => EditCard));

const route = getRouteApi('/signed-in/p/$project/definitions/$kind/$id');

const SHOWN = { source: 'Source', edit: 'Change it', history: 'History' } as const;

/** One definition: its text, its history, two versions beside one another, and an editor. */
export function DefinitionPage() {
  const { kind: named, id } = route.useParams();
  const view = useView();
  const mayDo = useMay();
  const { show = 'source', a, b } = route.useSearch();
  const kind = kindNamed(named);
  if (kind === undefined || !mayDo(kind.scope, 'r'))
    return (
      <Page name={id} title={id}>
        <Card title="Definition">
          <Empty
            title={kind === undefined ? `There are no definitions of the kind “${named}”` : 'Your role does not see these definitions'}
          />
        </Card>
      </Page>
    );
  const mayEdit = mayDo(kind.scope, 'w') && view.at === undefined;
  const tabs = (['source', 'edit', 'history'] as const).filter((each) => each !== 'edit' || mayEdit);
  const params = { project: view.project, kind: kind.kind, id };
  return (
    <Page
      name={id === SINGLE ? kind.many : id}
      title={
        <>
          {id === SINGLE ? kind.many : id} <Chip tone={view.target}>{view.target}</Chip>
        </>
      }
      sub={
        <>
          <Link to="/p/$project/definitions" params={{ project: view.project }} search={{ kind: kind.kind }}>
            {kind.many}
          </Link>
          {id !== SINGLE && (
            <>
              {' '}
              · {kind.kind} <code>{id}</code> <CopyButton text={id} what="the id" />
            </>
          )}
        </>
      }
    >
      <nav className={tabStyles.tabs} aria-label="Of this definition">
        {tabs.map((each) => (
          <Link
            key={each}
            to="/p/$project/definitions/$kind/$id"
            params={params}
            search={{ show: each === 'source' ? undefined : each }}
            activeOptions={{ exact: true, includeSearch: true }}
            data-chosen={(each === show && a === undefined) || undefined}
          >
            {SHOWN[each]}
          </Link>
        ))}
      </nav>
      {a !== undefined && <Versions kind={kind.kind} id={id} a={a} b={b} />}
      {a === undefined && show === 'history' && <DefinitionHistory kind={kind.kind} id={id} />}
      {a === undefined && show === 'source' && <SourceCard kind={kind.kind} id={id} />}
      {a === undefined && show === 'edit' && mayEdit && <EditPart kind={kind.kind} id={id} />}
    </Page>
  );
}

interface PartProps {
  readonly kind: DefinitionKind;
  readonly id: string;
}

function SourceCard({ kind, id }: PartProps) {
  const view = useView();
  const read = useQuery(definitionsQuery(view, kind));
  const found = read.data?.definitions.find((each) => each.id === id);
  return (
    <Card
      title={found === undefined ? 'Source' : <SourceTitle definition={found} />}
      actions={
        found !== undefined && (
          <>
            {found.state !== 'live' && <LiveBesideNext />}
            <CopyButton text={found.text} what="the text" />
          </>
        )
      }
    >
      {read.isPending && <Waiting what="the text" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && found === undefined && (
        <Empty title={`There is none in ${view.target}`}>It may be in the other of live and next, or at an earlier moment.</Empty>
      )}
      {found !== undefined && <SourceText text={found.text} />}
    </Card>
  );
}

function SourceTitle({ definition: { isAuthored, path, format, state } }: { readonly definition: Definition }) {
  return (
    <>
      {isAuthored ? (path ?? format.toUpperCase()) : 'Pushed as data, shown as JSON'}{' '}
      {state === 'staged' && <Chip tone="next">staged</Chip>}
      {state === 'removed' && <Chip tone="bad">removed once next is made live</Chip>}
    </>
  );
}

/** Characters that are shown of a text. */
const MAX_SHOWN = 400_000;

function SourceText({ text }: { readonly text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus */}
      <pre className={styles.source} tabIndex={0}>
        {text.slice(0, MAX_SHOWN)}
      </pre>
      {text.length > MAX_SHOWN && <CardBody>The text goes on. Copy it to read all of it.</CardBody>}
    </>
  );
}

/** What is changed is what next has; without a definition there, one begins by a template. */
function EditPart({ kind, id }: PartProps) {
  const view = useView();
  const next = { ...view, target: 'next' as const };
  const read = useQuery({ ...definitionsQuery(next, kind), refetchOnWindowFocus: false });
  // Loads the editor while the text is.
  useQuery(EDITOR);
  if (read.isPending) return <Waiting what="the text" />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  const found = read.data.definitions.find((each) => each.id === id);
  const definition = found ?? (isListed(kind) ? templateOf(kind, id) : null);
  if (definition === null)
    return (
      <Card title="Change it">
        <Empty title="There is none yet">It comes with the first push from a folder of files. Values are made on the page Values.</Empty>
      </Card>
    );
  return (
    <Later
      key={`${kind} ${id}`}
      code={EDITOR}
      waiting={<Waiting what="the editor" />}
      props={{ definition, isNew: found === undefined, base: read.data.base }}
    />
  );
}
