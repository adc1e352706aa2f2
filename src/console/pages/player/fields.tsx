import { type CSSProperties, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { CardBody, Empty } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import table from '../../parts/table.module.css';
import { MAX_ROWS, type Row, rowsOf } from '../../words/document.ts';
import { exactJson } from '../../words/exact.ts';
import { CELL_LENGTH, cut, valueText } from '../../words/value.ts';
import styles from './player.module.css';

/** A document field by field, with what the schema says beside it. */
export function Fields({ document, schema }: { readonly document: unknown; readonly schema: unknown }) {
  const { rows, isCut } = useMemo(() => rowsOf(document, schema), [document, schema]);
  if (rows.length === 0) return <Empty title="It is empty">No field is set, and the schema names none.</Empty>;
  return (
    <>
      <Scroll name="Fields">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col">Schema</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <FieldRow key={row.path} row={row} hasSchema={schema !== undefined} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {isCut && <CardBody>The document has more fields than the {MAX_ROWS} that are shown.</CardBody>}
    </>
  );
}

function FieldRow({ row, hasSchema }: { readonly row: Row; readonly hasSchema: boolean }) {
  return (
    <tr>
      <td>
        <span className={styles.name} style={{ '--depth': row.depth } as CSSProperties}>
          {row.name}
        </span>
      </td>
      <td className={styles.value}>
        {row.value === undefined ? <span className={styles.unset}>not set</span> : !row.isOpen && <Value value={row.value} />}
      </td>
      <td className={table.soft}>{row.says ?? (hasSchema ? <Chip>not in the schema</Chip> : row.type)}</td>
    </tr>
  );
}

/** A whole value is shown up to this length; a longer one is read by the command line. */
const MOST = 100_000;

function Value({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  // A value may have a megabyte, and what stands around it is drawn again and again.
  const text = useMemo(() => valueText(value), [value]);
  if (text === '') return <span className={styles.unset}>empty text</span>;
  if (text.length <= CELL_LENGTH) return <>{text}</>;
  return (
    <>
      {isWhole ? (
        <pre style={{ margin: 0, maxHeight: 360, overflow: 'auto', whiteSpace: 'pre-wrap' }}>
          {cut(typeof value === 'string' ? text : exactJson(value, 2), MOST)}
        </pre>
      ) : (
        cut(text)
      )}{' '}
      <Button isSmall look="quiet" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
        {isWhole ? 'Less' : 'All'}
      </Button>
    </>
  );
}
