import { type FormEvent, useState } from 'react';
import type { WantedChange } from '../../api/corrections.ts';
import type { Collection } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { declaredBy } from '../../words/document.ts';
import { fieldsOfInput, inputOf, type Typed } from '../../words/input.ts';
import { CorrectDialog } from './correct.tsx';
import styles from './player.module.css';

interface MakeProps {
  /** Where it may be made; at least one. */
  readonly collections: readonly Collection[];
  /** Whose it is; `null`: its key is typed. */
  readonly player: string | null;
  readonly close: () => void;
}

/** Makes a document where there is none, its fields as the schema of the collection has them. */
export function MakeDialog({ collections, player, close }: MakeProps) {
  const [chosen, setChosen] = useState(collections[0]?.id ?? '');
  const [key, setKey] = useState(player ?? '');
  const [typed, setTyped] = useState<Typed>({});
  const [change, setChange] = useState<WantedChange | null>(null);
  const collection = collections.find(({ id }) => id === chosen);
  const fields = fieldsOfInput(declaredBy(collection?.schema));
  const entered = inputOf(fields, typed);
  const put = (typed: Typed) => {
    setTyped(typed);
    setChange(null);
  };
  const look = (event: FormEvent) => {
    event.preventDefault();
    if (entered.ok && key.trim() !== '') setChange({ document: entered.input });
  };
  const isTyped = Object.values(typed).some((text) => text !== '');
  return (
    <CorrectDialog
      asked={{ collection: chosen, key: key.trim() }}
      version={0}
      change={change}
      title={player === null ? `Make a document of ${collection?.name ?? chosen}` : `Make a document for ${player}`}
      sub="What is left out has the default of the schema. No rate limit applies, and the ledger says “correction” with your reason."
      words={{ act: 'Make it', acting: 'Making…', done: 'It is made' }}
      close={close}
    >
      <form onSubmit={look} className={styles.stack} style={{ gap: 10 }}>
        {player === null ? (
          <Field
            label="Key"
            hint="Of a collection of players the id of the player"
            value={key}
            maxLength={128}
            onChange={({ target }) => {
              setKey(target.value);
              setChange(null);
            }}
          />
        ) : (
          <Select
            label="Collection"
            value={chosen}
            onChange={({ target }) => {
              setChosen(target.value);
              put({});
            }}
          >
            {collections.map(({ id, name }) => (
              <option key={id} value={id}>
                {name ?? id}
              </option>
            ))}
          </Select>
        )}
        <SchemaForm fields={fields} typed={typed} change={put} problems={isTyped && !entered.ok ? entered.problems : {}} />
        <div>
          <Button type="submit" disabled={!entered.ok || key.trim() === ''}>
            Look what it would be
          </Button>
        </div>
      </form>
    </CorrectDialog>
  );
}
