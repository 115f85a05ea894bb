/**
 * Backs up the database that DATABASE_URL or DATA_DIR names, and restores a backup.
 * Usage: node scripts/backup.ts save|restore FILE
 * The embedded database must not be in use. Of PostgreSQL a backup is taken while the server runs; stop it to restore.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { lockDirectory } from '../src/adapters/store/engine/data-directory.ts';
import { type Environment, loadDatabaseConfig, readEnvironment } from '../src/app/config/env.ts';

type Verb = 'save' | 'restore';

function run(program: string, args: readonly string[], env: Environment = readEnvironment()): void {
  execFileSync(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The address in libpq's variables: other users can read a program's arguments. */
function libpq(address: string): Environment {
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  const [mode, ca] = [searchParams.get('sslmode'), searchParams.get('sslrootcert')];
  return {
    ...readEnvironment(),
    PGHOST: decodeURIComponent(hostname),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    ...(mode === null ? {} : { PGSSLMODE: mode }),
    ...(ca === null ? {} : { PGSSLROOTCERT: ca }),
  };
}

/** A restore replaces what is there, or changes nothing. */
function withPostgres(verb: Verb, file: string, address: string): void {
  const env = libpq(address);
  if (verb === 'save') return void run('pg_dump', ['--format=custom', '--no-owner', '--file', file], env);
  const whole = ['--clean', '--if-exists', '--no-owner', '--single-transaction'];
  run('pg_restore', [...whole, '--dbname', env['PGDATABASE'] ?? '', file], env);
}

/** The lock keeps a server away meanwhile. A restore keeps the former database beside the new one. */
function withDirectory(verb: Verb, file: string, directory: string): void {
  const lock = lockDirectory(directory);
  try {
    if (verb === 'save') return void run('tar', ['-czf', file, '-C', directory, 'database']);
    run('tar', ['-tzf', file, 'database/PG_VERSION']);
    const former = join(directory, 'database');
    if (existsSync(former))
      renameSync(former, `${former}.${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}`);
    run('tar', ['-xzf', file, '-C', directory]);
  } finally {
    lock.release();
  }
}

const [verb, name, ...rest] = process.argv.slice(2);
if ((verb !== 'save' && verb !== 'restore') || name === undefined || rest.length > 0) {
  process.stderr.write('Usage: node scripts/backup.ts save|restore FILE\n');
  process.exit(2);
}
try {
  const file = resolve(name);
  if (verb === 'save' && existsSync(file)) throw new Error(`${file} exists already, and is not replaced.`);
  const config = loadDatabaseConfig();
  if (config.kind === 'problems') throw new Error(config.problems.join(' '));
  const { url, dataDir } = config.database;
  // A backup holds people's code.
  process.umask(0o077);
  if (url !== null) withPostgres(verb, file, url);
  else withDirectory(verb, file, dataDir);
  process.stdout.write(verb === 'save' ? `The backup is ${file}.\n` : 'The backup is restored; start the server.\n');
} catch (error) {
  process.stderr.write(`The ${verb} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
