import { once } from 'node:events';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { DatabaseError } from '../../adapters/store/engine/errors.ts';
import type { Backend } from '../../adapters/store/engine/schema.ts';
import { findPullRequestKeys, readAnswers, readLedger } from '../../adapters/store/ledger.ts';
import { openLedger } from '../../adapters/store/open.ts';
import { loadDatabaseConfig } from '../../app/config/env.ts';
import { escapeHiddenInJson } from '../../core/edits/text/unicode.ts';
import {
  type OptionsResult,
  optionsProblem,
  parseOptions,
  reportProblem,
  runCommand,
  type ValidatedOptions,
} from '../options.ts';
import { EXPORTED_FIELDS, type ExportedRow, toExportedAnswer, toExportedRow } from './exported-row.ts';

/** The options of `countersign export`; `since` is ms since the epoch. */
type ExportOptions = {
  readonly pull: { readonly repository: string; readonly number: number } | null;
  readonly since: number | null;
  readonly format: 'json' | 'csv';
};

const EXPORT_COMMAND = {
  name: 'countersign export',
  help: `Usage: countersign export [--pr OWNER/REPO#N] [--since TIME] [--csv]

Writes out the ledger, oldest first: one JSON object per line for each proposal, with its votes and commits,
then one for each answer to a question of the agent.
Reads the database that DATABASE_URL or DATA_DIR names.

  --pr OWNER/REPO#N  only proposals of this pull request
  --since TIME       decided, or else proposed, since this time, such as 2030-01-31 or 2030-01-31T12:00:00Z
  --csv              a table with the same fields; lists and objects are JSON in their cells
  --help             print this text

Exit code: 0 on success, 1 if the pull request is unknown, 2 if the command could not begin.
`,
};

const EXPORT_OPTIONS = {
  pr: { type: 'string' },
  since: { type: 'string' },
  csv: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const PULL_NAME = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/;

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Parses the arguments of `countersign export`. Never throws. */
export function parseExportOptions(argv: readonly string[]): OptionsResult<ExportOptions> {
  const parse = () => parseArgs({ args: [...argv], options: EXPORT_OPTIONS, strict: true, allowPositionals: false });
  return parseOptions(
    'countersign export',
    parse,
    ({ values: { pr, since, csv } }): ValidatedOptions<ExportOptions> => {
      const [, repository, number] = PULL_NAME.exec(pr ?? '') ?? [];
      if (pr !== undefined && repository === undefined) return optionsProblem('--pr needs a name such as acme/shop#7.');
      const time = since === undefined ? null : ISO_TIME.test(since) ? Date.parse(since) : Number.NaN;
      if (Number.isNaN(time)) return optionsProblem('--since needs a time such as 2030-01-31T12:00:00Z.');
      const pull = repository === undefined ? null : { repository, number: Number(number) };
      return { kind: 'options', options: { pull, since: time, format: csv === true ? 'csv' : 'json' } };
    },
  );
}

/** Runs `countersign export`. Exit code: 0, 1 (unknown pull request), or 2 (could not begin). */
export function runExport(argv: readonly string[]): Promise<number> {
  return runCommand(EXPORT_COMMAND, parseExportOptions(argv), exportLedger);
}

async function exportLedger(options: ExportOptions): Promise<number> {
  const loaded = loadDatabaseConfig();
  if (loaded.kind === 'problems') return reportProblem(EXPORT_COMMAND.name, loaded.problems.join(' '));
  try {
    const backend = await openLedger({ databaseUrl: loaded.database.url, dataDir: loaded.database.dataDir });
    return await writeLedger(backend, options).finally(() => backend.close());
  } catch (error) {
    if (error instanceof DatabaseError) return reportProblem(EXPORT_COMMAND.name, error.message);
    throw error;
  }
}

async function writeLedger({ db }: Backend, { pull, since, format }: ExportOptions): Promise<number> {
  const pullKeys = pull === null ? null : await findPullRequestKeys(db, pull.repository, pull.number);
  if (pull !== null && pullKeys?.length === 0)
    return reportProblem(EXPORT_COMMAND.name, `The ledger has no pull request ${pull.repository}#${pull.number}.`, 1);
  // Without a listener, a closed pipe would crash the process.
  process.stdout.on('error', () => {});
  const toText = format === 'csv' ? toCsv : toJsonLine;
  const write = (rows: readonly ExportedRow[]) => writeToStdout(rows.map(toText).join(''));
  const filter = { pullKeys, since };
  if (format === 'csv') await writeToStdout(CSV_HEADER);
  await readLedger(db, filter, (entries) => write(entries.map(toExportedRow)));
  if (process.stdout.writable) await readAnswers(db, filter, (answers) => write(answers.map(toExportedAnswer)));
  return 0;
}

function toJsonLine(row: ExportedRow): string {
  return `${escapeHiddenInJson(JSON.stringify(row))}\n`;
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

const CSV_HEADER = `${EXPORTED_FIELDS.join(',')}\r\n`;

/** A row as RFC 4180 writes it. Lists and objects are JSON, and so are texts that a spreadsheet would compute. */
function toCsv(row: ExportedRow): string {
  return `${EXPORTED_FIELDS.map((field) => toCell(row[field])).join(',')}\r\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

function toCell(value: ExportedRow[keyof ExportedRow]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const json = escapeHiddenInJson(JSON.stringify(value));
  const text = typeof value === 'string' && json === `"${value}"` && !FORMULA.test(value) ? value : json;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
