import process from 'node:process';
import { parseArgs } from 'node:util';
import type { PendingDecision } from '../../adapters/store/list-pending.ts';
import { pluralize } from '../../lib/format.ts';
import { formatAge, inOneLine, printJson, withDatabase } from '../ask.ts';
import { type OptionsResult, optionsProblem, parseOptions, runCommand } from '../options.ts';
import { formatTable } from '../table.ts';

type PendingOptions = { readonly repository: string | null; readonly json: boolean };

const PENDING_COMMAND = {
  name: 'countersign pending',
  help: `Usage: countersign pending [--repo OWNER/NAME] [--json]

Lists the changes and questions that wait for people, the oldest first, over all repositories.
Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --repo OWNER/NAME  only this repository
  --json             for programs
  --help             print this text

Exit code: 0 on success, 2 if the command could not begin.
`,
};

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

/** Parses the arguments of `countersign pending`. Never throws. */
export function parsePendingOptions(argv: readonly string[]): OptionsResult<PendingOptions> {
  const options = {
    repo: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const parse = () => parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
  return parseOptions(PENDING_COMMAND.name, parse, ({ values: { repo, json } }) => {
    if (repo !== undefined && !REPOSITORY.test(repo)) return optionsProblem('--repo needs a name such as acme/shop.');
    return { kind: 'options', options: { repository: repo ?? null, json: json === true } };
  });
}

/** Runs `countersign pending`. Exit code: 0, or 2 (could not begin). */
export function runPending(argv: readonly string[]): Promise<number> {
  return runCommand(PENDING_COMMAND, parsePendingOptions(argv), ({ repository, json }) =>
    withDatabase(PENDING_COMMAND.name, async (ask) => {
      const pending = await ask('pending', { repository });
      if (json) printJson(pending);
      else process.stdout.write(formatPending(pending, Date.now()));
      return 0;
    }),
  );
}

const HEADINGS = ['pull request', 'id', 'age', 'asked by', 'missing', 'what', 'link'];

/** A table with one row per change and question, and a line with their number. */
export function formatPending(pending: readonly PendingDecision[], now: number): string {
  if (pending.length === 0) return 'Nothing waits for people.\n';
  const rows = pending.map((one) => [
    ...[one.pullRequest, one.id, formatAge(now - Date.parse(one.since)), one.askedBy ?? '–'],
    ...[missingText(one), inOneLine(one.what, 60), one.url],
  ]);
  return `${formatTable([HEADINGS, ...rows])}\n${pluralize(pending.length, 'decision')} waiting.\n`;
}

/** Whose approvals are missing, as far as the page says: `1 of 2, maintain`. */
function missingText({ approvals }: PendingDecision): string {
  if (approvals === null) return 'an answer';
  const { required, by, from } = approvals;
  const missing = Math.max(1, required - by.length);
  const approved = by.length === 0 ? '' : ` (approved by ${by.join(', ')})`;
  return `${missing} of ${required}, ${from}${approved}`;
}
