import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import { bodyAfter, type Held, holderQuery, saveValues, Unwritable } from '../../api/value-changes.ts';
import type { Target } from '../../api/view.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import type { WrittenChange } from '../../words/written-values.ts';
import { EndsSchedule } from '../publishes/scheduled.tsx';
import { WhereTo } from './save.tsx';
import { Saved } from './saved.tsx';
import styles from './values.module.css';

interface HolderDialogProps {
  readonly title: string;
  readonly sub: string;
  readonly collection: string | null;
  /** The group or table that it is about. */
  readonly value: string;
  readonly verb: string;
  readonly look?: 'main' | 'bad';
  /** What is to change in what a target has; a text says why that cannot be. */
  readonly changeOf: (held: Held) => WrittenChange | string;
  readonly close: () => void;
  readonly children?: ReactNode;
}

/** A change of a definition of game values as a whole: where to, and why. */
export function HolderDialog({ title, sub, collection, value, verb, look = 'main', changeOf, close, children }: HolderDialogProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [target, setTarget] = useState<Target>('next');
  const [why, setWhy] = useState(NO_WHY);
  const intentOf = useIntent();
  const read = useQuery(holderQuery(project, target, collection));
  const change = read.data === undefined ? null : changeOf(read.data);
  const act = useMutation({
    mutationFn: async ({ held, made }: { readonly held: Held; readonly made: WrittenChange }) => {
      const body = await bodyAfter(held, [made]);
      return saveValues({ project, target, base: held.base, why, collection, body }, intentOf([target, held.base, why, made]));
    },
    onSuccess: refresh,
  });
  if (act.isSuccess) return <Saved target={target} value={value} close={close} />;
  return (
    <Dialog
      title={title}
      sub={sub}
      close={close}
      foot={
        <Decision
          leave={close}
          act={`${verb} in ${target}`}
          acting="Saving…"
          look={look}
          isReady={change !== null && typeof change !== 'string'}
          isBusy={act.isPending}
          go={() =>
            read.data !== undefined && change !== null && typeof change !== 'string' && act.mutate({ held: read.data, made: change })
          }
        />
      }
    >
      {children}
      <WhereTo target={target} choose={setTarget} />
      {read.isError && <Failed error={read.error} />}
      {typeof change === 'string' && <p className={styles.bad}>{change}</p>}
      {target === 'next' && <EndsSchedule />}
      <WhyField isStaged={target === 'next'} why={why} change={setWhy} />
      {act.isError && (act.error instanceof Unwritable ? <p className={styles.bad}>{act.error.message}</p> : <Failed error={act.error} />)}
    </Dialog>
  );
}
