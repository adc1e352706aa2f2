import { block, type library } from '../../contract/resources/logic.ts';
import { namesIn, type Written } from '../../contract/resources/member.ts';
import { type Findings, isText } from '../../domain/finding.ts';
import { isArray, type Json } from '../../kernel/json.ts';
import type { Logic } from '../normal/logic.ts';
import { unknownMembers } from './members.ts';
import { namesFindings } from './names.ts';
import { paramsFindings } from './params.ts';
import { stepsFindings } from './steps.ts';
import { tokensFindings } from './tokens.ts';

/** Findings for libraries and their blocks. */

/** Findings for the blocks of a library, or of a definition that calls them itself. */
export function blocksFindings({ blocks }: Written<typeof library>, findings: Findings): void {
  if (blocks === undefined || blocks === null) return;
  if (!findings.expectObject(blocks, 'INVALID_BLOCKS', '/blocks', `'blocks' must be a map of name to block.`)) return;
  for (const [name, written] of Object.entries(blocks)) blockFindings(name, written, findings);
}

const BLOCK_NAMES = [...namesIn(block), 'notes'];

/** Names of blocks have no dots, because a name in a token or a target ends at a dot. */
const BLOCK_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

function blockFindings(name: string, written: Json, findings: Findings): void {
  const pointer = `/blocks/${name}`;
  if (!BLOCK_NAME.test(name)) findings.add('INVALID_BLOCK_NAME', pointer, `'${name}' cannot be called: use letters, digits, _ and -.`);
  if (!findings.expectObject(written, 'INVALID_BLOCK', pointer, 'A block must be an object with steps.')) return;
  const inner: Logic = written;
  findings.structure(block, inner, pointer, 'params', 'returns');
  unknownMembers(inner, BLOCK_NAMES, 'UNKNOWN_BLOCK_MEMBER', pointer, findings);
  paramsFindings(inner.params, `${pointer}/params`, findings);
  findings.missing(inner, ['steps'], pointer, 'MISSING_BLOCK_STEPS');
  stepsFindings(inner, findings, true, pointer);
  const parts = ['steps', 'returns'] as const;
  for (const part of parts) tokensFindings(inner[part], `${pointer}/${part}`, findings);
  namesFindings(inner, parts, findings, true, pointer);
}

export function libraryFindings(definition: Written<typeof library>, findings: Findings): void {
  findings.missing(definition, ['blocks'], '', 'NO_BLOCKS');
  blocksFindings(definition, findings);
}

export function importsFindings({ imports }: Written<typeof library>, findings: Findings): void {
  if (imports === undefined || imports === null) return;
  if (!isArray(imports) || !imports.every(isText)) {
    findings.add('INVALID_IMPORTS', '/imports', `'imports' must be a list of ids of libraries.`);
    return;
  }
  for (const [index, id] of imports.filter(isText).entries()) {
    const pointer = `/imports/${index}`;
    if (imports.indexOf(id) < index) findings.add('DUPLICATE_IMPORT', pointer, `'${id}' is there already.`);
    else if (!findings.known.library(id)) {
      const message = `There is no library '${id}': calls to its blocks fail.`;
      findings.addMissing('UNRESOLVED_IMPORT', pointer, message, { kind: 'library', name: id }, 'Push the library, too.');
    }
  }
}
