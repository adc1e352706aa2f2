import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PlayerShown } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Card } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { limitName } from '../../words/limit.ts';
import { valueText } from '../../words/value.ts';
import { EndpointLimitLink, LeftUntil, LimitLink } from '../calls/limits.tsx';

/** The tables of a player's overview: save slots, sessions, devices, boards, flags, rate limits. */

interface ListedProps {
  readonly title: string;
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

function Listed({ title, heads, children }: ListedProps) {
  return (
    <Card title={title}>
      <Table name={title} heads={heads}>
        {children}
      </Table>
    </Card>
  );
}

type ItemsOf<Part extends keyof PlayerShown> = NonNullable<PlayerShown[Part]> extends { readonly items: infer Items } ? Items : never;

export function Slots({ slots, player }: { readonly slots: ItemsOf<'slots'>; readonly player: string }) {
  const { project } = useView();
  return (
    <Listed title="Save slots" heads={['Slot', 'Collection', 'Saved']}>
      {slots.map(({ collection, recordId, recordName, updatedAt }) => (
        <tr key={`${collection}/${recordId}`}>
          <td>
            <Link
              to="/p/$project/players/$player/documents/$collection/$key"
              params={{ project, player, collection, key: `${player}_${recordId}` }}
            >
              {recordName || recordId}
            </Link>
          </td>
          <td>{collection}</td>
          <td className={table.tight}>
            <Ago at={updatedAt} />
          </td>
        </tr>
      ))}
    </Listed>
  );
}

export function Sessions({ sessions }: { readonly sessions: ItemsOf<'sessions'> }) {
  const { project } = useView();
  return (
    <Listed title="Sessions" heads={['Session', 'Began', 'State']}>
      {sessions.map(({ id, createdAt, expiresAt, revokedAt }) => (
        <tr key={id}>
          <td className={table.mono}>
            <Link to="/p/$project/find/$held" params={{ project, held: id }}>
              {id.slice(0, 12)}…
            </Link>
          </td>
          <td className={table.tight}>
            <Ago at={createdAt} />
          </td>
          <td>
            {revokedAt === null ? (
              <>
                until <At at={expiresAt} />
              </>
            ) : (
              <>
                ended <Ago at={revokedAt} />
              </>
            )}
          </td>
        </tr>
      ))}
    </Listed>
  );
}

export function Guest({ guest }: { readonly guest: NonNullable<PlayerShown['guest']> }) {
  return (
    <Listed title="Devices" heads={['Device', 'Came']}>
      {guest.devices.map(({ id, joinedAt }) => (
        <tr key={id}>
          <td className={table.mono}>{id}</td>
          <td className={table.tight}>
            <Ago at={joinedAt} />
          </td>
        </tr>
      ))}
      <tr>
        <td colSpan={2} className={table.soft}>
          {guest.account === null ? 'No account is linked' : `Linked to the account ${guest.account}`}.{' '}
          {guest.hasCode ? 'There is a recovery code that was not used.' : 'There is no recovery code.'}
        </td>
      </tr>
    </Listed>
  );
}

export function Boards({ boards, player }: { readonly boards: ItemsOf<'boards'>; readonly player: string }) {
  const { project } = useView();
  const mayRun = useMay()('queries', 'x');
  return (
    <Listed title="Leaderboards" heads={['Board', 'Rank', 'Value']}>
      {boards.map(({ query, name, rank, value, total }) => (
        <tr key={query}>
          <td>
            {mayRun ? (
              <Link to="/p/$project/boards/$query" params={{ project, query }} search={{ player }} title="The board around the player">
                {name || query}
              </Link>
            ) : (
              name || query
            )}
          </td>
          <td className={table.tight}>{rank === null ? 'not known yet' : `${rank}${total === undefined ? '' : ` of ${total}`}`}</td>
          <td>{valueText(value)}</td>
        </tr>
      ))}
    </Listed>
  );
}

export function Flags({ flags }: { readonly flags: ItemsOf<'flags'> }) {
  return (
    <Listed title="Flags" heads={['Rule', 'Asked for', 'When']}>
      {flags.map(({ eventId, rule, amount, limit, at }) => (
        <tr key={eventId}>
          <td>
            <LimitLink name={rule} />
          </td>
          <td>
            {amount} <span className={table.soft}>of {limit}</span>
          </td>
          <td className={table.tight}>
            <Ago at={at} />
          </td>
        </tr>
      ))}
    </Listed>
  );
}

export function Windows({ windows }: { readonly windows: ItemsOf<'windows'> }) {
  return (
    <Listed title="Rate limits in use" heads={['Limit', 'Of', 'Left']}>
      {windows.map((each) => (
        <tr key={JSON.stringify(each)}>
          <td>
            {typeof each['endpoint'] === 'string' ? (
              <EndpointLimitLink slug={limitName(each)} id={each['endpoint']} />
            ) : (
              <LimitLink name={limitName(each)} />
            )}
          </td>
          <td className={table.soft}>{[each['collection'], each['field']].filter((name) => typeof name === 'string').join('.')}</td>
          <td className={table.tight}>
            <LeftUntil of={each} />
          </td>
        </tr>
      ))}
    </Listed>
  );
}
