import { type FormEvent, useState } from 'react';
import type { CommitFilters } from '../frame/search.ts';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { PeriodFields, usePeriod } from '../parts/period.tsx';
import styles from './commits.module.css';

const KINDS: readonly (readonly [value: string, name: string])[] = [
  ['', 'Everything'],
  ['endpoint', 'Calls of endpoints'],
  ['document', 'Writes of documents'],
  ['session', 'Sessions'],
  ['guest', 'Guests and devices'],
  ['record', 'Save slots'],
  ['player.restore', 'Restores'],
  ['commit.undo', 'Undone commits'],
  ['document.correct', 'Corrections'],
  ['button', 'Pressed buttons'],
  ['grant', 'Grants'],
];

interface FiltersProps {
  /** What may be chosen, by its name in the address. */
  readonly kinds?: readonly (readonly [value: string, name: string])[];
  readonly filters: CommitFilters;
  readonly change: (filters: CommitFilters) => void;
}

/** Narrows a list of commits. What is chosen stands in the address. */
export function Filters({ kinds = KINDS, filters, change }: FiltersProps) {
  const [endpoint, setEndpoint] = useState(filters.endpoint ?? '');
  const period = usePeriod(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (period.asked !== null) change({ ...filters, endpoint: endpoint.trim() || undefined, ...period.asked });
  };
  return (
    <form className={styles.filters} onSubmit={submit} aria-label="Filters">
      <Select label="What" value={filters.kind ?? ''} onChange={({ target }) => change({ ...filters, kind: target.value || undefined })}>
        {kinds.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <Field label="Endpoint" value={endpoint} placeholder="any" onChange={({ target }) => setEndpoint(target.value)} />
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
    </form>
  );
}
