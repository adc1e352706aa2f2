import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import table from '../../parts/table.module.css';
import { changesBetween, countOf } from '../../words/sheet-changes.ts';
import { fromCsv, type ReadFile } from '../../words/sheet-text.ts';
import type { Decimal } from '../../words/thousands.ts';
import { SheetChangeList } from './change-list.tsx';
import type { Editing } from './editing.ts';
import styles from './values.module.css';
import { WhichNumber } from './which-number.tsx';

/** A file that is larger holds more than game values can. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads a file of a spreadsheet: what it changes first, and what of it does not fit. */
export function ImportDialog({ editing, close }: { readonly editing: Editing; readonly close: () => void }) {
  const { sheet } = editing;
  const [read, setRead] = useState<(ReadFile & { readonly text: string }) | null>(null);
  const take = (text: string, decimal?: Decimal) => setRead({ ...fromCsv(sheet, text, decimal), text });
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size <= MAX_BYTES) return take(await file.text());
    setRead({ sheet, problems: [{ row: 0, column: '', why: 'The file is larger than 8 MiB.' }], unclear: null, text: '' });
  };
  const changes = read === null ? null : changesBetween(sheet, read.sheet);
  const isFit = read !== null && read.unclear === null && read.problems.length === 0;
  return (
    <Dialog
      title={`Read a CSV into ${sheet.name}`}
      sub="Its first line names the columns. Rows that the file leaves out go; columns that it leaves out stay. Nothing is saved yet."
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            look="main"
            disabled={!isFit || changes === null || countOf(changes) === 0}
            onClick={() => {
              if (read !== null) editing.change(read.sheet);
              close();
            }}
          >
            Take it over
          </Button>
        </>
      }
    >
      <label className={styles.file}>
        <span>File, with commas, semicolons or tabs</span>
        <input type="file" accept=".csv,.tsv,.txt,text/csv" onChange={({ target }) => void choose(target.files?.[0])} />
      </label>
      {read !== null && read.unclear !== null && <WhichNumber unclear={read.unclear} choose={(decimal) => take(read.text, decimal)} />}
      {read !== null && read.problems.length > 0 && <Problems problems={read.problems} />}
      {isFit && changes !== null && countOf(changes) === 0 && <p>The file says what the table has.</p>}
      {isFit && changes !== null && <SheetChangeList changes={changes} before={sheet} after={read.sheet} />}
    </Dialog>
  );
}

function Problems({ problems }: { readonly problems: ReadFile['problems'] }) {
  return (
    <div role="alert">
      <p className={styles.bad}>Nothing is taken over until all of it fits.</p>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">What is wrong</th>
          </tr>
        </thead>
        <tbody>
          {problems.slice(0, 100).map(({ row, column, why }) => (
            <tr key={`${row} ${column}`}>
              <td className={table.number}>{row > 0 ? row : ''}</td>
              <td>{column}</td>
              <td>{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
