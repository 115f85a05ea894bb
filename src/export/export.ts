import process from 'node:process';
import { loadDatabase } from '../config/load-config.ts';
import { GitFailed, GitMissing, gitDirectory } from '../git/run-git.ts';
import { refuse, runCommand } from '../options/run-command.ts';
import type { Backend } from '../store/backend.ts';
import { pullKeysOf, readLedger, writesOfCommit } from '../store/ledger.ts';
import { openLedger } from '../store/open-ledger.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import type { Row } from '../verify/verify-commit.ts';
import { verifiedText } from '../verify/words.ts';
import { explainCommits } from './explain-commits.ts';
import { exportedRow } from './exported-row.ts';
import { EXPORT_HELP, type ExportOptions, readOptions } from './options.ts';

/** The `export` command. Ends with 0, 1 where something is not explained or not known, 2 where it could not begin. */
export function runExport(argv: readonly string[]): Promise<number> {
  return runCommand(PAGE, readOptions(argv), onLedger);
}

const PAGE = { name: 'countersign export', help: EXPORT_HELP };

async function onLedger(options: ExportOptions): Promise<number> {
  const place = loadDatabase();
  if (place.kind === 'problems') return refuse(PAGE.name, place.problems.join(' '));
  try {
    // Before the database: a wrong path is told at once.
    const gitDir = options.kind === 'check' ? await gitDirectory(options.repo) : '';
    const backend = await openLedger({ databaseUrl: place.database.url, dataDir: place.database.dataDir });
    try {
      return options.kind === 'check' ? await check(backend, gitDir, options) : await write(backend, options);
    } finally {
      await backend.close();
    }
  } catch (error) {
    if (error instanceof StoreUnusable || error instanceof GitMissing || error instanceof GitFailed)
      return refuse(PAGE.name, error.message);
    throw error;
  }
}

async function write({ db }: Backend, { pull, since }: Extract<ExportOptions, { kind: 'export' }>): Promise<number> {
  const pullKeys = pull === null ? null : await pullKeysOf(db, pull.repository, pull.number);
  if (pull !== null && pullKeys?.length === 0)
    return refuse(PAGE.name, `Nothing is known of ${pull.repository}#${pull.number}.`, 1);
  // A reader that is gone wants no more of it; without a listener it would end the process.
  process.stdout.on('error', () => {});
  await readLedger(db, { pullKeys, since }, (entries) =>
    say(entries.map((entry) => `${JSON.stringify(exportedRow(entry))}\n`).join('')),
  );
  return 0;
}

/** Waits for a reader that is slower than the database; false once nobody reads. */
async function say(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.writable && !stdout.write(text)) {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ['drain', 'close', 'error']) stdout.once(event, () => resolve());
    await promise;
  }
  return stdout.writable;
}

type Check = Extract<ExportOptions, { kind: 'check' }>;

async function check({ db }: Backend, gitDir: string, { range, slug }: Check): Promise<number> {
  const rows: Row[] = [];
  const lookup = (commit: string) => writesOfCommit(db, commit);
  for await (const row of explainCommits({ gitDir, range, slug }, lookup)) rows.push(row);
  process.stdout.write(verifiedText(range, rows));
  return rows.every(({ result }) => result === 'ok' || result === 'copied') ? 0 : 1;
}
