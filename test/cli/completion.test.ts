import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completionsOf } from '../../src/cli/completion/completions.ts';
import { completionScript, SHELLS, type Shell } from '../../src/cli/completion/scripts.ts';
import { createProgram } from '../../src/cli/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-completion-'));
mkdirSync(join(folder, 'endpoints/.hidden'), { recursive: true });
for (const name of [
  'savepoint.json',
  'endpoints/buy.endpoint.yml',
  'sell.endpoint.json',
  'endpoints/.hidden/no.endpoint.yml',
  'players.collection.yaml',
])
  writeFileSync(join(folder, name), '{}');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = await createProgram();
const script = (shell: Shell) => completionScript(shell, completionsOf(program));
const isHere = (shell: Shell) => {
  try {
    execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** What bash offers for these words, the last of which is being written. */
function offered(...words: readonly string[]): readonly string[] {
  const ask = `COMP_WORDS=(savepoint "$@"); COMP_CWORD=$#; _savepoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${script('bash')}\n${ask}`, 'bash', ...words], {
    cwd: join(folder, 'endpoints'),
    encoding: 'utf8',
  });
  return out.trim().split('\n').sort();
}

describe('completion', () => {
  it('offers commands, subcommands and options', () => {
    expect(offered('le')).toEqual(['ledger']);
    expect(offered('doc', '')).toEqual(expect.arrayContaining(['get', 'set']));
    expect(offered('doc', 'set', '--if')).toEqual(['--if-version']);
    expect(offered('completion', 'f')).toEqual(['fish']);
  });

  it('offers the endpoints and collections of the folder, also from its subfolders', () => {
    expect(offered('call', '')).toEqual(expect.arrayContaining(['buy', 'sell']));
    expect(offered('call', 's')).toEqual(['sell']);
    expect(offered('doc', 'get', 'p')).toEqual(['players']);
  });

  it.each(SHELLS.filter(isHere))('%s accepts its script', (shell) => {
    const file = join(folder, `script.${shell}`);
    writeFileSync(file, script(shell));
    expect(execFileSync(shell, ['-n', file], { encoding: 'utf8' })).toBe('');
  });
});
