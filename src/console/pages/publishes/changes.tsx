import { classes } from '../../parts/classes.ts';
import { becomes, changesSaid, definitionName, heldText, isSaidWhole } from '../../words/publish.ts';
import { cut, valueText } from '../../words/value.ts';
import styles from './publishes.module.css';

/** How definitions differ, field by field. */

export interface DefinitionChange {
  readonly kind: string;
  readonly id: string;
  readonly action?: string;
  readonly fields?: readonly {
    readonly path: string;
    readonly label: string;
    readonly before?: unknown;
    readonly after?: unknown;
    readonly moved?: boolean;
  }[];
  readonly more?: number;
  readonly opens?: readonly string[];
}

interface ChangesProps {
  readonly changes: readonly DefinitionChange[];
  readonly isFramed?: boolean;
  /** Fields that are listed of one definition. */
  readonly most?: number | undefined;
}

export function Changes({ changes, isFramed = false, most }: ChangesProps) {
  return (
    <ul className={classes(styles.definitions, isFramed && styles.inDialog)}>
      {changes.map((change) => (
        <li key={`${change.kind} ${change.id}`} className={styles.definition}>
          <p>
            <strong>{definitionName(change)}</strong> {change.action !== undefined && becomes(change.action, change.kind)}
          </p>
          {change.opens?.map((sentence) => (
            <p key={sentence} className={styles.warning}>
              {sentence}
            </p>
          ))}
          {change.action !== 'delete' && <Fields change={change} most={most} />}
        </li>
      ))}
    </ul>
  );
}

/** What a roll back or an approval changes for players, for whoever decides on it: nothing that is known is left out. */
export function ForPlayers({ changes }: { readonly changes: readonly DefinitionChange[] }) {
  return (
    <>
      <p>
        For all players at once: <strong>{changesSaid(changes)}</strong>.
      </p>
      {!isSaidWhole(changes) && <Changes isFramed changes={changes} most={Number.POSITIVE_INFINITY} />}
    </>
  );
}

/** Fields that are listed of one definition, where the page has more to show. */
const MOST = 40;

interface FieldsProps {
  readonly change: DefinitionChange;
  readonly most?: number | undefined;
}

export function Fields({ change: { fields = [], more = 0 }, most = MOST }: FieldsProps) {
  const left = more + Math.max(0, fields.length - most);
  return (
    <div className={styles.fields}>
      {fields.slice(0, most).map(({ path, label, before, after }) => (
        <div key={`${path} ${label} ${before === undefined}`} className={styles.field}>
          <span>{label || 'all of it'}</span>
          <span className={styles.values} title={cut(`${valueText(before)} → ${valueText(after)}`, 2000)}>
            {before === undefined ? 'new: ' : <span className={styles.from}>{cut(heldText(before))}</span>}
            {before !== undefined && (after === undefined ? ' is removed' : ' → ')}
            {after !== undefined && <span className={styles.to}>{cut(heldText(after))}</span>}
          </span>
        </div>
      ))}
      {left > 0 && <p className={styles.soft}>And {left} fields more.</p>}
    </div>
  );
}
