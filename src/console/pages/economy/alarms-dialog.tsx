import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import { setAlarms } from '../../api/alarms.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Pair, Select } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { type AlarmSet, type AlarmTyped, alarmOf, thresholdText } from '../../words/alarms.ts';
import styles from './economy.module.css';

interface AlarmsProps {
  readonly alarms: readonly AlarmSet[];
  /** The revision that they were read at: whoever changed settings since is not overwritten. */
  readonly base: number;
  readonly currencies: readonly string[];
  readonly close: () => void;
}

/** Sets the alarms of a project: drops some, adds others, all at once. */
export function AlarmsDialog({ alarms, base, currencies, close }: AlarmsProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const intentOf = useIntent();
  const [wanted, setWanted] = useState(alarms);
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({
    mutationFn: () => setAlarms({ project, alarms: wanted, base, why }, intentOf([base, wanted, why])),
    onSuccess: refresh,
  });
  if (act.isSuccess)
    return (
      <Dialog title="The alarms are set" close={close}>
        <Done>
          <p>They are in force within a minute. Players notice nothing.</p>
        </Done>
      </Dialog>
    );
  return (
    <Dialog
      title="Change the alarms"
      sub="A setting of the project, in force on every node. Whoever changes settings at the same time is not overwritten."
      close={close}
      foot={
        <Decision
          leave={close}
          act="Set the alarms"
          acting="Setting…"
          isReady={wanted !== alarms}
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      {wanted.length > 0 && (
        <div>
          {wanted.map((alarm) => (
            <div key={alarm.name} className={styles.line}>
              <span>
                <strong>{alarm.name}</strong>: {alarm.currency}
                {alarm.source !== undefined && ` from ${alarm.source}`}, {thresholdText(alarm)}
              </span>
              <Button
                isSmall
                look="quiet"
                aria-label={`Drop the alarm ${alarm.name}`}
                onClick={() => setWanted(wanted.filter((each) => each !== alarm))}
              >
                Drop
              </Button>
            </div>
          ))}
        </div>
      )}
      <NewAlarm others={wanted} currencies={currencies} add={(alarm) => setWanted([...wanted, alarm])} />
      <WhyField begins={false} why={why} change={setWhy} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

interface NewAlarmProps {
  readonly others: readonly AlarmSet[];
  readonly currencies: readonly string[];
  readonly add: (alarm: AlarmSet) => void;
}

const BLANK: AlarmTyped = { name: '', currency: '', source: '', threshold: 'overMedian', amount: '' };

function NewAlarm({ others, currencies, add }: NewAlarmProps) {
  const [typed, setTyped] = useState<AlarmTyped>({ ...BLANK, currency: currencies[0] ?? '' });
  const alarm = alarmOf(typed, others);
  const isBegun = typed.name !== '' || typed.amount !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof alarm === 'string') return;
    add(alarm);
    setTyped({ ...BLANK, currency: typed.currency });
  };
  return (
    <form onSubmit={submit} style={{ display: 'grid', gap: 10 }} aria-label="A new alarm">
      <Pair>
        <Field
          label="Name"
          placeholder="gold-flood"
          value={typed.name}
          onChange={({ target }) => setTyped({ ...typed, name: target.value })}
        />
        <Field label="Currency" value={typed.currency} onChange={({ target }) => setTyped({ ...typed, currency: target.value })} />
      </Pair>
      <Pair>
        <Select
          label="Raised when there comes in"
          value={typed.threshold}
          onChange={({ target }) => setTyped({ ...typed, threshold: target.value === 'perPlayerHour' ? 'perPlayerHour' : 'overMedian' })}
        >
          <option value="overMedian">of all players: so many times the usual day</option>
          <option value="perPlayerHour">for one player: more than this in an hour</option>
        </Select>
        <Field
          label={typed.threshold === 'overMedian' ? 'Times the median of 14 days' : 'Amount within an hour'}
          inputMode="decimal"
          value={typed.amount}
          onChange={({ target }) => setTyped({ ...typed, amount: target.value })}
        />
      </Pair>
      <Field
        label="Of one source only (may be left out)"
        hint={isBegun && typeof alarm === 'string' ? alarm : 'Such as quest: what endpoints and operations name'}
        value={typed.source}
        maxLength={64}
        onChange={({ target }) => setTyped({ ...typed, source: target.value })}
      />
      <div>
        <Button type="submit" disabled={typeof alarm === 'string'}>
          Add this alarm
        </Button>
      </div>
    </form>
  );
}
