import { type FocusEvent, type FormEvent, useId, useState } from 'react';
import type { Operation } from '../../api/corrections.ts';
import type { DocumentAsked } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Pair, Select } from '../../parts/field.tsx';
import { fieldAt, rowsOf } from '../../words/document.ts';
import { OPERATIONS, type OperationName, operationsFor, typedValue } from '../../words/edit.ts';
import { cut, valueText } from '../../words/value.ts';
import { CorrectDialog } from './correct.tsx';
import styles from './player.module.css';

interface EditProps {
  readonly asked: DocumentAsked;
  readonly document: unknown;
  readonly version: number;
  readonly schema: unknown;
  readonly close: () => void;
}

/** Changes a document by operations, all in one commit, with a reason; or not at all, where somebody else changed it meanwhile. */
export function EditDialog({ asked, document, version, schema, close }: EditProps) {
  const [planned, setPlanned] = useState<readonly Operation[]>([]);
  return (
    <CorrectDialog
      asked={asked}
      version={version}
      change={planned.length === 0 ? null : { ops: planned }}
      title={`Change ${asked.collection}/${asked.key}`}
      sub={`Version ${version}. No rate limit applies, and the ledger says “correction” with your reason.`}
      words={{ act: 'Change it', acting: 'Changing…', done: 'It is changed' }}
      close={close}
    >
      <Planner document={document} schema={schema} add={(operation) => setPlanned([...planned, operation])} />
      {planned.length > 0 && (
        <div className={styles.stack} style={{ gap: 6 }}>
          {planned.map((operation, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same operation may stand twice, and the order is what they are done in
            <PlannedLine key={place} operation={operation} drop={() => setPlanned(planned.filter((_, other) => other !== place))} />
          ))}
        </div>
      )}
    </CorrectDialog>
  );
}

function PlannedLine({ operation: { op, path, value }, drop }: { readonly operation: Operation; readonly drop: () => void }) {
  return (
    <div className={styles.op}>
      <span>
        <strong>{path}</strong> {OPERATIONS[op].toLowerCase()} <span className={styles.value}>{cut(valueText(value))}</span>
      </span>
      <Button isSmall look="quiet" onClick={drop} aria-label={`Drop the change of ${path}`}>
        Drop
      </Button>
    </div>
  );
}

interface PlannerProps {
  readonly document: unknown;
  readonly schema: unknown;
  readonly add: (operation: Operation) => void;
}

function Planner({ document, schema, add }: PlannerProps) {
  const known = useId();
  const [path, setPath] = useState('');
  const [wanted, setOp] = useState<OperationName>('set');
  const [typed, setTyped] = useState('');
  const named = path.trim();
  const field = fieldAt(document, schema, named);
  const possible = operationsFor(field.value, field.type);
  const op = possible.includes(wanted) ? wanted : (possible[0] ?? 'set');
  const value = typedValue(typed, op, field.type);
  const isReady = value.ok && named !== '' && field.problem === null;
  const plan = () => {
    if (!isReady) return;
    add({ op, path: named, value: value.value });
    setTyped('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    plan();
  };
  // Whoever goes on to the reason means what was typed.
  const left = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (typed !== '' && relatedTarget !== null && !currentTarget.contains(relatedTarget)) plan();
  };
  return (
    <form onSubmit={submit} onBlur={left} className={styles.stack} style={{ gap: 10 }}>
      <Pair>
        <Field
          label="Field"
          list={known}
          value={path}
          maxLength={512}
          hint={named === '' ? 'One of the document, or a new one: stats.level' : (field.problem ?? saysOf(field))}
          onChange={({ target }) => setPath(target.value)}
        />
        <datalist id={known}>
          {rowsOf(document, schema).rows.map((each) => (
            <option key={each.path} value={each.path} />
          ))}
        </datalist>
        <Select label="What to do" value={op} onChange={({ target }) => setOp(target.value as OperationName)}>
          {possible.map((each) => (
            <option key={each} value={each}>
              {OPERATIONS[each]}
            </option>
          ))}
        </Select>
      </Pair>
      <Field
        label="Value"
        hint={typed !== '' && !value.ok ? value.why : `Now: ${cut(valueText(field.value), 80)}`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div>
        <Button type="submit" disabled={!isReady}>
          Add this change
        </Button>
      </div>
    </form>
  );
}

function saysOf({ value, says }: ReturnType<typeof fieldAt>): string {
  if (says !== null && says !== '') return says;
  return value === undefined ? 'A new field, of which the schema says nothing' : 'The schema says nothing of it';
}
