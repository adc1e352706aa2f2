import { type FormEvent, useState } from 'react';
import type { CommitFilters } from '../frame/search.ts';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { PeriodFields, usePeriod } from '../parts/period.tsx';
import { CORRECTIONS, PUBLISHES } from '../words/commit.ts';
import { MAX_TICKET } from '../words/publish.ts';
import type { TimelineFilters } from '../words/timeline.ts';
import styles from './commits.module.css';

const KINDS: readonly (readonly [value: string, name: string])[] = [
  ['', 'Everything'],
  ['endpoint', 'Calls of endpoints'],
  ['document', 'Writes of documents'],
  ['session', 'Sessions'],
  ['guest', 'Guests and devices'],
  ['record', 'Save slots'],
  [CORRECTIONS.join(','), 'Corrections of any kind'],
  ['document.correct', 'Corrected documents'],
  ['player.restore', 'Restores'],
  ['commit.undo', 'Undos'],
  ['grant', 'Grants'],
  ['button', 'Pressed buttons'],
  [PUBLISHES.join(','), 'Publishes and approvals'],
  ['settings,quotas', 'Settings'],
  ['key', 'Keys'],
];

type Chosen = CommitFilters & Pick<TimelineFilters, 'field'>;

interface FiltersProps {
  /** What may be chosen, by its name in the address. */
  readonly kinds?: readonly (readonly [value: string, name: string])[];
  readonly filters: Chosen;
  /** Of one player: one asks what changed a field, and else for which ticket something was done. */
  readonly hasField?: boolean;
  readonly change: (filters: Chosen) => void;
}

/** Narrows a list of commits. What is chosen stands in the address. */
export function Filters({ kinds = KINDS, filters, hasField = false, change }: FiltersProps) {
  const [endpoint, setEndpoint] = useState(filters.endpoint ?? '');
  const [field, setField] = useState(filters.field ?? '');
  const [ticket, setTicket] = useState(filters.ticket ?? '');
  const period = usePeriod(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const other = hasField ? { field: field.trim() || undefined } : { ticket: ticket.trim() || undefined };
    const typed = { endpoint: endpoint.trim() || undefined, ...other };
    if (period.asked !== null) change({ ...filters, ...typed, ...period.asked });
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
      {hasField ? (
        <Field label="Field" value={field} maxLength={512} placeholder="any" onChange={({ target }) => setField(target.value)} />
      ) : (
        <Field label="Ticket" value={ticket} maxLength={MAX_TICKET} placeholder="any" onChange={({ target }) => setTicket(target.value)} />
      )}
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
    </form>
  );
}
