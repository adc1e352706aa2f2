import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { change, type Operation } from '../../api/acts.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Pair, Select } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { rowsOf } from '../../words/document.ts';
import { afterwards, OPERATIONS, type OperationName, operationsFor, typedValue } from '../../words/edit.ts';
import { cut, valueText } from '../../words/value.ts';
import styles from './player.module.css';

interface EditProps {
  readonly asked: { readonly collection: string; readonly key: string };
  readonly document: unknown;
  readonly version: number;
  readonly schema: unknown;
  readonly close: () => void;
}

interface Planned extends Operation {
  readonly op: OperationName;
  readonly now: unknown;
}

/** Changes a document by operations, all in one commit, with a reason; or not at all, where somebody else changed it meanwhile. */
export function EditDialog({ asked, document, version, schema, close }: EditProps) {
  const { project, target } = useView();
  const refresh = useRefresh();
  const [planned, setPlanned] = useState<readonly Planned[]>([]);
  const [reason, setReason] = useState('');
  const intentOf = useIntent();
  const act = useMutation({
    mutationFn: () => {
      const operations = planned.map(({ op, path, value }) => ({ op, path, value }));
      return change({ project, ...asked, target, version, operations }, reason, intentOf([version, operations, reason]));
    },
    onSuccess: refresh,
  });
  if (act.isSuccess)
    return (
      <Dialog title="It is changed" close={close}>
        <Done>
          <p>
            {asked.collection}/{asked.key} is version {act.data.version} now. Players who look at it see it at once. The history has an
            undo:{' '}
            <Link to="/p/$project" params={{ project }} search={{ kind: 'document.correct' }} onClick={close}>
              corrections
            </Link>
            .
          </p>
        </Done>
      </Dialog>
    );
  return (
    <Dialog
      title={`Change ${asked.collection}/${asked.key}`}
      sub={`Version ${version}. No rate limit applies, and the ledger says “correction” with your reason.`}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" disabled={planned.length === 0 || reason.trim() === '' || act.isPending} onClick={() => act.mutate()}>
            {act.isPending ? 'Changing…' : 'Change it'}
          </Button>
        </>
      }
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
      <Field
        label="Reason"
        hint="For whoever reads the log and the ledger later"
        value={reason}
        maxLength={256}
        required
        onChange={(event) => setReason(event.target.value)}
      />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

function PlannedLine({ operation: { op, path, value, now }, drop }: { readonly operation: Planned; readonly drop: () => void }) {
  const then = afterwards(op, now, value);
  return (
    <div className={styles.op}>
      <span>
        <strong>{path}</strong> {OPERATIONS[op].name.toLowerCase()} <span className={styles.value}>{cut(valueText(value))}</span>
        {then !== null && (
          <span className={styles.soft}>
            {' '}
            · <span className={styles.from}>{cut(valueText(now), 40)}</span> → <span className={styles.to}>{cut(then, 40)}</span>
          </span>
        )}
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
  readonly add: (operation: Planned) => void;
}

function Planner({ document, schema, add }: PlannerProps) {
  const rows = rowsOf(document, schema).rows;
  const [path, setPath] = useState(rows[0]?.path ?? '');
  const [wanted, setOp] = useState<OperationName>('set');
  const [typed, setTyped] = useState('');
  const row = rows.find((each) => each.path === path);
  const possible = operationsFor(row?.value, row?.type ?? '');
  const op = possible.includes(wanted) ? wanted : (possible[0] ?? 'set');
  const value = typedValue(typed, op, row?.type ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!value.ok || path === '') return;
    add({ op, path, value: value.value, now: row?.value });
    setTyped('');
  };
  return (
    <form onSubmit={submit} className={styles.stack} style={{ gap: 10 }}>
      <Pair>
        <Select label="Field" value={path} onChange={({ target }) => setPath(target.value)}>
          {rows.map((each) => (
            <option key={each.path} value={each.path}>
              {each.path}
            </option>
          ))}
        </Select>
        <Select label="What to do" value={op} onChange={({ target }) => setOp(target.value as OperationName)}>
          {possible.map((each) => (
            <option key={each} value={each}>
              {OPERATIONS[each].name}
            </option>
          ))}
        </Select>
      </Pair>
      <Field
        label="Value"
        hint={typed !== '' && !value.ok ? value.why : `Now: ${cut(valueText(row?.value), 80)}${row?.says ? ` · ${row.says}` : ''}`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div>
        <Button type="submit" disabled={!value.ok || path === ''}>
          Add this change
        </Button>
      </div>
    </form>
  );
}
