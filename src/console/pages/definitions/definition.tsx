import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CSSProperties, Fragment, useMemo } from 'react';
import { definitionsQuery } from '../../api/definitions.ts';
import { otherThan, targetIn } from '../../api/view.ts';
import { useMay, useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { useStanding } from '../../parts/standing.ts';
import tabStyles from '../../parts/tabs.module.css';
import {
  DEFINITION_ID,
  type Definition,
  type DefinitionKind,
  type DefinitionText,
  isListed,
  kindNamed,
  meantBy,
  SINGLE,
  TESTS,
  templateOf,
} from '../../words/definition.ts';
import styles from './definitions.module.css';
import { EDITOR } from './editor-code.ts';
import { DefinitionHistory, LiveBesideNext } from './history.tsx';
import { TestPage } from './test.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/signed-in/p/$project/definitions/$kind/$id');

const SHOWN = { source: 'Source', edit: 'Change it', history: 'History' } as const;

/** A definition, or a saved test. */
export function DefinitionPage() {
  const { kind, id } = route.useParams();
  return kind === TESTS ? <TestPage id={id} /> : <ShownDefinition named={kind} id={id} />;
}

/** One definition: its text, its history, two versions beside one another, and an editor. */
function ShownDefinition({ named, id }: { readonly named: string; readonly id: string }) {
  const view = useView();
  const mayDo = useMay();
  const { show = 'source', a, b } = route.useSearch();
  const kind = kindNamed(named);
  // Whoever changes it has the page, whether it is there or not.
  const isThere = useIsThere(kind?.kind, id, show !== 'edit');
  const mayEdit = kind !== undefined && mayDo(kind.scope, 'w') && view.at === undefined;
  // Whoever reads a text may go on to change it.
  const isStanding = useStanding();
  useQuery({ ...EDITOR, enabled: mayEdit && isStanding });
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
  // What there is not is changed by nobody. Whoever makes one comes here by an address that says so.
  const isOffered = mayEdit && (isThere || show === 'edit');
  const tabs = (['source', 'edit', 'history'] as const).filter((each) => each !== 'edit' || isOffered);
  const params = { project: view.project, kind: kind.kind, id };
  return (
    <Page
      name={id === SINGLE ? kind.many : id}
      title={
        <>
          {id === SINGLE ? kind.many : id} {view.target === 'next' && <Chip tone="next">next</Chip>}
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

/** Whether live or next has a definition; also while that is not known, or nobody asks. */
function useIsThere(kind: DefinitionKind | undefined, id: string, isAsked: boolean): boolean {
  const view = useView();
  const of = kind ?? 'endpoint';
  const mayRead = useMay()(kindNamed(of)?.scope ?? '', 'r') && kind !== undefined && isAsked;
  const here = useQuery({ ...definitionsQuery(view, of), enabled: mayRead });
  const isMissing = here.isSuccess && !here.data.definitions.some((each) => each.id === id);
  const other = useQuery({ ...definitionsQuery({ ...view, target: otherThan(view.target) }, of), enabled: isMissing });
  return !isMissing || !other.isSuccess || other.data.definitions.some((each) => each.id === id);
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
            <CopyButton text={() => found.text.whole} what="the text" />
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
      {read.isSuccess && found === undefined && <NotThere kind={kind} id={id} />}
      {found !== undefined && <SourceText text={found.text} />}
    </Card>
  );
}

/** What to do where there is no such definition: it is in the other of live and next, or another one is meant. */
function NotThere({ kind, id }: PartProps) {
  const view = useView();
  const mayDo = useMay();
  const { project, target } = view;
  const other = otherThan(target);
  const here = useQuery(definitionsQuery(view, kind));
  const there = useQuery(definitionsQuery({ ...view, target: other }, kind));
  const isOther = there.data?.definitions.some((each) => each.id === id) === true;
  const meant = meantBy(id, here.data?.definitions ?? []);
  const { many = kind, scope = '' } = kindNamed(kind) ?? {};
  const mayMake = isListed(kind) && !isOther && view.at === undefined && mayDo(scope, 'w') && DEFINITION_ID.test(id);
  return (
    <Empty title={id === SINGLE ? `There are none in ${target}` : `There is no ${kind} “${id}” in ${target}`}>
      {isOther && (
        <>
          <Link to="." search={(before: object) => ({ ...before, target: targetIn(other) })}>
            It is in {other}
          </Link>
          .{' '}
        </>
      )}
      {!isOther && meant.length > 0 && (
        <>
          Is it{' '}
          {meant.map((each, place) => (
            <Fragment key={each.id}>
              {place > 0 && (place === meant.length - 1 ? ' or ' : ', ')}
              <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind, id: each.id }}>
                {each.id}
              </Link>
            </Fragment>
          ))}
          ?{' '}
        </>
      )}
      <Link to="/p/$project/definitions" params={{ project }} search={{ kind }}>
        {many}
      </Link>{' '}
      lists what there is
      {id !== SINGLE && (
        <>
          ;{' '}
          <Link to="/p/$project/find/$held" params={{ project, held: id }}>
            look for “{id}”
          </Link>{' '}
          among everything else
        </>
      )}
      . At an earlier moment there may have been one: its history says so.
      {mayMake && (
        <p>
          <Link
            to="/p/$project/definitions/$kind/$id"
            params={{ project, kind, id }}
            search={{ target: 'next', show: 'edit' }}
            className={buttonClass()}
          >
            Make it…
          </Link>
        </p>
      )}
    </Empty>
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

function SourceText({ text }: { readonly text: DefinitionText }) {
  const [parts, isCut] = useMemo(() => {
    const start = text.start(MAX_SHOWN);
    return [partsOf(start.slice(0, MAX_SHOWN)), start.length > MAX_SHOWN];
  }, [text]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus */}
      <pre className={styles.source} tabIndex={0}>
        {parts.map((part) => (
          <div key={part.begins} className={styles.part} style={{ '--lines': part.lines } as CSSProperties}>
            {part.text}
          </div>
        ))}
      </pre>
      {isCut && <CardBody>The text goes on. Copy it to read all of it.</CardBody>}
    </>
  );
}

/** Lines of a text that are laid out at once. */
const LINES_OF_PART = 100;

interface TextPart {
  /** Where it begins in the text. */
  readonly begins: number;
  readonly text: string;
  readonly lines: number;
}

/** A text in parts of whole lines, each with its end. */
function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  for (let begins = 0; begins < text.length; ) {
    let [end, lines] = [begins, 0];
    while (lines < LINES_OF_PART && end < text.length) {
      end = text.indexOf('\n', end) + 1 || text.length;
      lines += 1;
    }
    parts.push({ begins, text: text.slice(begins, end), lines });
    begins = end;
  }
  return parts;
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
