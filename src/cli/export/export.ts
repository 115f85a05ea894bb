import { once } from 'node:events';
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Backend } from '../../adapters/store/engine/backend.ts';
import { DatabaseError } from '../../adapters/store/engine/errors.ts';
import { findCommittedChanges, findPullRequestKeys, readAnswers, readLedger } from '../../adapters/store/ledger.ts';
import { checkLedgerChain, type LedgerChainReport } from '../../adapters/store/ledger-chain.ts';
import { openLedger } from '../../adapters/store/open.ts';
import { loadDatabaseConfig } from '../../app/config/env.ts';
import { escapeHiddenAndCr, escapeHiddenInJson } from '../../core/edits/text/unicode.ts';
import { pluralize } from '../../lib/format.ts';
import { GitError, GitNotInstalledError, gitDirectory } from '../git/run-git.ts';
import {
  type OptionsResult,
  optionsProblem,
  parseOptions,
  reportProblem,
  runCommand,
  type ValidatedOptions,
} from '../options.ts';
import type { VerifiedChange } from '../verify/check-commit.ts';
import { formatVerification } from '../verify/text.ts';
import { DEFAULT_HOST, isHostName, withHint } from '../verify/verify.ts';
import { checkCommitsAgainstLedger } from './check-against-ledger.ts';
import { type ExportedRow, toExportedAnswer, toExportedRow } from './exported-row.ts';

/** A pull request's name, such as `acme/shop#7`. */
type PullName = { readonly repository: string; readonly number: number };

/** The options of `countersign export`; `since` is ms since the epoch. */
type ExportOptions =
  | { readonly kind: 'export'; readonly pull: PullName | null; readonly since: number | null }
  | {
      readonly kind: 'check';
      readonly repo: string;
      readonly range: string;
      readonly slug: string | null;
      readonly host: string;
      /** Limits the last hash (ms since the epoch); null is now. */
      readonly until: number | null;
    };

const EXPORT_HELP = `Usage: countersign export [--pr OWNER/REPO#N] [--since TIME]
       countersign export --check --repo PATH [--range RANGE] [--slug NAME] [--host NAME]
                           [--until TIME]

Writes out the ledger, oldest first: one JSON object per line for each proposal, with its votes and commits,
then one for each answer to a question of the agent.
Reads the database that DATABASE_URL or DATA_DIR names.

  --pr OWNER/REPO#N  only proposals of this pull request
  --since TIME       decided, or else proposed, since this time, such as 2030-01-31 or 2030-01-31T12:00:00Z

With --check, the command compares a local clone with the ledger instead. Each commit of the App must hold exactly
the changes that its trailers name, and the ledger must have them with the same digests and approvers. Copies by
others are listed and are not failures. No row of the ledger may have been changed, added past its chain, or removed.
The last line has a hash of the whole ledger: keep it elsewhere, and compare it later with --until.

  --repo PATH        the repository; default is the current directory
  --range RANGE      commits in the syntax of git log; default is HEAD
  --slug NAME        the App's name on GitHub: commits of other Apps count as copies, and
                     commits of this App without trailers are failures
  --host NAME        the host of the GitHub server; default is github.com
  --until TIME       print the hash of the ledger as it was at this time, such as the time of an earlier check
  --help             print this text

Exit code: 0 on success, 1 if a commit is not explained, the ledger does not fit its chain or the pull request is
unknown, 2 if the command could not begin.
`;

