import { type ReactNode, useMemo, useState } from 'react';
import { LINES } from '../api/corrections.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { useDrawn } from '../parts/standing.ts';
import table from '../parts/table.module.css';
import { isOfSlot } from '../words/restore.ts';
import { cut, isLess, signed, valueText } from '../words/value.ts';
import { PlayerName } from './called.tsx';
import styles from './corrected.module.css';
import { HeldLink } from './named.tsx';

/** What a correction does, or would do. */

interface At {
  readonly collection: string;
  readonly key: string;
}

interface Change {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly lost?: unknown;
}

export interface Correction {
  readonly documents: readonly (At & {
    readonly version: number | null;
    readonly changes: readonly Change[];
    /** Changes that the answer leaves out. */
    readonly moreLines?: number;
    readonly lostLines?: number;
  })[];
  readonly slots: readonly { readonly collection: string; readonly player: string; readonly recordId: string; readonly is: string }[];
  readonly coins: readonly (At & { readonly player: string; readonly field: string; readonly delta: unknown })[];
  readonly left: readonly (At & { readonly path: string; readonly now?: unknown })[];
  readonly shortfalls: readonly (At & {
    readonly field: string;
    readonly asked: unknown;
    readonly moved: unknown;
    readonly short: unknown;
  })[];
  readonly more: number;
}

/** Boxes beside the lines: what is ticked is done. */
interface Picking {
  readonly isOut: (collection: string) => boolean;
  /** Whether something of the document is ticked. */
  readonly isTicked: (document: Document) => boolean;
  readonly toggleCollection: (collection: string) => void;
  readonly isBack: (document: Document, line: Change) => boolean;
  readonly toggle: (document: Document, line: Change) => void;
  readonly isSlotKept: (slot: Slot) => boolean;
  readonly toggleSlot: (slot: Slot) => void;
  /** How it came to be as it is now. */
  readonly howItCame: (document: Document, line: Change) => ReactNode;
  /** What becomes of the lines of a document that are not listed. */
  readonly unlisted: (document: Document) => string;
  /** Has more lines listed. */
  readonly list: (lines: number) => void;
  readonly isListing: boolean;
}

type Slot = Correction['slots'][number];
type Document = Correction['documents'][number];

/** Whether there is anything that it would do. */
export function isNothing({ documents, slots }: Correction): boolean {
  return documents.length === 0 && slots.length === 0;
}

interface CorrectedProps {
  readonly correction: Correction;
  readonly picking?: Picking;
  /** It was done: nothing that was typed is lost by going elsewhere. */
  readonly isDone?: boolean;
}

