import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the balancer of a cluster listens, and for whom. All on 127.0.0.1. */
export interface Balancing {
  readonly port: number;
  readonly nodes: readonly number[];
  /** For the files it makes while it runs. */
  readonly folder: string;
  /** Whether root starts it, who must then stay root: nobody else may look into the folder. */
  readonly asRoot: boolean;
}

const SERVERS = /(?: *server api-\d+:\d+ [^\n]*\n)+/;
const SERVER = /server api-\d+:\d+ ([^\n]*)/;
/** Distributions put them where only root may write. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The settings of `nginx.conf` beside this file, at these addresses. */
export async function balancerSettings(balancing: Balancing): Promise<string> {
  return settingsFor(await readFile(join(import.meta.dirname, 'nginx.conf'), 'utf8'), balancing);
}

/** Throws when the text has no place for an address. */
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
