import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Pair, Select } from '../../parts/field.tsx';
import { type CellType, columnNameProblem, withColumn } from '../../words/sheet.ts';
import type { Editing } from './editing.ts';

const TYPES = ['number', 'string', 'boolean'] as const satisfies readonly CellType[];
const TYPE_NAMES: Readonly<Record<(typeof TYPES)[number], string>> = { number: 'Numbers', string: 'Text', boolean: 'True or false' };

/** Adds a column to a table. */
export function ColumnDialog({ editing, close }: { readonly editing: Editing; readonly close: () => void }) {
  const [key, setKey] = useState('');
  const [type, setType] = useState<(typeof TYPES)[number]>('number');
  const problem = columnNameProblem(editing.sheet, key);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null) return;
    editing.change(withColumn(editing.sheet, { key, type, isDeclared: true }));
    close();
  };
  return (
    <Dialog
      title="Add a column"
      sub="Rows that have nothing in it stay as they are."
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form="column" disabled={problem !== null}>
            Add it
          </Button>
        </>
      }
    >
      <form id="column" onSubmit={submit}>
        <Pair>
          <Field
            label="Name"
            hint={key !== '' && problem !== null ? problem : 'As endpoints and games call it'}
            value={key}
            maxLength={128}
            onChange={({ target }) => setKey(target.value)}
          />
          <Select label="Holds" value={type} onChange={({ target }) => setType(TYPES.find((each) => each === target.value) ?? type)}>
            {TYPES.map((each) => (
              <option key={each} value={each}>
                {TYPE_NAMES[each]}
              </option>
            ))}
          </Select>
        </Pair>
      </form>
    </Dialog>
  );
}