const EXPORT_OPTIONS = {
  pr: { type: 'string' },
  since: { type: 'string' },
  check: { type: 'boolean' },
  repo: { type: 'string' },
  range: { type: 'string' },
  slug: { type: 'string' },
  host: { type: 'string' },
  until: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionValues = Partial<Record<Exclude<keyof typeof EXPORT_OPTIONS, 'check' | 'help'>, string>>;

const EXPORT_ONLY = ['pr', 'since'] as const;

const CHECK_ONLY = ['repo', 'range', 'slug', 'host', 'until'] as const;

/** Parses the arguments of `countersign export`. Never throws. */
export function parseExportOptions(argv: readonly string[]): OptionsResult<ExportOptions> {
  const parse = () => parseArgs({ args: [...argv], options: EXPORT_OPTIONS, strict: true, allowPositionals: false });
  return parseOptions(
    'countersign export',
    parse,
    ({ values: { check = false, help: _, ...values } }): ValidatedOptions<ExportOptions> => {
      const misplaced = (check ? EXPORT_ONLY : CHECK_ONLY).find((name) => values[name] !== undefined);
      if (misplaced !== undefined)
        return optionsProblem(`--${misplaced} works only ${check ? 'without' : 'with'} --check.`);
      return check ? parseCheck(values) : parseExport(values);
    },
  );
}

function parseCheck({
  repo = '.',
  range = 'HEAD',
  slug,
  host = DEFAULT_HOST,
  until,
}: OptionValues): ValidatedOptions<ExportOptions> {
  if (!isHostName(host)) return optionsProblem('--host needs the name of a host, such as github.com.');
  const untilTime = until === undefined ? null : parseTime(until);
  if (Number.isNaN(untilTime)) return optionsProblem('--until needs a time such as 2030-01-31T12:00:00.000Z.');
  return { kind: 'options', options: { kind: 'check', repo, range, slug: slug ?? null, host, until: untilTime } };
}

const PULL_NAME = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/;

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function parseExport({ pr, since }: OptionValues): ValidatedOptions<ExportOptions> {
  const [, repository, number] = PULL_NAME.exec(pr ?? '') ?? [];
  if (pr !== undefined && repository === undefined) return optionsProblem('--pr needs a name such as acme/shop#7.');
  const time = since === undefined ? null : parseTime(since);
  if (Number.isNaN(time)) return optionsProblem('--since needs a time such as 2030-01-31T12:00:00Z.');
  const pull = repository === undefined ? null : { repository, number: Number(number) };
  return { kind: 'options', options: { kind: 'export', pull, since: time } };
}

/** Ms since the epoch; NaN for a text that is no time. */
function parseTime(text: string): number {
  return ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
}

/** Runs `countersign export`. Exit code: 0, 1 (unexplained commit, unknown pull request), or 2 (could not begin). */
export function runExport(argv: readonly string[]): Promise<number> {
  return runCommand(EXPORT_COMMAND, parseExportOptions(argv), runOnLedger);
}

const EXPORT_COMMAND = { name: 'countersign export', help: EXPORT_HELP };

async function runOnLedger(options: ExportOptions): Promise<number> {
  const database = loadDatabaseConfig();
  if (database.kind === 'problems') return reportProblem(EXPORT_COMMAND.name, database.problems.join(' '));
  try {
    // This comes before the database, so that a wrong path fails fast.
    const gitDir = options.kind === 'check' ? await gitDirectory(options.repo) : '';
    const backend = await openLedger({ databaseUrl: database.database.url, dataDir: database.database.dataDir });
    try {
      return options.kind === 'check'
        ? await checkRange(backend, gitDir, options)
        : await writeLedger(backend, options);
    } finally {
      await backend.close();
    }
  } catch (error) {
    if (error instanceof GitError && options.kind === 'check')
      return reportProblem(EXPORT_COMMAND.name, withHint(error.message, options));
    if (error instanceof DatabaseError || error instanceof GitNotInstalledError)
      return reportProblem(EXPORT_COMMAND.name, error.message);
    throw error;
  }
}

async function writeLedger(
  { db }: Backend,
  { pull, since }: Extract<ExportOptions, { kind: 'export' }>,
): Promise<number> {
  const pullKeys = pull === null ? null : await findPullRequestKeys(db, pull.repository, pull.number);
  if (pull !== null && pullKeys?.length === 0)
    return reportProblem(EXPORT_COMMAND.name, `The ledger has no pull request ${pull.repository}#${pull.number}.`, 1);
  // Without a listener, a closed pipe would crash the process.
  process.stdout.on('error', () => {});
  const filter = { pullKeys, since };
  await readLedger(db, filter, (entries) => writeRows(entries.map(toExportedRow)));
  if (process.stdout.writable) await readAnswers(db, filter, (answers) => writeRows(answers.map(toExportedAnswer)));
  return 0;
}

function writeRows(rows: readonly ExportedRow[]): Promise<boolean> {
  return writeToStdout(rows.map((row) => `${escapeHiddenInJson(JSON.stringify(row))}\n`).join(''));
}

/** Waits for a slow reader; false if the output is closed. */
async function writeToStdout(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.writable && !stdout.write(text)) {
    const settled = new AbortController();
    const wait = (event: string): Promise<unknown> => once(stdout, event, { signal: settled.signal }).catch(() => {});
    await Promise.race(['drain', 'close', 'error'].map(wait)).finally(() => settled.abort());
  }
  return stdout.writable;
}

const LEDGER_PROOF =
  'ok proves that a commit holds exactly what its digests name, and that the ledger has an approval of it by each person.';

type CheckOptions = Extract<ExportOptions, { kind: 'check' }>;

async function checkRange(
  { db }: Backend,
  gitDir: string,
  { range, slug, host, until }: CheckOptions,
): Promise<number> {
  const rows: VerifiedChange[] = [];
  const lookup = (commit: string) => findCommittedChanges(db, commit);
  for await (const row of checkCommitsAgainstLedger({ gitDir, range, slug, host }, lookup)) rows.push(row);
  const chain = await checkLedgerChain(db, until);
  process.stdout.write(`${formatVerification(range, rows, LEDGER_PROOF)}${formatChain(chain)}`);
  const areExplained = rows.every(({ result }) => result === 'ok' || result === 'copied');
  return areExplained && chain.problems.length === 0 ? 0 : 1;
}

/** The problems, one a line, or the last hash. Ends with a newline. */
function formatChain({ problems, rowCount, pullCount, until, hash }: LedgerChainReport): string {
  if (problems.length > 0)
    return problems.map((problem) => `LEDGER MISMATCH: ${escapeHiddenAndCr(problem)}\n`).join('');
  const rows = `${pluralize(rowCount, 'row')} of ${pluralize(pullCount, 'pull request')}`;
  return `Ledger: ${rows}, none changed or removed up to ${new Date(until).toISOString()}, sha256:${hash}\n`;
}
