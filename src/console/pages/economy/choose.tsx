import { getRouteApi } from '@tanstack/react-router';
import { DayField } from '../../parts/day-field.tsx';
import { Select } from '../../parts/field.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import { lastDays, type Period } from '../../words/economy.ts';
import styles from './economy.module.css';

const route = getRouteApi('/signed-in/p/$project/economy/');
const SPANS = [7, 30, 90, 365] as const;

interface ChooseProps {
  readonly currencies: readonly string[];
  readonly currency: string | undefined;
  readonly period: Period;
}

/** Which currency and which days. Both stand in the address. */
export function Choose({ currencies, currency, period }: ChooseProps) {
  const navigate = route.useNavigate();
  const go = (chosen: { readonly currency?: string; readonly from?: string; readonly to?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...chosen }) });
  const today = new Date().toISOString().slice(0, 10);
  return (
    <div className={styles.choose}>
      <Select
        label="Currency"
        value={currency ?? ''}
        disabled={currency === undefined}
        onChange={({ target }) => go({ currency: target.value })}
      >
        {currencies.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
      <DayField label="From" value={period.from} max={period.to} change={(from) => go({ ...period, from })} />
      <DayField label="To" value={period.to} min={period.from} max={today} change={(to) => go({ ...period, to })} />
      <div className={styles.spans}>
        <Toggles
          choices={SPANS.map((days) => [days, `${days} days`])}
          chosen={SPANS.find((days) => isSame(lastDays(days, today), period))}
          choose={(days) => go(lastDays(days, today))}
        />
      </div>
    </div>
  );
}

function isSame(one: Period, other: Period): boolean {
  return one.from === other.from && one.to === other.to;
}
