import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { collectionsQuery, compareQuery, type DocumentAsked, documentQuery, schemaOf } from '../../api/queries.ts';
import { useMay, useMayCorrect, useMayReadDocuments, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Waiting } from '../../parts/page.tsx';
import { isUnknown } from '../../words/refusal.ts';
import { NoDocuments } from '../no-documents.tsx';
import { Comparison } from './comparison.tsx';
import { DocumentHistory } from './document-history.tsx';
import { Fields } from './fields.tsx';
import styles from './player.module.css';

const route = getRouteApi('/signed-in/p/$project/players/$player/documents/$collection/$key');

// Most who come to the page change nothing.
const EDIT = codeOf('edit', () => import('./edit.tsx').then((module) => module.EditDialog));
const DELETE = codeOf('delete', () => import('./delete.tsx').then((module) => module.DeleteDialog));

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
  readonly asked: DocumentAsked;
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
      {mayRead && <DocumentHistory asked={asked} isLater={a !== undefined && comparing.isPending} />}
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
  const schema = schemaOf(collections.data, asked.collection);
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
              Edit…
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