export function Corrected({ correction, picking, isDone = false }: CorrectedProps) {
  const { documents, slots, coins, left, shortfalls, more } = correction;
  return (
    <>
      {documents.map((document) => {
        const slot = slots.find((each) => isOfSlot(document, each));
        const isKept = slot !== undefined && picking?.isSlotKept(slot) === true;
        return (
          <div key={`${document.collection}/${document.key}`} className={styles.group}>
            <Heading document={document} picking={picking} isKept={isKept} />
            <Lines document={document} picking={picking} isKept={isKept} />
          </div>
        );
      })}
      {slots.length > 0 && (
        <div className={styles.group}>
          <h3>Save slots</h3>
          <ul>
            {slots.map((slot) => (
              <li key={`${slot.collection}/${slot.player}/${slot.recordId}`}>
                <SlotLine slot={slot} picking={picking} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {coins.length > 0 && (
        <div className={styles.group}>
          <h3>Money</h3>
          <ul>
            {coins.map(({ player, collection, key, field, delta }) => (
              <li key={`${collection}/${key}/${field}`}>
                {isDone ? <HeldLink held={player} /> : <PlayerName player={player} />}: {collection}.{field}{' '}
                <span className={isLess(delta) ? table.less : table.more}>{signed(delta)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {shortfalls.length > 0 && (
        <div className={styles.group}>
          <h3>Falls short</h3>
          <ul>
            {shortfalls.map(({ collection, key, field, asked, moved, short }) => (
              <li key={`${collection}/${key}/${field}`}>
                {collection}/{key} {field}: {valueText(moved)} of {valueText(asked)} can be taken back, {valueText(short)} is missing
              </li>
            ))}
          </ul>
        </div>
      )}
      {left.length > 0 && (
        <div className={styles.group}>
          <h3>Stays as it is, because it was changed since</h3>
          <ul>
            {left.map(({ collection, key, path, now }) => (
              <li key={`${collection}/${key}/${path}`}>
                {collection}/{key} {path} <span className={styles.soft}>is {cut(valueText(now))}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {more > 0 && <p className={styles.soft}>And {more} lines more.</p>}
    </>
  );
}

function SlotLine({ slot, picking }: { readonly slot: Slot; readonly picking: Picking | undefined }) {
  const { collection, player, recordId, is } = slot;
  const text = `${collection}: slot ${recordId} of ${player} is ${is}`;
  if (picking === undefined) return text;
  const isOut = picking.isOut(collection);
  const isKept = isOut || picking.isSlotKept(slot);
  return (
    <label className={classes(styles.tick, isKept && styles.off)}>
      <input type="checkbox" checked={!isKept} disabled={isOut} onChange={() => picking.toggleSlot(slot)} />
      <span>{text}</span>
    </label>
  );
}

/** Lines that are shown by one click. */
const MORE = 5 * LINES;
/** Each with how it came below it. */
const LINES_OF_SCREEN = 25;

function Lines({ document, picking, isKept }: OfDocumentProps) {
  const { changes, moreLines = 0 } = document;
  const [most, setMost] = useState(LINES);
  const drawn = useDrawn(changes.slice(0, most), LINES_OF_SCREEN);
  const known = Math.max(changes.length - most, 0);
  const rest = known + moreLines;
  const show = () => {
    setMost(most + MORE);
    if (most + MORE > changes.length && moreLines > 0) picking?.list(most + MORE);
  };
  return (
    <>
      <div className={styles.list}>
        {drawn.map((line) => (
          <Line key={line.path} document={document} line={line} picking={picking} isOfKept={isKept} />
        ))}
      </div>
      {picking !== undefined && moreLines > 0 && !isKept && <p className={styles.soft}>{picking.unlisted(document)}</p>}
      {picking === undefined && known === 0 && moreLines > 0 && <p className={styles.soft}>And {moreLines} lines more.</p>}
      {(known > 0 || (rest > 0 && picking !== undefined)) && (
        <div>
          <Button isSmall look="quiet" disabled={picking?.isListing} onClick={show}>
            Show {rest > MORE ? `${MORE} of ${rest}` : rest} lines more
          </Button>
        </div>
      )}
    </>
  );
}

interface OfDocumentProps {
  readonly document: Document;
  readonly picking?: Picking;
  /** It is of a slot that stays as it is. */
  readonly isKept: boolean;
}

function Heading({ document, picking, isKept }: OfDocumentProps) {
  const { collection, key, version } = document;
  const isTicked = !isKept && (picking?.isTicked(document) ?? true);
  const text = (
    <>
      {collection}/{key} {version === null && <span className={styles.soft}>{isTicked ? '(will be deleted)' : '(stays)'}</span>}
    </>
  );
  if (picking === undefined) return <h3>{text}</h3>;
  return (
    <h3>
      <label className={styles.tick}>
        <input type="checkbox" checked={isTicked} disabled={isKept} onChange={() => picking.toggleCollection(collection)} />
        <span>{text}</span>
      </label>
    </h3>
  );
}

interface LineProps {
  readonly document: Document;
  readonly line: Change;
  readonly picking?: Picking;
  /** It is of a slot that stays as it is. */
  readonly isOfKept: boolean;
}

function Line({ document, line, picking, isOfKept }: LineProps) {
  const { path, from, to } = line;
  const isOut = isOfKept || (picking?.isOut(document.collection) ?? false);
  const isKept = isOut || (picking !== undefined && !picking.isBack(document, line));
  const name = path === '' ? 'the whole document' : path;
  const [was, becomes] = useMemo(() => [valueText(from), valueText(to)], [from, to]);
  return (
    <div className={classes(styles.line, isKept && styles.off)}>
      {picking === undefined || path === '' ? (
        <span>{name}</span>
      ) : (
        <label className={styles.tick}>
          <input type="checkbox" checked={!isKept} disabled={isOut} onChange={() => picking.toggle(document, line)} />
          <span>{name}</span>
        </label>
      )}
      <span className={styles.from} title={cut(was, 2000)}>
        {cut(was)}
      </span>
      <span className={styles.arrow} aria-hidden="true">
        →
      </span>
      <span className={styles.to} title={cut(becomes, 2000)}>
        <span className="visually-hidden">becomes </span>
        {cut(becomes)}
      </span>
      {picking !== undefined && <div className={styles.how}>{picking.howItCame(document, line)}</div>}
    </div>
  );
}
