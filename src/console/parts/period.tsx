import { useState } from 'react';
import { mayBeMoment, momentOf, typedMoment } from '../words/time.ts';
import { MomentField } from './moment-field.tsx';

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface TypedPeriod {
  readonly typed: { readonly from: string; readonly to: string };
  readonly change: (typed: { readonly from: string; readonly to: string }) => void;
  /** As routes take it; `null`: something typed is no moment. */
  readonly asked: { readonly from: string | undefined; readonly to: string | undefined } | null;
}

/** From one moment to another, as somebody types it; each may be left out. */
export function usePeriod({ from = '', to = '' }: Period): TypedPeriod {
  const [typed, change] = useState({ from: typedMoment(from), to: typedMoment(to) });
  const isUsable = mayBeMoment(typed.from) && mayBeMoment(typed.to);
  const asked = isUsable ? { from: momentOf(typed.from) ?? undefined, to: momentOf(typed.to) ?? undefined } : null;
  return { typed, change, asked };
}

export function PeriodFields({ period: { typed, change } }: { readonly period: TypedPeriod }) {
  return (
    <>
      <MomentField label="From" value={typed.from} placeholder="the beginning" change={(from) => change({ ...typed, from })} />
      <MomentField label="To" value={typed.to} placeholder="now" change={(to) => change({ ...typed, to })} />
    </>
  );
}
