import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { compareQuery, type DocumentAsked } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import { useDrawn } from '../../parts/standing.ts';
import table from '../../parts/table.module.css';
import { At } from '../../parts/time.tsx';
import { cut, valueText } from '../../words/value.ts';
import styles from './player.module.css';

interface ComparisonProps {
  readonly asked: DocumentAsked;
  readonly a: string;
  readonly b: string | undefined;
  readonly player: string | undefined;
}

/** Two moments of a document beside one another. */
export function Comparison({ asked, a, b, player }: ComparisonProps) {
  const view = useView();
  const mayRestore = useMay()('restore', 'w');
  const navigate = useNavigate();
  const close = () => void navigate({ to: '.', search: (before: object) => ({ ...before, a: undefined, b: undefined }) });
  const read = useQuery(compareQuery(view, asked, a, b ?? view.at));
  const drawn = useDrawn(read.data?.fields ?? []);
  return (
    <Card
      title="Two moments compared"
      actions={
        <Button isSmall look="quiet" onClick={close}>
          Close
        </Button>
      }
    >
      {read.isPending && <Waiting what="what differs" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && (
        <>
          <Scroll name="What differs">
            <table className={classes(table.table, styles.compare)}>
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <Side title="A" side={read.data.from} />
                  <Side title={b === undefined ? 'B, now' : 'B'} side={read.data.to} />
                </tr>
              </thead>
              <tbody>
                {drawn.map(({ path, label, before, after }) => (
                  <tr key={path}>
                    <th scope="row">{label || 'the whole document'}</th>
                    <td className={styles.from} title={cut(valueText(before), 2000)}>
                      {cut(valueText(before), 400)}
                    </td>
                    <td className={styles.to} title={cut(valueText(after), 2000)}>
                      {cut(valueText(after), 400)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {read.data.fields.length === 0 && <Empty title="Nothing differs">It was the same at both moments.</Empty>}
          {(read.data.more ?? 0) > 0 && <CardBody>And {read.data.more} fields more differ.</CardBody>}
          {mayRestore && player !== undefined && view.target === 'live' && read.data.fields.length > 0 && (
            <CardBody>
              <Link
                to="/p/$project/players/$player/restore"
                params={{ project: view.project, player }}
                search={{ to: String(read.data.from.revision) }}
              >
                Restore what the player had at A
              </Link>
            </CardBody>
          )}
        </>
      )}
    </Card>
  );
}

interface SideProps {
  readonly title: string;
  readonly side: { readonly revision: number; readonly time: string; readonly version: number | null };
}

function Side({ title, side: { revision, time, version } }: SideProps) {
  return (
    <th scope="col">
      {title} · <At at={time} /> · {revision}
      {version === null && ' · there was none'}
    </th>
  );
}
