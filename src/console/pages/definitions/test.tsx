import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { testsQuery } from '../../api/definitions.ts';
import { useMay, useMayReadStaged, useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { exactJson } from '../../words/exact.ts';
import styles from './definitions.module.css';

/** A saved test: which endpoint it calls with what, and what it expects. It is written in the folder of the game. */
export function TestPage({ id }: { readonly id: string }) {
  const view = useView();
  const readsSettings = useMay()('settings', 'r');
  const maySee = useMayReadStaged() && readsSettings;
  const read = useQuery({ ...testsQuery(view), enabled: maySee });
  const test = read.data?.find((each) => each['id'] === id);
  const { name, endpoint } = test ?? {};
  const text = test === undefined ? '' : exactJson(test, 2);
  return (
    <Page
      name={id}
      title={id}
      sub={
        <>
          A saved test, run on{' '}
          <Link to="/p/$project/publishes" params={{ project: view.project }}>
            Publishes
          </Link>
          {typeof name === 'string' && name !== id && ` · ${name}`}
          {typeof endpoint === 'string' && (
            <>
              {' '}
              · of{' '}
              <Link to="/p/$project/find/$held" params={{ project: view.project, held: endpoint }}>
                {endpoint}
              </Link>
            </>
          )}
        </>
      }
    >
      <Card title="Test" actions={test !== undefined && <CopyButton text={text} what="the test" />}>
        {!maySee && <Empty title="Your role does not see tests">They are shown to whoever may read all definitions.</Empty>}
        {maySee && read.isPending && <Waiting what="the test" />}
        {read.isError && (
          <CardBody>
            <Failed error={read.error} again={() => void read.refetch()} />
          </CardBody>
        )}
        {read.isSuccess && test === undefined && <Empty title={`There is no saved test “${id}”`} />}
        {test !== undefined && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus
          <pre className={styles.source} tabIndex={0}>
            {text}
          </pre>
        )}
      </Card>
    </Page>
  );
}
