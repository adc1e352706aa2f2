import type { OpenSession } from '../api/session.ts';
import { deviceOf, placeOf } from '../words/device.ts';
import { Button } from './button.tsx';
import { Chip } from './chip.tsx';
import styles from './table.module.css';
import { Table } from './table.tsx';
import { Ago, At } from './time.tsx';

interface SessionTableProps {
  readonly sessions: readonly OpenSession[];
  readonly isBusy: boolean;
  readonly end: (id: string) => void;
}

/** Sessions of one person, each with what ends it. */
export function SessionTable({ sessions, isBusy, end }: SessionTableProps) {
  return (
    <Table folds name="Sessions" heads={['With', 'From', 'Last used', 'Ends at the latest', { name: 'End it', isHidden: true }]}>
      {sessions.map(({ id, agent, address, usedAt, until, current }) => (
        <tr key={id}>
          <td title={agent}>
            {deviceOf(agent)} {current && <Chip tone="live">this one</Chip>}
          </td>
          <td data-head="From">{placeOf(address)}</td>
          <td className={styles.tight} data-head="Last used">
            <Ago at={usedAt} />
          </td>
          <td className={styles.tight} data-head="Ends at the latest">
            <At at={until} />
          </td>
          <td className={styles.tight}>
            {!current && (
              <Button
                isSmall
                disabled={isBusy}
                onClick={() => end(id)}
                aria-label={`End the session of ${deviceOf(agent)} from ${placeOf(address)}`}
              >
                End
              </Button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
