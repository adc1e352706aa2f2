import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type ExportedFile, exportDocuments } from '../../api/exports.ts';
import { saveFile } from '../../api/files.ts';
import { collectionsQuery } from '../../api/queries.ts';
import { useMay, useProject, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, Field } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { bytesText } from '../../words/bytes.ts';
import { type ListSearch, whichText } from '../../words/collection.ts';
import { titleInFiles } from '../../words/csv.ts';
import styles from './collections.module.css';

const FORMATS = [
  { value: 'ndjson', name: 'NDJSON', means: 'each document whole on a line of its own, for programs' },
  { value: 'csv', name: 'CSV', means: 'a column for each field of the schema, for spreadsheets' },
] as const;

const SHOWN = [
  { value: 'masked', name: 'Masked', means: 'as [personal]' },
  { value: 'shown', name: 'Shown', means: 'for a reason, which is recorded with your name before the file begins' },
] as const;

interface ExportProps {
  readonly collection: string;
  readonly asked: ListSearch;
}

/** Saves a collection as a file. */
export function ExportButton(props: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export…</Button>
      {isOpen && <ExportDialog {...props} close={() => setOpen(false)} />}
    </>
  );
}

type State = 'asking' | 'running' | ExportedFile | { readonly error: unknown };

function ExportDialog({ collection, asked, close }: ExportProps & { readonly close: () => void }) {
  const view = useView();
  const { title } = useProject();
  const mayDo = useMay();
  const [format, setFormat] = useState<'ndjson' | 'csv'>('ndjson');
  const [personal, setPersonal] = useState<'masked' | 'shown'>('masked');
  const [reason, setReason] = useState('');
  const [state, setState] = useState<State>('asking');
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const all = useQuery({ ...collectionsQuery(view), enabled: mayDo('collections', 'r') });
  const hasPersonal = JSON.stringify(all.data?.find(({ id }) => id === collection) ?? {}).includes('"_personal":true');
  const isUsable = personal === 'masked' || reason.trim() !== '';
  const { by, from, to, begins } = asked;
  const start = async () => {
    const controller = new AbortController();
    stop.current = controller;
    setBytes(0);
    setState('running');
    try {
      const file = await exportDocuments(
        view,
        collection,
        { format, by: asked.is === undefined ? by : undefined, from, to, begins },
        {
          reason: personal === 'shown' ? reason.trim() : undefined,
          signal: controller.signal,
          onProgress: setBytes,
        },
      );
      if (file === null) return setState('asking');
      const called = [titleInFiles(title), file.name].filter((part) => part !== '').join('-');
      saveFile(called, [...file.parts], file.type);
      setState({ ...file, name: called });
    } catch (error) {
      setState({ error });
    }
  };
  const isRunning = state === 'running';
  const isDone = typeof state === 'object' && 'name' in state;
  return (
    <Dialog
      title={`Export ${collection}`}
      sub={`${whichText(asked)}, ${view.target}, as of one moment: now. What is written meanwhile is not in it. The name of the file tells the revision.`}
      close={close}
      foot={
        isRunning ? (
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
        ) : (
          <>
            <Button onClick={close}>Close</Button>
            {!isDone && (
              <Button look="main" disabled={!isUsable} onClick={() => void start()}>
                Export
              </Button>
            )}
          </>
        )
      }
    >
      {isRunning ? (
        <p role="status" className={styles.exporting}>
          <progress aria-label="Exporting" /> {bytesText(bytes)} so far. How much it will be is not known: nothing is counted before.
        </p>
      ) : isDone ? (
        <p role="status">
          Saved {state.name}, {bytesText(state.bytes)}.
        </p>
      ) : (
        <div className={styles.exportForm}>
          {typeof state === 'object' && 'error' in state && <Failed error={state.error} />}
          <Choices label="As" value={format} choose={setFormat} options={FORMATS} />
          {hasPersonal && mayDo('reveal', 'r') && <Choices label="Personal values" value={personal} choose={setPersonal} options={SHOWN} />}
          {personal === 'shown' && (
            <Field label="Reason" value={reason} maxLength={256} required onChange={({ target }) => setReason(target.value)} />
          )}
        </div>
      )}
    </Dialog>
  );
}
