import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { daysQuery, fieldsQuery, flowsQuery, moversQuery, supplyQuery } from '../../api/economy.ts';
import { ofKind } from '../../api/reveal.ts';
import { useRefresh } from '../../frame/acting.ts';
import { OfNow, useMoment } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { usePlotsAhead } from '../../parts/plot.tsx';
import { useStanding } from '../../parts/standing.ts';
import { amountText } from '../../words/amount.ts';
import { currenciesOf, periodOf } from '../../words/economy.ts';
import { isUnknown } from '../../words/refusal.ts';
import { percent } from '../../words/sums.ts';
import { FailedOrAsked, HidePersonal, isAskedWhy } from '../revealing.tsx';
import { Alarms } from './alarms.tsx';
import { Choose } from './choose.tsx';
import { Days } from './days.tsx';
import styles from './economy.module.css';
import { Flows } from './flows.tsx';
import { Movers } from './movers.tsx';

const route = getRouteApi('/signed-in/p/$project/economy/');

/** What became of the money of all players: how much there is, what came in and went out, from where, and with whom. */
export function EconomyPage() {
  const { project } = useView();
  const mayRead = useMay()('economy', 'r');
  return (
    <Page
      name="Economy"
      title="Economy"
      sub={
        <>
          How much there is, what came in and went out, from where and with whom. Prices are changed among{' '}
          <Link to="/p/$project/values" params={{ project }}>
            Values
          </Link>
          .
        </>
      }
    >
      {mayRead ? (
        <Economy />
      ) : (
        <Card title="Economy">
          <Empty title="Your role does not see what all players have">An owner can give you a role with the permission “economy”.</Empty>
        </Card>
      )}
    </Page>
  );
}

function Economy() {
  const { at, instead } = useMoment('time');
  return instead ?? <EconomyUntil at={at} />;
}

function EconomyUntil({ at }: { readonly at: string | undefined }) {
  const view = useView();
  const search = route.useSearch();
  usePlotsAhead();
  const period = periodOf(search, at, Date.now());
  const fields = useQuery(fieldsQuery(view, period));
  // Alarms stand below everything else.
  const isStanding = useStanding(fields.isSuccess);
  // Whoever asks for a currency has it beside the list of all.
  if (fields.isPending && search.currency === undefined)
    return (
      <Card title="Currencies">
        <Waiting what="the currencies" />
      </Card>
    );
  if (fields.isError) return <Failed error={fields.error} again={() => void fields.refetch()} />;
  const moved = currenciesOf(fields.data?.rows ?? []);
  const currency = search.currency ?? moved[0];
  return (
    <>
      <OfNow>
        The economy is told by whole days: these are the days up to {period.to}, the whole of which counts. Alarms are those of now.
      </OfNow>
      <Choose
        currencies={[...new Set([...(currency === undefined ? [] : [currency]), ...moved])].sort()}
        currency={currency}
        period={period}
      />
      {currency === undefined ? (
        <Card title="Currencies">
          <Empty title="Nothing moved in these days">
            Money is counted from the first change of a field that its schema marks with <code>_ledger</code>; fields with the same{' '}
            <code>_currency</code> are one currency. Choose earlier days, or mark the first field.
          </Empty>
        </Card>
      ) : (
        <Shown asked={{ currency, ...period }} />
      )}
      <Alarms currencies={moved} isAsked={isStanding} />
    </>
  );
}

function Shown({ asked }: { readonly asked: Parameters<typeof Days>[0]['asked'] }) {
  const view = useView();
  const { at } = view;
  const refresh = useRefresh();
  const { by = 'source', order = 'net' } = route.useSearch();
  const { error: ofDays } = useQuery(daysQuery(view, asked));
  const { error: ofSupply } = useQuery({ ...supplyQuery(view, asked.currency), enabled: at === undefined });
  const { error: ofFlows } = useQuery(flowsQuery(view, asked, by));
  const { error: ofMovers } = useQuery(moversQuery(view, asked, order));
  // What stands below the screen is drawn behind what is on it.
  const isBelowDrawn = useDeferredValue(true, false);
  const of = ofKind('currency', asked.currency);
  // Of a personal number every sum is refused: that is told once, whichever comes first.
  const error = [ofDays, at === undefined ? ofSupply : null, ofFlows, ofMovers].find(isAskedWhy);
  if (error !== undefined) return <FailedOrAsked error={error} of={of} whose="currency" again={() => void refresh()} />;
  return (
    <>
      <HidePersonal of={of} />
      {at === undefined && <Supply currency={asked.currency} />}
      <Days asked={asked} />
      {isBelowDrawn && (
        <>
          <Flows asked={asked} />
          <Movers asked={asked} />
        </>
      )}
    </>
  );
}

function Supply({ currency }: { readonly currency: string }) {
  const read = useQuery(supplyQuery(useView(), currency));
  if (isUnknown(read.error))
    return (
      <Card title={`${currency} now`}>
        <Empty title="Nothing ever moved of this currency">Look whether its name is whole, or choose another one.</Empty>
      </Card>
    );
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  const now = read.data;
  const said = (value: ReactNode) => (now === undefined ? '…' : value);
  return (
    <Card title={`${currency} now`}>
      <CardBody>
        <dl className={styles.figures}>
          <Figure name="Supply">{said(amountText(now?.supply))}</Figure>
          <Figure name="Held by active players (30 days)">{said(amountText(now?.active))}</Figure>
          <Figure name="Players who have some">{said(amountText(now?.holders))}</Figure>
          <Figure name={`Held by the richest 1 %${now === undefined ? '' : ` (${amountText(now.top.holders)})`}`}>
            {said(`${percent(now?.top.share ?? 0)}`)}
          </Figure>
        </dl>
      </CardBody>
    </Card>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
