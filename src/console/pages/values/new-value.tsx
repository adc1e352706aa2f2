import { useState } from 'react';
import type { Held } from '../../api/value-changes.ts';
import { Choices, Field, Pair } from '../../parts/field.tsx';
import { DEFINITION_ID } from '../../words/definition.ts';
import { sheetOf } from '../../words/sheet.ts';
import { additionOf } from '../../words/written-values.ts';
import { HolderDialog } from './holder.tsx';

const KINDS = [
  { value: 'table', name: 'Table', means: 'Rows under columns: what a shop sells, what a chest drops.' },
  { value: 'group', name: 'Group', means: 'Named values: the price of a revive, the length of a season.' },
] as const;

/** Makes a group or table that is empty but for its first column. */
export function NewValueDialog({ close }: { readonly close: () => void }) {
  const [kind, setKind] = useState<'table' | 'group'>('table');
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const about = { id, type: kind, ...(name.trim() === '' ? {} : { name: name.trim() }) };
  const changeOf = ({ served, written }: Held) => {
    if (!DEFINITION_ID.test(id)) return id === '' ? 'Give it an id.' : 'An id is 1 to 128 letters, digits, _ or -.';
    if (sheetOf(id, served) !== null) return `There is a “${id}” already.`;
    const contents = kind === 'table' ? { columns: [{ key: 'id', type: 'string' }], rows: [] } : { entries: {} };
    return additionOf(written, { ...about, ...contents });
  };
  return (
    <HolderDialog
      title="New group or table"
      sub="Its cells are filled in afterwards."
      collection={null}
      value={id}
      verb="Make it"
      changeOf={changeOf}
      close={close}
    >
      <Choices label="What" value={kind} choose={setKind} options={KINDS} />
      <Pair>
        <Field
          label="Id"
          hint="As endpoints and games call it"
          value={id}
          maxLength={128}
          data-begin
          onChange={({ target }) => setId(target.value)}
        />
        <Field
          label="Name (may be left out)"
          hint="As people call it"
          value={name}
          maxLength={128}
          onChange={({ target }) => setName(target.value)}
        />
      </Pair>
    </HolderDialog>
  );
}
