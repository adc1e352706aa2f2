import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { type Findings, isMap, isText } from './finding.ts';
import { namesFindings } from './names.ts';
import { stepsFindings } from './steps.ts';
import { tokensFindings } from './tokens.ts';

/** Libraries, and what names them (decision 31). */

/** Steps of blocks, of a library or of the definition that calls them itself. */
export function blocksFindings(definition: JsonObject, findings: Findings): void {
  const blocks = member(definition, 'blocks');
  if (blocks === undefined || blocks === null) return;
  if (!isObject(blocks)) {
    findings.add('INVALID_BLOCKS', '/blocks', `'blocks' must be a map of name to block.`);
    return;
  }
  for (const [name, block] of Object.entries(blocks)) blockFindings(name, block, findings);
}

/** In a token or a target a name ends at a dot. */
const BLOCK_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

function blockFindings(name: string, block: Json, findings: Findings): void {
  const path = `/blocks/${name}`;
  if (!BLOCK_NAME.test(name)) findings.add('INVALID_BLOCK_NAME', path, `'${name}' cannot be called: use letters, digits, _ and -.`);
  if (!isObject(block)) {
    findings.add('INVALID_BLOCK', path, 'A block must be an object with steps.');
    return;
  }
  findings.member(block, 'params', path, isMap, 'INVALID_PARAMS', 'an object');
  findings.member(block, 'returns', path, isMap, 'INVALID_RETURNS', 'an object');
  findings.missing(block, ['steps', 'body'], path, 'MISSING_BLOCK_STEPS');
  stepsFindings(block, findings, true, path);
  const parts = ['steps', 'body', 'returns'];
  for (const part of parts) tokensFindings(member(block, part), `${path}/${part}`, findings);
  namesFindings(block, parts, findings, true, path);
}

export function libraryFindings(definition: JsonObject, findings: Findings): void {
  findings.missing(definition, ['blocks'], '', 'NO_BLOCKS');
  blocksFindings(definition, findings);
}

export function importsFindings(definition: JsonObject, findings: Findings): void {
  const imports = member(definition, 'imports');
  if (imports === undefined || imports === null) return;
  if (!isArray(imports) || !imports.every(isText)) {
    findings.add('INVALID_IMPORTS', '/imports', `'imports' must be a list of ids of libraries.`);
    return;
  }
  for (const [index, id] of imports.filter(isText).entries()) {
    const path = `/imports/${index}`;
    if (imports.indexOf(id) < index) findings.add('DUPLICATE_IMPORT', path, `'${id}' is there already.`);
    else if (findings.known.library(id) === undefined) {
      findings.add('UNRESOLVED_IMPORT', path, `There is no library '${id}': calls to its blocks fail.`, 'Push the library, too.');
    }
  }
}
