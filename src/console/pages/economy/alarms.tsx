import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { alarmsQuery, raisedQuery } from '../../api/alarms.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { countedBy, thresholdText } from '../../words/alarms.ts';
import { amountText } from '../../words/amount.ts';
import { HeldLink } from '../named.tsx';
import { AlarmsDialog } from './alarms-dialog.tsx';
import styles from './economy.module.css';
import { SumLink } from './entries-link.tsx';

interface AlarmsProps {
  readonly currencies: readonly string[];
  /** Whether they are read already. */
  readonly isAsked: boolean;
}

/** When the team is told that too much came in, and when that was. */
export function Alarms({ currencies, isAsked }: AlarmsProps) {
  const mayDo = useMay();
  const view = useView();
  const maySee = mayDo('settings', 'r');
  const read = useQuery({ ...alarmsQuery(view), enabled: maySee && isAsked });
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Card
        title="Alarms"
        actions={
          read.isSuccess &&
          view.at === undefined &&
          mayDo('settings', 'w') && (
            <Button isSmall onClick={() => setEditing(true)}>
              Change…
            </Button>
          )
        }
      >
        {maySee && read.isPending && <Waiting what="alarms" />}
        {!maySee && <Empty title="Your role does not see the settings">Alarms are a setting of the project.</Empty>}
        {read.isError && (
          <CardBody>
            <Failed error={read.error} again={() => void read.refetch()} />
          </CardBody>
        )}
        {read.data?.alarms.length === 0 && (
          <Empty title="Nobody is told yet when too much comes in">
            An alarm looks every minute at what came in of one currency, of all players in a day or of one player in an hour.
          </Empty>
        )}
        {(read.data?.alarms ?? []).map((alarm) => (
          <div key={alarm.name} className={styles.line}>
            <span>
              <strong>{alarm.name}</strong> is raised when of {alarm.currency}
              {alarm.source !== undefined && ` from ${alarm.source}`} comes in {thresholdText(alarm)}
            </span>
          </div>
        ))}
      </Card>
      <Raised isAsked={isAsked} />
      {isEditing && read.isSuccess && (
        <AlarmsDialog alarms={read.data.alarms} base={read.data.base} currencies={currencies} close={() => setEditing(false)} />
      )}
    </>
  );
}

function Raised({ isAsked }: Pick<AlarmsProps, 'isAsked'>) {
  const view = useView();
  const read = useQuery({ ...raisedQuery(view), enabled: isAsked });
  if (read.isPending)
    return (
      <Card title="Raised">
        <Waiting what="raised alarms" />
      </Card>
    );
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  const { alarms, before } = read.data;
  return (
    <Card title="Raised">
      {alarms.length === 0 ? (
        <Empty title="No alarm was raised">One that is raised stands here with its day, and in the log of the project.</Empty>
      ) : (
        <Table
          name="Raised alarms"
          heads={['Alarm', 'When', 'Of', { name: 'Came in', isNumber: true }, { name: 'Threshold', isNumber: true }, 'For whom most']}
        >
          {alarms.map(({ revision, alarm, window, currency, source, player, amount, threshold, at }) => (
            <tr key={revision}>
              <td>
                <Link to="/p/$project/find/$held" params={{ project: view.project, held: String(revision) }}>
                  {alarm}
                </Link>
              </td>
              <td className={table.tight}>
                <Link
                  to="/p/$project/economy"
                  params={{ project: view.project }}
                  search={{ currency, from: window.slice(0, 10), to: window.slice(0, 10) }}
                >
                  {window.replace('T', ', ')}
                  {window.includes('T') && ' h'}
                </Link>{' '}
                <span className={table.soft}>
                  <Ago at={at} />
                </span>
              </td>
              <td>
                {currency}
                {source !== null && <span className={table.soft}> from {source}</span>}
              </td>
              <td className={table.number}>
                <SumLink asked={countedBy({ revision, window, currency, source, player })} sum={amount} />
              </td>
              <td className={table.number}>{amountText(threshold)}</td>
              <td>{player === null ? <span className={table.soft}>all together</span> : <HeldLink held={player} />}</td>
            </tr>
          ))}
        </Table>
      )}
      {before !== null && <CardBody>There are earlier ones: the activity with the kind “alarm.raise” has them all.</CardBody>}
    </Card>
  );
}
