import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { definitionsQuery } from '../../api/definitions.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { NameFilter } from '../../parts/name-filter.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import tabStyles from '../../parts/tabs.module.css';
import {
  DEFINITION_ID,
  DEFINITION_KINDS,
  type Definition,
  type DefinitionKind,
  isListed,
  kindNamed,
  type ListedKind,
} from '../../words/definition.ts';
import { ofDefinition } from '../../words/last-change.ts';
import { namedLike } from '../../words/named-like.ts';
import { useLastChange } from '../publishes/last-change.tsx';

const route = getRouteApi('/signed-in/p/$project/definitions');

/** All that the game is made of, a kind at a time. */
export function DefinitionsPage() {
  const { project } = useView();
  const { kind: asked } = route.useSearch();
  const view = useView();
  const mayDo = useMay();
  const [isMaking, setMaking] = useState(false);
  const seen = DEFINITION_KINDS.filter(({ scope }) => mayDo(scope, 'r'));
  const chosen = seen.find(({ kind }) => kind === asked) ?? seen[0];
  if (chosen === undefined)
    return (
      <Page name="Definitions" title="Definitions">
        <Card title="Definitions">
          <Empty title="Your role does not see definitions">An owner can give you one that does.</Empty>
        </Card>
      </Page>
    );
  const mayMake = isListed(chosen.kind) && mayDo(chosen.scope, 'w') && view.at === undefined;
  return (
    <Page
      name="Definitions"
      title="Definitions"
      sub="What the game is made of, as its authors wrote it."
      actions={mayMake && <Button onClick={() => setMaking(true)}>New {chosen.kind}…</Button>}
    >
      <nav className={tabStyles.tabs} aria-label="Kinds of definitions">
        {seen.map(({ kind, many }) => (
          <Link
            key={kind}
            to="/p/$project/definitions"
            params={{ project }}
            search={{ kind, find: undefined }}
            activeOptions={{ exact: true, includeSearch: true }}
            data-chosen={kind === chosen.kind || undefined}
          >
            {many}
          </Link>
        ))}
      </nav>
      <KindCard kind={chosen.kind} />
      {isMaking && isListed(chosen.kind) && <NewDialog kind={chosen.kind} close={() => setMaking(false)} />}
    </Page>
  );
}

/** Definitions that are listed at once. */
const MOST = 200;

function KindCard({ kind }: { readonly kind: DefinitionKind }) {
  const view = useView();
  const { find = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useQuery(definitionsQuery(view, kind));
  const all = read.data?.definitions ?? [];
  const found = namedLike(all, find);
  return (
    <Card title={kindNamed(kind)?.many ?? kind}>
      {read.isPending && <Waiting what="definitions" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && all.length === 0 && (
        <Empty title="There is none yet">
          Make the first one here, or push a folder of files with <code>savepoint push</code>.
        </Empty>
      )}
      {(all.length > 12 || find !== '') && (
        <NameFilter find={find} change={(wanted) => void navigate({ search: (before) => ({ ...before, find: wanted }), replace: true })} />
      )}
      {all.length > 0 && found.length === 0 && <Empty title={`Nothing is called “${find}”`} />}
      {found.length > 0 && <DefinitionTable definitions={found.slice(0, MOST)} />}
      {found.length > MOST && <CardBody>There are {found.length - MOST} more. Type more of the name.</CardBody>}
    </Card>
  );
}

const STATES = { live: null, staged: 'staged', removed: 'removed once next is made live' } as const;

const HEADS = ['Name', 'Written in', { name: 'Changed last', className: table.later }, { name: 'State', isHidden: true }];

function DefinitionTable({ definitions }: { readonly definitions: readonly Definition[] }) {
  const { project } = useView();
  const lastOf = useLastChange();
  return (
    <Table name="Definitions" heads={HEADS}>
      {definitions.map(({ kind, id, name, path, format, isAuthored, state }) => (
        <tr key={id}>
          <td>
            <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind, id }}>
              {name}
            </Link>{' '}
            {name !== id && isListed(kind) && <span className={table.mono}>{id}</span>}
          </td>
          <td>{isAuthored ? <code>{path ?? format.toUpperCase()}</code> : 'pushed as data'}</td>
          <td>{lastOf(ofDefinition(kind, id))}</td>
          <td className={table.tight}>
            {STATES[state] !== null && <Chip tone={state === 'removed' ? 'bad' : 'next'}>{STATES[state]}</Chip>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Begins a definition: its text comes from a template. */
function NewDialog({ kind, close }: { readonly kind: ListedKind; readonly close: () => void }) {
  const { project } = useView();
  const navigate = route.useNavigate();
  const [id, setId] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!DEFINITION_ID.test(id)) return;
    close();
    void navigate({ to: '/p/$project/definitions/$kind/$id', params: { project, kind, id }, search: { target: 'next', show: 'edit' } });
  };
  return (
    <Dialog
      title={`New ${kind}`}
      sub="It begins with a text that works. Nothing is saved yet."
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form="new-definition" disabled={!DEFINITION_ID.test(id)}>
            Write it
          </Button>
        </>
      }
    >
      <form id="new-definition" onSubmit={submit}>
        <Field
          label="Id"
          hint="1 to 128 letters, digits, _ or -"
          value={id}
          maxLength={128}
          onChange={({ target }) => setId(target.value)}
        />
      </form>
    </Dialog>
  );
}
