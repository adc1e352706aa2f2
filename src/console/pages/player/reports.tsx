import { exactJson } from '../../api/exact.ts';
import type { PlayerShown } from '../../api/queries.ts';
import { Chip } from '../../parts/chip.tsx';
import { Card } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import table from '../../parts/table.module.css';
import { Ago } from '../../parts/time.tsx';
import { isTrouble, reportBuild, reportKind, reportMessage, reportRest } from '../../words/report.ts';
import styles from './reports.module.css';

type Report = NonNullable<PlayerShown['reports']>['items'][number];

/** What the game itself reported of the player, newest first. */
export function Reports({ reports, hasMore }: { readonly reports: readonly Report[]; readonly hasMore: boolean }) {
  return (
    <Card title="What the game reported">
      <Scroll name="What the game reported">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">It says</th>
              <th scope="col">Build</th>
            </tr>
          </thead>
          <tbody>
            {reports.map((report, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two reports may be alike, and none is moved.
              <tr key={place}>
                <td className={table.tight}>
                  <Ago at={report.at} />
                </td>
                <td>
                  <ReportKind report={report} />
                </td>
                <td>
                  {reportMessage(report)}
                  <ReportRest report={report} />
                </td>
                <td>{reportBuild(report) ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {hasMore && <p className={styles.more}>These are the last {reports.length}.</p>}
    </Card>
  );
}

function ReportKind({ report }: { readonly report: Report }) {
  const kind = reportKind(report);
  return isTrouble(report) ? <Chip tone="bad">{kind}</Chip> : kind;
}

/** What a report says besides: the stack of an error, what the game sent along. */
function ReportRest({ report }: { readonly report: Report }) {
  const rest = reportRest(report);
  const facts = [
    ...(report.session === null ? [] : [`session of play ${report.session}`]),
    ...(report.endpoint === null ? [] : [`endpoint ${report.endpoint}`]),
    ...(report.collection === null ? [] : [`collection ${report.collection}`]),
  ];
  if (rest === null && facts.length === 0 && report.payload !== undefined) return null;
  return (
    <details className={styles.rest}>
      <summary>More</summary>
      {facts.length > 0 && <p>{facts.join(' · ')}</p>}
      {report.payload === undefined && <p>What it says is longer than 4 KB, and not shown.</p>}
      {rest !== null && <pre>{exactJson(rest, 2)}</pre>}
    </details>
  );
}
