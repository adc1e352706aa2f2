import { Link } from '@tanstack/react-router';
import type { Report } from '../../api/timeline.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Card } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago, When } from '../../parts/time.tsx';
import { exactJson } from '../../words/exact.ts';
import { isDeed, isTrouble, reportBuild, reportKind, reportMessage, reportRest } from '../../words/report.ts';
import { capital } from '../../words/value.ts';
import commits from '../commits.module.css';
import styles from './reports.module.css';

/** What the game itself reported of the player, newest first. */
export function Reports({ reports, player }: { readonly reports: readonly Report[]; readonly player: string }) {
  const { project } = useView();
  const mayRead = useMay()('history', 'r');
  return (
    <Card
      title="What the game reported"
      actions={
        mayRead && (
          <Link to="/p/$project/players/$player/timeline" params={{ project, player }} search={{ what: 'reports' }}>
            All reports
          </Link>
        )
      }
    >
      <Table name="What the game reported" heads={['When', 'What', 'It says', 'Build']}>
        {reports.map((report) => (
          <tr key={report.revision}>
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
      </Table>
    </Card>
  );
}

/** One report among all that happened. */
export function ReportRow({ report }: { readonly report: Report }) {
  const build = reportBuild(report);
  return (
    <li className={commits.commit}>
      <div className={commits.say}>
        {isDeed(report) ? (
          <strong>{capital(reportKind(report))}</strong>
        ) : (
          <>
            <strong>The game</strong> reported <ReportKind report={report} />
          </>
        )}{' '}
        <span className={styles.says}>{reportMessage(report)}</span>
        <ReportRest report={report} />
      </div>
      <div className={classes(commits.meta, styles.meta)}>
        {build !== null && <span>{build}</span>}
        <When at={report.at} />
      </div>
    </li>
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
