import type { RunningNode } from '../../infra/harness/node.ts';
import { childrenOf, findPostmaster } from '../../infra/load/processes.ts';

/** `node`: Postgres lives on as an orphan. `both`: a power cut. `postgres first`: the node sees its database die, then dies, too. */
export type Death = 'node' | 'both' | 'postgres first';

/** What happens to the log's own server while the node lives on: `kill -9` and a new start, or some seconds of silence. */
export type Outage = 'log server' | 'log server frozen';

export async function kill(node: RunningNode, death: Death): Promise<void> {
  if (death === 'node') return node.kill();
  // The list is made before: nobody may have time to tidy up between two kills.
  const postgres = await postgresProcesses(node.dataFolder);
  if (death === 'postgres first') {
    killAll(postgres);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return node.kill();
  }
  const gone = node.kill();
  killAll(postgres);
  return gone;
}

async function postgresProcesses(dataFolder: string): Promise<readonly number[]> {
  const postmaster = await findPostmaster(dataFolder);
  if (postmaster === null) throw new Error(`no running Postgres below ${dataFolder}`);
  // The postmaster is killed first, or it would start new processes for those that die.
  return [postmaster, ...(await childrenOf(postmaster)).map((child) => child.pid)];
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was already gone.
    }
  }
}
