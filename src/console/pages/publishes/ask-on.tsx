import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Why } from '../../api/acts.ts';
import { type Approval, askApproval } from '../../api/approvals.ts';
import { type TestRun, testsQuery } from '../../api/publishes.ts';
import { readDifference } from '../../api/queries.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import type { DefinitionChange } from './changes.tsx';
import { TestsRun, useMayTest } from './check.tsx';
import styles from './publishes.module.css';
import { ToPublishes } from './to-publishes.tsx';

/** What was just staged is tested, and another person asked about it, as one act with the staging. */

interface Asking {
  /** The revision that staged it. */
  readonly base: number;
  readonly why: Why;
}

interface Asked {
  /** All that is staged by now. */
  readonly changes: readonly DefinitionChange[];
  /** `null`: there was nothing to test, or whoever asks may not. */
  readonly run: TestRun | null;
  /** `null`: nobody was asked. */
  readonly approval: Approval | null;
}

/** Asks another person about what is staged, if all tests pass on it. */
export function useAskOn() {
  const view = useView();
  const queries = useQueryClient();
  const mayTest = useMayTest();
  const intentOf = useIntent();
  return useMutation({
    mutationFn: async ({ base, why }: Asking): Promise<Asked> => {
      // The page goes on showing what was staged before, until all of it is done.
      const { difference, state } = await readDifference(view.project);
      const { changes } = difference;
      if (changes.length === 0) return { changes, run: null, approval: null };
      const run = mayTest ? await queries.fetchQuery(testsQuery(view, state)) : null;
      if (run !== null && run.failed > 0) return { changes, run, approval: null };
      const { approval } = await askApproval({ project: view.project, action: 'promote', to: null, base, why }, intentOf([base, why]));
      return { changes, run, approval };
    },
  });
}

interface AskOnProps {
  readonly asking: ReturnType<typeof useAskOn>;
  /** What was staged, in a sentence. */
  readonly changed: string;
  readonly close: () => void;
}

/** Where nobody was asked: why. It is staged in any case. Of what was asked for the page tells itself. */
export function AskOnDialog({ asking, changed, close }: AskOnProps) {
  const refresh = useRefresh();
  const { data, variables, error } = asking;
  const again = () =>
    variables !== undefined &&
    asking.mutate(variables, {
      onSuccess: ({ approval }) => {
        void refresh();
        if (approval !== null) close();
      },
    });
  return (
    <Dialog
      title="It is staged, and nobody was asked"
      close={close}
      foot={
        <>
          <Button onClick={close}>Close</Button>
          <ToPublishes isMain close={close} />
        </>
      }
    >
      <p>
        <strong>{changed}</strong>
      </p>
      {data?.changes.length === 0 && <p>What is staged is what live is by now: there is nothing to ask about.</p>}
      {data?.run != null && (
        <>
          <p className={styles.warning}>
            {data.run.failed === 1 ? 'A test of the game fails' : `${data.run.failed} tests of the game fail`} on what is staged. Mend it
            and save again, or ask for approval on Publishes all the same.
          </p>
          <TestsRun run={data.run} />
        </>
      )}
      {error !== null && <Failed error={error} again={again} />}
    </Dialog>
  );
}
