/** Tries the changes of a repository; see `npm run fidelity -- --help`. */
import process from 'node:process';
import { GitError, GitNotInstalledError } from '../../src/cli/git/run-git.ts';
import { defineCommand, OptionsError, reportProblem, runCommand } from '../../src/cli/options.ts';
import { escapeHiddenAndCr } from '../../src/core/edits/text/unicode.ts';
import { formatNumber, pluralize } from '../../src/lib/format.ts';
import { readChanges } from './changes.ts';
import { tryChange } from './try-change.ts';

type FidelityOptions = { readonly repo: string; readonly range: string };

const COMMAND = defineCommand({
  name: 'npm run fidelity',
  help: `Usage: npm run fidelity -- --repo PATH [--range RANGE]

Makes every file change of a repository's commits as the product does: builds it from a tool's call, shows it, reads
the page back, commits it and undoes it. Compares the bytes with those of the commit.

  --repo PATH    the repository; it is only read
  --range RANGE  a revision range of git log; default is HEAD with all its ancestors
  --help         this text

Exit codes: 0 if all bytes are equal, 1 if any differ, 2 if it could not start.
`,
  options: { repo: { type: 'string' }, range: { type: 'string', default: 'HEAD' } },
  read({ repo, range }): FidelityOptions {
    if (repo === undefined) throw new OptionsError('--repo PATH is missing.');
    return { repo, range };
  },
});

/** Counts of a range. */
type Totals = {
  readonly commits: Set<string>;
  changes: number;
  /** By method and result, such as `write_file: exact`. */
  readonly results: Map<string, number>;
  /** Reasons why changes were not tried or refused. `example` is the commit and path of the first one. */
  readonly refusals: Map<string, { count: number; readonly example: string }>;
  /** A line for each result with other bytes. */
  readonly mismatches: string[];
};

async function measure({ repo, range }: FidelityOptions): Promise<Totals> {
  const totals: Totals = { commits: new Set(), changes: 0, results: new Map(), refusals: new Map(), mismatches: [] };
  for await (const change of readChanges(repo, range)) {
    const { commit, path } = change;
    totals.commits.add(commit);
    totals.changes += 1;
    if ('reason' in change) {
      countRefusal(totals, change.reason, `${commit} ${path}`);
      continue;
    }
    for (const { method, result, reason } of await tryChange(change)) {
      const row = `${method}: ${result}`;
      totals.results.set(row, (totals.results.get(row) ?? 0) + 1);
      if (result === 'refused') countRefusal(totals, normalizeReason(reason, path), `${commit} ${path}`);
      if (result === 'mismatch') totals.mismatches.push(`MISMATCH ${commit} ${path} by ${method}: ${reason}`);
    }
  }
  return totals;
}

function countRefusal({ refusals }: Totals, reason: string, example: string): void {
  const known = refusals.get(reason);
  refusals.set(reason, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
}

/** The first line of a refusal without paths, quotations and numbers, so that equal reasons count as one. */
function normalizeReason(text: string, path: string): string {
  const [line = ''] = text.split('\n');
  const withoutNames = line
    .split(path)
    .join('…')
    .replaceAll(/`[^`]*`|'[^']*'|"[^"]*"/g, '…');
  return withoutNames.replaceAll(/\d[\d,]*/g, 'N').slice(0, 120);
}

/** The report as text, ending with a newline. */
function formatTotals({ commits, changes, results, refusals, mismatches }: Totals): string {
  const lines = [
    `${pluralize(changes, 'file change')} of ${pluralize(commits.size, 'commit')}`,
    ...[...results].toSorted().map(([name, count]) => countLine(count, name)),
    ...[...refusals].map(([reason, { count, example }]) =>
      countLine(count, `not made: ${reason}  (first: ${example})`),
    ),
    ...mismatches,
    mismatches.length === 0 ? 'All bytes equal those of the commits.' : `${pluralize(mismatches.length, 'mismatch')}!`,
  ];
  return `${lines.map(escapeHiddenAndCr).join('\n')}\n`;
}

function countLine(count: number, name: string): string {
  return `  ${formatNumber(count).padStart(7)}  ${name}`;
}

async function runAndReport(options: FidelityOptions): Promise<number> {
  try {
    const totals = await measure(options);
    process.stdout.write(formatTotals(totals));
    return totals.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitError || error instanceof GitNotInstalledError)
      return reportProblem(COMMAND.name, error.message);
    throw error;
  }
}

process.exitCode = await runCommand(COMMAND, process.argv.slice(2), runAndReport);
