import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Addresses of a cluster's load balancer and of its nodes. All are on 127.0.0.1. */
export interface Balancing {
  readonly port: number;
  readonly nodes: readonly number[];
  /** Folder for the files that it makes while it runs. */
  readonly folder: string;
  /** Whether root starts it. It then stays root, because no other account may read the folder. */
  readonly asRoot: boolean;
}

const SERVERS = /(?: *server api-\d+:\d+ [^\n]*\n)+/;
const SERVER = /server api-\d+:\d+ ([^\n]*)/;
/** Folders for temporary files. By default, distributions put them where only root may write. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The settings of `nginx.conf` beside this file, with these addresses. */
export async function balancerSettings(balancing: Balancing): Promise<string> {
  return settingsFor(await readFile(join(import.meta.dirname, 'nginx.conf'), 'utf8'), balancing);
}

/** Puts the addresses into the text. Throws when the text lacks the line for one. */
export function settingsFor(text: string, { port, nodes, folder, asRoot }: Balancing): string {
  const options = SERVER.exec(text)?.[1] ?? '';
  const servers = nodes.map((node) => `    server 127.0.0.1:${node} ${options}\n`).join('');
  const paths = TEMPORARY.map((name) => `  ${name}_temp_path "${join(folder, name)}";\n`).join('');
  const main = `${asRoot ? 'user root;\n' : ''}daemon off;\npid "${join(folder, 'nginx.pid')}";\n`;
  const http = replaced(text, /^http \{\n/m, (found) => `${found}${paths}`);
  return (
    main +
    replaced(
      replaced(http, SERVERS, () => servers),
      /listen 8080;/,
      () => `listen 127.0.0.1:${port};`,
    )
  );
}

function replaced(text: string, pattern: RegExp, by: (found: string) => string): string {
  if (!pattern.test(text)) throw new Error(`nginx.conf has no ${pattern.source}`);
  return text.replace(pattern, by);
}
