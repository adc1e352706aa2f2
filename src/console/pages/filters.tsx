import { type FormEvent, useState } from 'react';
import type { CommitFilters } from '../frame/search.ts';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { mayBeMoment, momentOf } from '../words/time.ts';
import styles from './commits.module.css';

const KINDS = [
  ['', 'Everything'],
  ['endpoint', 'Calls of endpoints'],
  ['document', 'Writes of documents'],
  ['session', 'Sessions'],
  ['guest', 'Guests and devices'],
  ['record', 'Save slots'],
  ['player.restore', 'Restores'],
  ['commit.undo', 'Undone commits'],
  ['document.correct', 'Corrections'],
] as const;

interface FiltersProps {
  readonly filters: CommitFilters;
  readonly change: (filters: CommitFilters) => void;
}

/** Narrows a list of commits. What is chosen stands in the address. */
export function Filters({ filters, change }: FiltersProps) {
  const [typed, setTyped] = useState({ endpoint: filters.endpoint ?? '', from: filters.from ?? '', to: filters.to ?? '' });
  const isUsable = mayBeMoment(typed.from) && mayBeMoment(typed.to);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isUsable) return;
    change({
      ...filters,
      endpoint: typed.endpoint.trim() || undefined,
      from: momentOf(typed.from) ?? undefined,
      to: momentOf(typed.to) ?? undefined,
    });
  };
  return (
    <form className={styles.filters} onSubmit={submit} aria-label="Filters">
      <Select label="What" value={filters.kind ?? ''} onChange={({ target }) => change({ ...filters, kind: target.value || undefined })}>
        {KINDS.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <Field
        label="Endpoint"
        value={typed.endpoint}
        placeholder="any"
        onChange={({ target }) => setTyped({ ...typed, endpoint: target.value })}
      />
      <Field
        label="From"
        value={typed.from}
        placeholder="the beginning"
        onChange={({ target }) => setTyped({ ...typed, from: target.value })}
      />
      <Field label="To" value={typed.to} placeholder="now" onChange={({ target }) => setTyped({ ...typed, to: target.value })} />
      <Button type="submit" disabled={!isUsable}>
        Filter
      </Button>
    </form>
  );
}
