import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { documentQuery } from '../../api/queries.ts';
import type { DryRunAsked } from '../../api/trying.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Pair } from '../../parts/field.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { type InputField, inputOf, type Typed } from '../../words/input.ts';
import { fieldsOfDocument, pretended, type WorkedOn } from '../../words/pretending.ts';
import { Refused } from '../../words/refusal.ts';
import styles from './calls.module.css';

/** What the player is taken to have, for one run. */
interface Pretending {
  readonly fields: readonly InputField[];
  readonly typed: Typed;
  readonly change: (typed: Typed) => void;
  readonly problems: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
  readonly open: (isOpen: boolean) => void;
  /** Opens it from elsewhere; `null`: there is nothing to be taken for something else. */
  readonly begin: (() => void) | null;
  /** How often it was opened from elsewhere: each time leads there. */
  readonly begun: number;
  /** Whether nothing is wrong with what was typed. */
  readonly isWhole: boolean;
  /** What was typed, and what stands in place of the player's document then; `null`: what is stored. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly instead: NonNullable<DryRunAsked['instead']> | null;
}

/** `of`: the document that the endpoint works on. */
export function usePretending(of: WorkedOn | null, player: string): Pretending {
  const view = useView();
  const mayRead = useMay()('collections', 'r');
  const [isOpen, open] = useState(false);
  const [typed, change] = useState<Typed>({});
  const [begun, setBegun] = useState(0);
  const isOffered = of !== null && of.fields.length > 0 && player !== '' && mayRead;
  const asked = { collection: of?.collection ?? '', key: player };
  const read = useQuery({ ...documentQuery(view, asked), enabled: isOffered && isOpen, retry: false });
  const isMissing = read.error instanceof Refused && read.error.refusal.status === 404;
  const document = isMissing ? {} : (read.data?.document as Readonly<Record<string, unknown>> | undefined);
  const fields = of === null || document === undefined ? [] : fieldsOfDocument(of, document);
  const entered = inputOf(fields, typed);
  const values = isOpen && entered.ok ? entered.input : {};
  const begin = () => {
    open(true);
    setBegun((times) => times + 1);
  };
  const isElse = isOffered && document !== undefined && Object.keys(values).length > 0;
  return {
    ...{ fields, typed, change, isOpen, open, values, begun },
    begin: isOffered ? begin : null,
    problems: entered.ok ? {} : entered.problems,
    isWhole: !isOpen || entered.ok,
    instead: isElse ? { collection: asked.collection, document: pretended(document, values) } : null,
  };
}

interface PretendProps {
  readonly pretending: Pretending;
  readonly isAsked: boolean;
}

/** A form for what the player is taken to have. */
export function Pretend({ pretending, isAsked }: PretendProps) {
  const { fields, typed, change, problems, isOpen, open, begin, begun } = pretending;
  const place = useLedTo(begun, fields.length > 0);
  if (begin === null) return null;
  return (
    <details ref={place} className={styles.developers} open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>As if the player had something else</summary>
      <p className={styles.soft}>For this try only: nothing of it is stored. What stays empty is as the player has it.</p>
      <Pair>
        <SchemaForm fields={fields} typed={typed} change={change} problems={isAsked ? problems : {}} />
      </Pair>
    </details>
  );
}

/** Leads whoever opened it from elsewhere there: to its head, and to its first field once that is read. */
function useLedTo(begun: number, isRead: boolean) {
  const place = useRef<HTMLDetailsElement>(null);
  const led = useRef(0);
  useEffect(() => {
    if (led.current === begun) return;
    place.current?.scrollIntoView({ block: 'center' });
    place.current?.querySelector<HTMLElement>(isRead ? 'input, select, textarea' : 'summary')?.focus({ preventScroll: true });
    if (isRead) led.current = begun;
  }, [begun, isRead]);
  return place;
}
