// Writes the console's client of the management API from docs/openapi.yaml, with types. It holds only the operations that the pages use.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILE = 'src/console/api/generated.ts';
const OPERATIONS = [
  ...['listCommits', 'explain', 'findNames', 'listTests', 'listCollections', 'readDocument', 'readDocumentHistory', 'compareDocument'],
  ...[
    'listDocuments',
    'findPlayers',
    'showPlayer',
    'restorePlayer',
    'undoCommit',
    'correctDocument',
    'diff',
    'listPublishes',
    'promote',
    'rollback',
  ],
  ...['listLooks', 'listKeys', 'showTimeline'],
  ...['listButtons', 'pressButton'],
  ...[
    'readEconomy',
    'listEconomyFlows',
    'listEconomyPlayers',
    'listEconomyEntries',
    'listEconomyAlarms',
    'readEconomySupply',
    'readSettings',
    'changeSettings',
  ],
  ...['readValues', 'listGameValues', 'putGameValues', 'patchCollection', 'readGameValueHistory'],
  ...[
    'listEndpoints',
    'listWorkflows',
    'listLibraries',
    'listQueries',
    'runQuery',
    'listRateLimitRules',
    'readDefinitionHistory',
    'preflight',
    'sync',
    'discard',
  ],
  ...['listApprovals', 'readApproval', 'askApproval', 'giveApproval', 'declineApproval', 'commentApproval', 'withdrawApproval'],
  ...['readPromotionSchedule', 'schedulePromotion', 'unschedulePromotion'],
  ...['deleteCollection', 'deleteEndpoint', 'deleteWorkflow', 'deleteLibrary', 'deleteQuery'],
  ...['summarizeLogs', 'readLogs', 'testEndpoint', 'runTests', 'compareDefinitions'],
];

/** Writes it unless it is there: made of the same description, by the same program. */
export async function writeConsoleClient() {
  const description = readFileSync('docs/openapi.yaml');
  const hash = createHash('sha256')
    .update(description)
    .update(readFileSync(import.meta.filename))
    .digest('hex');
  const mark = `// ${hash}\n`;
  if (existsSync(FILE) && readFileSync(FILE, 'utf8').startsWith(mark)) return;
  const [{ generateSource }, { parse }] = await Promise.all([import('oazapfts'), import('yaml')]);
  const folder = mkdtempSync(join(tmpdir(), 'console-client-'));
  try {
    const used = join(folder, 'openapi.json');
    writeFileSync(used, JSON.stringify(withUsedOperations(parse(description.toString()))));
    const written = `${FILE}.${process.pid}`;
    writeFileSync(written, mark + (await generateSource(used, { argumentStyle: 'object', numericBooleanQueryParameters: false })));
    // Another process that builds or checks never sees half of it.
    renameSync(written, FILE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withUsedOperations(document) {
  const found = new Set();
  const isUsed = ([, { operationId }]) => OPERATIONS.includes(operationId) && found.add(operationId);
  const paths = Object.entries(document.paths).map(([path, item]) => [path, Object.fromEntries(Object.entries(item).filter(isUsed))]);
  const missing = OPERATIONS.filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`docs/openapi.yaml has no operation ${missing.join(', ')}, which the console uses`);
  return { ...document, paths: Object.fromEntries(paths.filter(([, item]) => Object.keys(item).length > 0)) };
}

if (process.argv[1] === import.meta.filename) await writeConsoleClient();
