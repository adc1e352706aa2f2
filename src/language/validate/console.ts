import { CONSOLE_PAGES, consoleButton, MAX_CONFIRM, MAX_LABEL } from '../../contract/resources/logic.ts';
import { namesIn, type Written } from '../../contract/resources/member.ts';
import { type Findings, isText } from '../../domain/finding.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { unknownMembers } from './members.ts';

/** Findings for the button that an endpoint asks for. One that does not fit is not shown. */

const EXAMPLE = 'Such as `{page: player, label: Give a starter pack}`.';

export function consoleFindings(written: Json | undefined, findings: Findings): void {
  if (written === undefined || written === null) return;
  if (!isObject(written)) {
    findings.add('INVALID_CONSOLE', '/console', `'console' must be an object with page and label: no button is shown.`, EXAMPLE);
    return;
  }
  const { page, label, confirm }: Written<typeof consoleButton> = written;
  if (!consoleButton.shape.page.safeParse(page).success) {
    const named = isText(page) ? `There is no page '${page.slice(0, 40)}' for buttons` : "'page' is missing";
    const fix = (isText(page) ? didYouMean(page, CONSOLE_PAGES) : undefined) ?? `One of ${CONSOLE_PAGES.join(', ')}.`;
    findings.add('INVALID_CONSOLE_PAGE', '/console/page', `${named}: no button is shown.`, fix);
  }
  if (!isText(label) || label.length > MAX_LABEL)
    findings.add('INVALID_CONSOLE_LABEL', '/console/label', `'label' must be a text of 1 to ${MAX_LABEL} characters: no button is shown.`);
  if (confirm !== undefined && confirm !== null && (!isText(confirm) || confirm.length > MAX_CONFIRM))
    findings.add(
      'INVALID_CONSOLE_CONFIRM',
      '/console/confirm',
      `'confirm' must be a text of 1 to ${MAX_CONFIRM} characters: no button is shown.`,
    );
  unknownMembers(written, namesIn(consoleButton), 'UNKNOWN_CONSOLE_MEMBER', '/console', findings);
}
