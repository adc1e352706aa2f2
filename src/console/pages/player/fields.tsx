import { Link } from '@tanstack/react-router';
import { type CSSProperties, useMemo, useState } from 'react';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { CardBody, Empty } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { MAX_ROWS, type Row, rowsOf } from '../../words/document.ts';
import { exactJson } from '../../words/exact.ts';
import { CELL_LENGTH, cut, valueStart } from '../../words/value.ts';
import styles from './player.module.css';

interface FieldsProps {
  readonly document: unknown;
  readonly schema: unknown;
  /** Whose the document is: its fields lead to what changed them. */
  readonly player?: string | undefined;
}

/** A document field by field, with what the schema says beside it. */
export function Fields({ document, schema, player }: FieldsProps) {
  const { rows, isCut } = useMemo(() => rowsOf(document, schema), [document, schema]);
  if (rows.length === 0) return <Empty title="It is empty">No field is set, and the schema names none.</Empty>;
  return (
    <>
      <Table name="Fields" heads={['Field', 'Value', 'Schema']}>
        {rows.map((row) => (
          <FieldRow key={row.path} row={row} hasSchema={schema !== undefined} player={player} />
        ))}
      </Table>
      {isCut && <CardBody>The document has more fields than the {MAX_ROWS} that are shown.</CardBody>}
    </>
  );
}

interface FieldRowProps extends Pick<FieldsProps, 'player'> {
  readonly row: Row;
  readonly hasSchema: boolean;
}

function FieldRow({ row, hasSchema, player }: FieldRowProps) {
  return (
    <tr>
      <td>
        <span className={styles.name} style={{ '--depth': row.depth } as CSSProperties}>
          {player === undefined ? row.name : <ChangesLink player={player} field={row.path} text={row.name} />}
        </span>
      </td>
      <td className={styles.value}>
        {row.value === undefined ? <span className={styles.unset}>not set</span> : !row.isOpen && <Value value={row.value} />}
      </td>
      <td className={table.soft}>{row.says ?? (hasSchema ? <Chip>not in the schema</Chip> : row.type)}</td>
    </tr>
  );
}

/** Leads to when a field of the player changed, and by whom. */
export function ChangesLink({ player, field, text }: { readonly player: string; readonly field: string; readonly text: string }) {
  const { project } = useView();
  const mayDo = useMay();
  if (!mayDo('history', 'r') || !mayDo('collections', 'r')) return text;
  return (
    <Link
      to="/p/$project/players/$player/timeline"
      params={{ project, player }}
      search={{ field }}
      className={styles.fieldLink}
      title={`When ${field} changed, and by whom`}
    >
      {text}
    </Link>
  );
}

/** A whole value is shown up to this length; a longer one is read by the command line. */
const MOST = 100_000;

function Value({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  // A value may have a megabyte, and what stands around it is drawn again and again.
  const text = useMemo(() => valueStart(value), [value]);
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
