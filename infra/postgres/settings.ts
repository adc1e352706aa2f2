import { totalmem } from 'node:os';

const MB = 1024 * 1024;

/**
 * Postgres' own memory for pages of tables, MB: an eighth of the machine's, or of what its container may use. With tables much larger than
 * it, every row that is looked up reads a page and evicts a changed one: a new board over a million documents took a quarter longer with
 * 128 MB than with 1 GB. Postgres takes the memory only as it is used.
 */
export function sharedBuffers(memoryBytes: number): number {
  return Math.min(1024, Math.max(128, Math.floor(memoryBytes / 8 / MB)));
}

/** Without a limit, a container reports 0 or a number beyond all memory. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/**
 * Settings of the embedded Postgres: for a small machine that it shares with the node, durability first. An operator sets other values with
 * `ALTER SYSTEM SET …`, which Postgres reads after this file.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // Durability is what the product promises: an answered commit survives a power cut.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  max_connections: '66',
  shared_buffers: `${sharedBuffers(MEMORY)}MB`,
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  // Compiling a plan costs more than the short statements of a game backend.
  jit: 'off',

  // Copies are made from the log (`savepoint log copy`) or from the folder of a stopped node, never by streaming. So the WAL needs to hold
  // only what crash recovery uses, and the bulk loads of a rebuild skip it.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_compression: 'on',
  max_wal_size: '1536MB',
  min_wal_size: '160MB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',

  autovacuum: 'on',
  autovacuum_naptime: '30s',

  password_encryption: 'scram-sha-256',
  // One file for each weekday, emptied when that day comes again, so that logs never need maintenance.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'warning',
  // The node expects refused appends and duplicate keys, so they are not logged.
  log_min_error_statement: 'fatal',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] %a ',

  timezone: 'UTC',
  log_timezone: 'UTC',
  datestyle: 'iso, mdy',
  default_text_search_config: 'pg_catalog.simple',
};

/** The whole `postgresql.conf`. It is written at each start, so that a cluster always runs with the settings of its release. */
export const CONFIGURATION: string = [
  '# Written by savepoint at each start: changes here are lost. Use ALTER SYSTEM SET for values of your own.',
  ...Object.entries(SETTINGS).map(([name, value]) => `${name} = '${value}'`),
  '',
].join('\n');
