import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { DocumentList } from '../../api/collections.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { directionNames, fieldList, type ListSearch, orderName, orderOf } from '../../words/collection.ts';
import { mayBeMoment, momentOf, typedMoment } from '../../words/time.ts';
import styles from './collections.module.css';

interface WhichProps {
  readonly list: DocumentList;
  readonly asked: ListSearch;
}

/** Which documents, and in which order: only what an index keeps is offered, and the rest is said. */
export function Which({ list, asked }: WhichProps) {
  const { orders } = list;
  const navigate = useNavigate();
  const [place, setPlace] = useState(() => {
    const chosen = orderOf(orders, asked.by, asked.is);
    return chosen === undefined ? 0 : orders.indexOf(chosen);
  });
  const [typed, setTyped] = useState({
    from: typedMoment(asked.from ?? ''),
    to: typedMoment(asked.to ?? ''),
    begins: asked.begins ?? '',
    is: asked.is ?? '',
  });
  const [direction, setDirection] = useState(asked.order ?? list.order);
  const order = orders[place] ?? orders[0];
  if (order === undefined) return null;
  const { kind, by } = order;
  const bound = (text: string) => (kind === 'time' ? momentOf(text) : text.trim());
  const isUsable = kind === 'unique' ? typed.is !== '' : kind !== 'time' || [typed.from, typed.to].every(mayBeMoment);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isUsable) return;
    const hasBounds = kind === 'number' || kind === 'time';
    void navigate({
      to: '.',
      search: (before: object) => ({
        ...before,
        by: kind === 'key' ? undefined : by,
        order: kind === 'unique' ? undefined : direction,
        from: (hasBounds && bound(typed.from)) || undefined,
        to: (hasBounds && bound(typed.to)) || undefined,
        begins: (kind === 'key' && typed.begins.trim()) || undefined,
        is: kind === 'unique' ? typed.is : undefined,
      }),
    });
  };
  const choose = (chosen: number) => {
    setPlace(chosen);
    setTyped({ from: '', to: '', begins: '', is: '' });
    const to = orders[chosen];
    if (to !== undefined) setDirection(directionNames(to)[0]?.[0] ?? 'asc');
  };
  const field = (name: 'from' | 'to' | 'begins' | 'is', label: string, placeholder: string) => (
    <Field
      label={label}
      value={typed[name]}
      placeholder={placeholder}
      maxLength={256}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
    />
  );
  const time = (name: 'from' | 'to', label: string, placeholder: string) => (
    <MomentField label={label} value={typed[name]} placeholder={placeholder} change={(text) => setTyped({ ...typed, [name]: text })} />
  );
  return (
    <>
      <form className={styles.which} onSubmit={submit} aria-label="Which documents">
        <Select label="Find and order by" value={String(place)} onChange={({ target }) => choose(Number(target.value))}>
          {orders.map((each, index) => (
            <option key={`${each.kind} ${each.by}`} value={String(index)} disabled={each.personal === true}>
              {orderName(each)}
              {each.personal === true ? ' (personal)' : ''}
            </option>
          ))}
        </Select>
        {kind !== 'unique' && (
          <Select label="Direction" value={direction} onChange={({ target }) => setDirection(target.value === 'asc' ? 'asc' : 'desc')}>
            {directionNames(order).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        )}
        {kind === 'key' && field('begins', 'The key begins with', 'anything')}
        {kind === 'unique' && field('is', `${by} is`, '')}
        {kind === 'number' && field('from', 'From', 'the lowest')}
        {kind === 'number' && field('to', 'To', 'the highest')}
        {kind === 'time' && time('from', 'From', 'the first')}
        {kind === 'time' && time('to', 'To', 'now')}
        <Button type="submit" look="main" disabled={!isUsable}>
          Show
        </Button>
      </form>
      <WhyNot list={list} />
    </>
  );
}

function WhyNot({ list: { others, type, orders } }: { readonly list: DocumentList }) {
  const { project } = useView();
  const personal = orders.filter((order) => order.personal === true).map(({ by }) => by);
  if (others.length === 0 && personal.length === 0) return null;
  return (
    <details className={styles.whyNot}>
      <summary>Why not by another field?</summary>
      {others.length > 0 && (
        <p>
          No index keeps {fieldList(others, 12)}: a list by one of them would read every document. A number gets an index with a{' '}
          <Link to="/p/$project/definitions" params={{ project }} search={{ kind: 'query', find: undefined }}>
            leaderboard
          </Link>{' '}
          whose field it is, a value that one document alone may have with <code>_unique: true</code>.
        </p>
      )}
      {personal.length > 0 && (
        <p>
          {fieldList(personal)} is personal: an order, or whether a value is found, would tell it. Whoever may reveal it says why first.
        </p>
      )}
      <p>
        Two indexes are not used at once, and nothing is counted.
        {type === 'global' ? '' : ' A document without the number does not stand in its order.'}
      </p>
    </details>
  );
}

interface ColumnsProps {
  readonly list: DocumentList;
  readonly chosen: readonly string[];
  /** `undefined`: the first ones of the schema. */
  readonly choose: (columns: readonly string[] | undefined) => void;
}

/** Columns that one page may have. */
const MOST = 20;

/** Which fields the table shows. */
export function Columns({ list: { orders, others }, chosen, choose }: ColumnsProps) {
  const fields = [
    ...new Set([...chosen, ...orders.filter(({ kind }) => kind === 'number' || kind === 'unique').map(({ by }) => by), ...others]),
  ];
  const [isOpen, setOpen] = useState(false);
  if (fields.length < 2) return null;
  const toggle = (field: string) => {
    const left = chosen.includes(field) ? chosen.filter((each) => each !== field) : [...chosen, field];
    choose(left.length === 0 ? undefined : left.slice(0, MOST));
  };
  return (
    <details className={styles.columns} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Columns</summary>
      <fieldset>
        <legend className="visually-hidden">Columns of the table</legend>
        {fields.map((field) => (
          <label key={field}>
            <input
              type="checkbox"
              checked={chosen.includes(field)}
              disabled={!chosen.includes(field) && chosen.length >= MOST}
              onChange={() => toggle(field)}
            />
            {field}
          </label>
        ))}
        <Button isSmall look="quiet" onClick={() => choose(undefined)}>
          The first ones of the schema
        </Button>
      </fieldset>
    </details>
  );
}
