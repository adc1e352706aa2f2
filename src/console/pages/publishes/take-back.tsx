import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Why } from '../../api/acts.ts';
import { takeBack } from '../../api/publishing.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { MAX_REASON } from '../../words/publish.ts';
import { Changes, type DefinitionChange } from './changes.tsx';
import { useStagedWhy } from './reason.tsx';

interface TakeBackProps {
  readonly base: number;
  readonly changes: readonly DefinitionChange[];
  readonly close: () => void;
}

/** Takes back all that is staged; live stays as it is. */
export function TakeBackDialog({ base, changes, close }: TakeBackProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const intentOf = useIntent();
  const offered = useStagedWhy(changes);
  const [typed, setTyped] = useState<Why | null>(null);
  const { reason, ticket } = offered.why;
  const why = typed ?? { reason: reason === '' ? '' : `Taken back: ${reason}`.slice(0, MAX_REASON), ticket };
  const act = useMutation({
    mutationFn: () => takeBack({ project, base, why }, intentOf([base, why])),
    onSuccess: () => {
      close();
      void refresh();
    },
  });
  return (
    <Dialog
      title="Take back all that is staged?"
      sub="Next becomes what live is. Players notice nothing, and what was written here is in the history."
      close={close}
      foot={
        <Decision
          leave={close}
          act="Take it back"
          acting="Taking back…"
          look="bad"
          isReady={why.reason.trim() !== ''}
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      <p>This was staged, and goes from next:</p>
      <Changes isFramed changes={changes} />
      <WhyField isNeeded why={why} change={setTyped} hint={typed === null ? offered.hint : null} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}
