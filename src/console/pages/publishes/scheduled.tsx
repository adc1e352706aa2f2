import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import { scheduleQuery, unschedulePromotion } from '../../api/schedule.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody } from '../../parts/page.tsx';
import { At, When } from '../../parts/time.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { whoActed } from '../../words/approval.ts';
import { ahead, notLive, wentUnseen } from '../../words/schedule.ts';
import { whySaid } from '../../words/why.ts';
import styles from './publishes.module.css';

/** Says where something is staged that it ends what waits for its time. */
export function EndsSchedule() {
  const schedule = useQuery(scheduleQuery(useView())).data?.schedule ?? null;
  if (schedule?.phase !== 'waiting') return null;
  return (
    <p className={styles.warning}>
      What goes live by itself {ahead(schedule.at, Date.now())} does not, once this is staged: it is scheduled anew on the page Publishes.
    </p>
  );
}

/** What goes live at a chosen time, was to and did not, or did without a look at all that is stored. */
export function Scheduled({ mayPublish }: { readonly mayPublish: boolean }) {
  const view = useView();
  const read = useQuery(scheduleQuery(view));
  /** The one that is to be cancelled, as it was looked at: another may wait by the time it is decided. */
  const [meant, setMeant] = useState<{ readonly id: string; readonly at: string } | null>(null);
  const schedule = read.data?.schedule ?? null;
  if (schedule === null) return null;
  const { phase, at, message: reason, ticket, scheduled, ended } = schedule;
  const why = whySaid({ reason, ticket });
  const unseen = wentUnseen(schedule, Date.now());
  const told = notLive(schedule) ?? unseen;
  if (phase !== 'waiting' && told === null) return null;
  return (
    <Card
      title={phase === 'waiting' ? 'Goes live by itself' : unseen === null ? 'Did not go live by itself' : 'What was scheduled is live'}
      actions={
        phase === 'waiting' &&
        mayPublish && (
          <Button isSmall onClick={() => setMeant(schedule)}>
            Cancel it…
          </Button>
        )
      }
    >
      <CardBody>
        {told === null ? (
          <>
            <p>
              What is staged goes live <strong>{ahead(at, Date.now())}</strong>: <At at={at} />.
            </p>
            <p className={styles.soft}>
              {whoActed(scheduled.by)} scheduled it <When at={scheduled.at} />
              {why === '' ? '' : `: ${why}`}. Any change of what is staged or live voids it.
            </p>
          </>
        ) : (
          <p className={styles.warning}>
            {told} {ended !== null && <When at={ended.at} />}
          </p>
        )}
        {meant !== null && phase === 'waiting' && <CancelDialog {...meant} close={() => setMeant(null)} />}
      </CardBody>
    </Card>
  );
}

interface CancelProps {
  readonly id: string;
  readonly at: string;
  readonly close: () => void;
}

/** What waits for its time goes live by hand alone then. */
function CancelDialog({ id, at, close }: CancelProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const intentOf = useIntent();
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({
    mutationFn: () => unschedulePromotion(project, id, why, intentOf([id, why])),
    onSuccess: () => {
      close();
      void refresh();
    },
  });
  return (
    <Dialog
      title="Cancel what goes live by itself?"
      sub={`What is staged stays staged, and does not go live ${ahead(at, Date.now())}. It can be scheduled anew.`}
      close={close}
      foot={
        <Decision
          leave={close}
          leaving="Leave it"
          act="Cancel it"
          acting="Cancelling…"
          look="bad"
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      <WhyField why={why} change={setWhy} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}
