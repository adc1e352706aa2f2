import type { LoggedRequest } from '../../contract/answers.ts';
import type { Finding } from '../../folder/findings.ts';
import type { Pushed } from '../../folder/push.ts';
import { counted } from '../../kernel/counted.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { print, printNote } from '../context.ts';
import { codeOf, explain } from '../explain.ts';
import { requestLine } from '../remote/request-line.ts';
import { testReport } from '../remote/test-report.ts';
import { shownChanges, shownFindings, shownPublishes, summaryOf } from '../show.ts';
import { styled } from '../terminal.ts';
import type { RoundReporter } from './round.ts';

/** The output of `savepoint dev`. With `--json` each report is one object on a line; `event` names its kind. */

export interface DevReporter extends RoundReporter {
  /** `isOwn`: the node is the folder's own. */
  ready(address: string, project: string, isShared: boolean, isOwn: boolean): void;
  request(request: LoggedRequest): void;
  note(text: string): void;
  stopped(): void;
}

export function reporterFor(json: boolean): DevReporter {
  return json ? jsonReporter() : textReporter();
}

function textReporter(): DevReporter {
  /** Warnings already shown. Each is shown once, not after every push. */
  let told = new Set<string>();
  return {
    ready(address, project, isShared, isOwn) {
      print(
        `${styled('bold', 'savepoint dev')}  ${address}  project ${project}${isShared ? '  (the node of another `savepoint dev`)' : ''}`,
      );
      print(styled('gray', "Changes of this folder are pushed to next, which a game plays with `publishTarget: 'next'`."));
      print(styled('gray', '`savepoint promote` makes them live. Ctrl-C stops.'));
      if (isOwn) print(styled('gray', '`savepoint console link --data .savepoint/data` makes a link to the console.'));
    },
    unrecognized: noteUnrecognizedOnce(),
    pushed(pushed, ms) {
      const warnings = pushed.ok ? pushed.warnings : [];
      const fresh = warnings.filter((warning) => !told.has(nameOf(warning)));
      if (pushed.ok) told = new Set(warnings.map(nameOf));
      print(pushedText(pushed, fresh, ms));
    },
    tested(done, findings, ms) {
      print(done.failed === 0 ? styled('green', `✓ ${done.passed} of ${done.total} tests  ${took(ms)}`) : testReport(done, findings));
    },
    typed: (file) => print(styled('gray', `types written to ${file}`)),
    failed: (error) => print(styled('red', explain(error))),
    request: (request) => print(requestLine(request)),
    note: printNote,
    stopped: () => print('savepoint dev has stopped'),
  };
}

/** Prints a note for each file that is not pushed, once and not after every change of the folder. */
function noteUnrecognizedOnce(): DevReporter['unrecognized'] {
  let told = new Set<string>();
  return (unrecognized) => {
    for (const { path, hint } of unrecognized) if (!told.has(path)) printNote(`Note: ${path} is not pushed. ${hint}`);
    told = new Set(unrecognized.map(({ path }) => path));
  };
}

function nameOf({ path, code, message }: Finding): string {
  return JSON.stringify([path, code, message]);
}

function pushedText(pushed: Pushed, warnings: readonly Finding[], ms: number): string {
  if (!pushed.ok && pushed.reason === 'findings')
    return `${shownFindings(pushed.findings)}\n\n${styled('red', `not pushed: ${summaryOf(pushed.findings)}`)}`;
  if (!pushed.ok) {
    const why = styled('red', 'not pushed: somebody else has published since. `savepoint pull` brings that here; --force overwrites it.');
    return pushed.publishes.length === 0 ? `${shownChanges(pushed.changes)}\n${why}` : `${shownPublishes(pushed.publishes)}\n${why}`;
  }
  const { published, revision, changes } = pushed;
  const told = warnings.length === 0 ? '' : `\n${shownFindings(warnings)}\n\n${styled('yellow', STAGED_WITH_FINDINGS)}`;
  if (!published) return `${styled('gray', 'next is what this folder holds')}${told}`;
  const own = changes.filter(({ action }) => action !== 'absent');
  const head = styled(
    'green',
    `pushed to next: ${counted(own.length, 'definition')}${revision === null ? '' : `, revision ${revision}`}  ${took(ms)}`,
  );
  // A long list, such as that of a first push, is left out.
  const listed = own.length > 0 && own.length <= 20 ? `\n${shownChanges(own)}` : '';
  return `${head}${listed}${told}`;
}

const STAGED_WITH_FINDINGS = 'staged nevertheless, so that you can go on: `savepoint push` and `savepoint promote` refuse it';

function took(ms: number): string {
  return `${Math.round(ms)} ms`;
}

function jsonReporter(): DevReporter {
  const tell = (event: string, rest: object) => print(JSON.stringify({ event, ...rest }));
  return {
    ready: (address, project, isShared) => tell('ready', { address, project, isShared }),
    unrecognized: noteUnrecognizedOnce(),
    pushed: (pushed, ms) => tell('pushed', { ...pushed, ms: Math.round(ms) }),
    tested: ({ results, ...sums }, _, ms) =>
      tell('tested', { ok: sums.failed === 0, ...sums, ms: Math.round(ms), results: results.map(short) }),
    typed: (file) => tell('typed', { file }),
    failed: (error) => tell('failed', { error: { code: codeOf(error), message: explain(error) } }),
    request: (request) => tell('request', request),
    note: printNote,
    stopped: () => tell('stopped', {}),
  };
}

/** A result without steps and pending writes. */
function short({ id, endpoint, passed, reason }: JsonObject): JsonObject {
  return { id: id ?? '', endpoint: endpoint ?? '', passed: passed ?? false, reason: reason ?? null };
}
