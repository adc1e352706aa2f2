import { Command } from 'commander';
import { KEY_SCOPES } from '../contract/credentials.ts';
import { keyUseState, keyUseText } from '../domain/project/key-use.ts';
import { readPermissions } from '../domain/project/permissions.ts';
import { isObject, parseJson } from '../kernel/json.ts';
import { awaitProjected, type CommonOptions, command, printResult, table, withInstallation } from './context.ts';
import { type SayingOptions, saying } from './remote/message.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint key`: API keys of a project. */
export function keyCommand(): Command {
  return new Command('key')
    .description('create, list, revoke and restrict API keys')
    .addCommand(create())
    .addCommand(list())
    .addCommand(revoke())
    .addCommand(permissions());
}

interface CreateOptions extends SayingOptions {
  readonly type: string;
  readonly label?: string;
  readonly permissions?: string;
}

function create(): Command {
  const made = command(
    'create',
    'make a key; a secret one is shown only here',
    "savepoint key create p1 --label 'dedicated server'",
    'savepoint key create p1 --permissions \'{"endpoints":"x"}\'',
  );
  return saying(made)
    .argument('<projectId>')
    .option('--type <type>', 'public or secret', 'secret')
    .option('--label <text>', 'what it is for')
    .option('--permissions <json>', 'of a secret key, such as \'{"endpoints":"x","collections":"rwx"}\', or null for everything')
    .action(async (projectId: string, options: CreateOptions) => {
      const { type } = options;
      if (type !== 'public' && type !== 'secret') throw new WrongUsage(`--type must be public or secret, not ${type}`);
      const permissions = options.permissions === undefined ? undefined : permissionsOf(options.permissions);
      if (type === 'public' && permissions) throw new WrongUsage('A public key has no permissions: leave --permissions out');
      const made = await withInstallation(options, async (installation) => {
        const label = options.label ?? `${type} key`;
        const { revision, ...key } = await installation.operator.createKey(projectId, type, label, permissions, options);
        await awaitProjected(installation, projectId, revision);
        return { projectId, type, ...key };
      });
      printResult(options, made, () => `key id  ${made.keyId}\nkey     ${made.key}`);
    });
}

function list(): Command {
  return command('list', 'list the keys of a project, secrets masked, with when each was used last', 'savepoint key list p1')
    .argument('<projectId>')
    .action(async (projectId: string, options: CommonOptions) => {
      const { state, known } = await withInstallation(options, async ({ operator, pool }) => {
        const { createKeyUseTable } = await import('../../projections/key-uses.ts');
        const table = createKeyUseTable(pool);
        const [state, uses, since] = await Promise.all([operator.show(projectId), table.of(projectId), table.since()]);
        return { state, known: { since, uses: new Map(uses.map(({ keyId, usedAt }) => [keyId, usedAt])) } };
      });
      const now = Date.now();
      const keys = [...state.keys.values()].map(({ keyId, kind, label, display, enabled, permissions, createdAt }) => {
        const usedAt = known.uses.get(keyId) ?? null;
        return {
          keyId,
          type: kind,
          label,
          key: display,
          enabled,
          permissions,
          createdAt: new Date(createdAt).toISOString(),
          usedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
          use: keyUseState({ createdAt }, usedAt, known.since, now),
        };
      });
      const usedText = ({ usedAt, use }: (typeof keys)[number]) =>
        keyUseText(use, usedAt === null ? null : Date.parse(usedAt), known.since);
      printResult(options, keys, () =>
        table(
          ['ID', 'TYPE', 'LABEL', 'KEY', 'ENABLED', 'LAST USED', 'PERMISSIONS'],
          keys.map((key) => [
            key.keyId,
            key.type,
            key.label,
            key.key,
            String(key.enabled),
            usedText(key),
            key.type === 'public' ? 'what games may do' : key.permissions ? JSON.stringify(key.permissions) : 'everything',
          ]),
        ),
      );
    });
}

function revoke(): Command {
  return saying(command('revoke', 'revoke a key for good; it stops working at once', 'savepoint key revoke p1 key_5cbb4d84b7f4eaf1'))
    .argument('<projectId>')
    .argument('<keyId>')
    .action(async (projectId: string, keyId: string, options: SayingOptions) => {
      await withInstallation(options, async (installation) => {
        const { revision } = await installation.operator.revokeKey(projectId, keyId, options);
        await awaitProjected(installation, projectId, revision);
      });
      printResult(options, { projectId, keyId, revoked: true }, () => `Key ${keyId} is revoked.`);
    });
}

function permissions(): Command {
  const made = command(
    'permissions',
    'set what a secret key may do, or enable and disable a key',
    'savepoint key permissions p1 key_5cbb4d84b7f4eaf1 \'{"endpoints":"x","collections":"r"}\'',
    'savepoint key permissions p1 key_5cbb4d84b7f4eaf1 --add \'{"players":"r"}\'',
    "savepoint key permissions p1 key_5cbb4d84b7f4eaf1 --disable --message 'seen in a public repository' --ticket T-77",
  );
  return saying(made)
    .argument('<projectId>')
    .argument('<keyId>')
    .argument('[permissions]', 'JSON map of scope to letters of rwx, or null for everything; in place of what the key may do')
    .option('--add <permissions>', 'a map that is given beside what the key may do already')
    .option('--enable', 'let the key work again')
    .option('--disable', 'refuse the key until it is enabled')
    .action(
      async (
        projectId: string,
        keyId: string,
        text: string | undefined,
        options: SayingOptions & { enable?: boolean; disable?: boolean; add?: string },
      ) => {
        if (text !== undefined && options.add !== undefined) throw new WrongUsage('Choose one of a permissions map and --add');
        if (options.enable && options.disable) throw new WrongUsage('Choose one of --enable and --disable');
        const enabled = options.enable ? true : options.disable ? false : undefined;
        if (text === undefined && options.add === undefined && enabled === undefined)
          throw new WrongUsage('Give a permissions map, --add, --enable or --disable');
        const change = {
          ...(enabled === undefined ? {} : { enabled }),
          ...(text === undefined ? {} : { permissions: permissionsOf(text) }),
          ...(options.add === undefined ? {} : { added: permissionsOf(options.add) }),
        };
        await withInstallation(options, async (installation) => {
          const { revision } = await installation.operator.changeKey(projectId, keyId, change, options);
          await awaitProjected(installation, projectId, revision);
        });
        printResult(options, { projectId, keyId, ...change }, () => `Key ${keyId} is changed.`);
      },
    );
}

/** Refuses a misspelt permission, which would silently grant nothing. */
function permissionsOf(text: string): Exclude<ReturnType<typeof readPermissions>, undefined> {
  let value: ReturnType<typeof parseJson>;
  try {
    value = parseJson(text);
  } catch {
    throw new WrongUsage('The permissions must be JSON, such as {"endpoints":"x"}');
  }
  const unknown = Object.keys(isObject(value) ? value : {}).find((scope) => !KEY_SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw new WrongUsage(`There is no scope ${unknown}; there are ${KEY_SCOPES.join(', ')}`);
  const read = readPermissions(value);
  if (read === undefined) throw new WrongUsage('The permissions must map scopes to letters of rwx or none');
  return read;
}
