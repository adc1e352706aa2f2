import { useState } from 'react';
import { isDay } from '../words/economy.ts';
import { Picked } from './moment-field.tsx';

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (day: string) => void;
  readonly min?: string;
  readonly max?: string;
}

/** A day of UTC, `2026-11-27`. What is typed counts once it is one. */
export function DayField({ label, value, change, min, max }: DayFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const take = (text: string) => {
    setTyped(isDay(text) ? null : text);
    if (isDay(text)) change(text);
  };
  return (
    <Picked
      label={label}
      zone="UTC"
      type="date"
      value={typed ?? value}
      change={take}
      calendarValue={value}
      pick={take}
      min={min}
      max={max}
      leave={() => setTyped(null)}
      isWrong={typed !== null}
    />
  );
}
