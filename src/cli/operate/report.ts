import process from 'node:process';
import { REPORT_GROUPS, type ReportRow } from '../../adapters/store/report.ts';
import { printJson, withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, parseTime, runCommand } from '../options.ts';
import { formatTable } from '../table.ts';

const FORMATS = ['table', 'md', 'json', 'csv'] as const;

const REPORT_COMMAND = defineCommand({
  name: 'countersign report',
  help: `Usage: countersign report [--since TIME] [--until TIME] [--by repo|person|model] [--format table|md|json|csv]

Counts tasks, changes that were accepted (and how many of them with people's own lines), denied, or answered with other
instructions, and what the runs cost. Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --since TIME   begun or decided since this time, such as 2030-01-31 or 2030-01-31T12:00:00Z
  --until TIME   begun or decided before this time
  --by GROUP     a row for each repo (the default), person who gave tasks, or model
  --format FORM  table (the default), md, json or csv
  --help         print this text

Exit code: 0 on success, 2 if the command could not begin.
`,
  options: {
    ...{ since: { type: 'string' }, until: { type: 'string' } },
    ...{ by: { type: 'string', default: 'repo' }, format: { type: 'string', default: 'table' } },
  },
  read(values) {
    const by = REPORT_GROUPS.find((group) => group === values.by);
    if (by === undefined) throw new OptionsError('--by is repo, person or model.');
    const format = FORMATS.find((known) => known === values.format);
    if (format === undefined) throw new OptionsError('--format is table, md, json or csv.');
    return { since: parseTime('--since', values.since), until: parseTime('--until', values.until), by, format };
  },
});

/** Runs `countersign report`. Exit code: 0, or 2 (could not begin). */
export function runReport(argv: readonly string[]): Promise<number> {
  return runCommand(REPORT_COMMAND, argv, ({ format, ...input }) =>
    withDatabase(REPORT_COMMAND.name, async (ask) => {
      const rows = await ask('report', input);
      if (format === 'json') printJson(rows.map((row) => ({ ...row, costPerAccepted: costPerAccepted(row) })));
      else process.stdout.write(WRITERS[format]([[input.by, ...HEADINGS], ...rows.map(toCells)]));
      return 0;
    }),
  );
}

type Cells = readonly (readonly string[])[];

const WRITERS = {
  table: formatTable,
  md: toMarkdown,
  csv: (rows: Cells) => rows.map((row) => `${row.map(toCsvCell).join(',')}\r\n`).join(''),
} as const;

const HEADINGS = ['tasks', 'accepted', 'changed', 'denied', 'instructed', 'cost', 'cost per accepted'];

function toCells(row: ReportRow): readonly string[] {
  const { name, tasks, accepted, changed, denied, instructed, costUsd } = row;
  const counts = [tasks, accepted, changed, denied, instructed].map(String);
  return [name, ...counts, toDollars(costUsd), toDollars(costPerAccepted(row))];
}

function costPerAccepted({ costUsd, accepted }: ReportRow): number | null {
  return costUsd === null || accepted === 0 ? null : costUsd / accepted;
}

function toDollars(amount: number | null): string {
  return amount === null ? '-' : amount.toFixed(4);
}

function toMarkdown([first = [], ...rows]: Cells): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(first), line(first.map(() => '---')), ...rows.map(line)].join('');
}

/** The cells are names of GitHub, numbers, and names of models. */
function toCsvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
