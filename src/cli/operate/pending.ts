import process from 'node:process';
import type { PendingDecision } from '../../adapters/store/list-pending.ts';
import { pluralize } from '../../lib/format.ts';
import { formatAge, inOneLine, printJson, withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, runCommand } from '../options.ts';
import { formatTable } from '../table.ts';

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

const PENDING_COMMAND = defineCommand({
  name: 'countersign pending',
  help: `Usage: countersign pending [--repo OWNER/NAME] [--json]

Lists the changes and questions that wait for people, the oldest first, over all repositories.
Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --repo OWNER/NAME  only this repository
  --json             for programs
  --help             print this text

Exit code: 0 on success, 2 if the command could not begin.
`,
  options: { repo: { type: 'string' }, json: { type: 'boolean' } },
  read({ repo, json = false }) {
    if (repo !== undefined && !REPOSITORY.test(repo)) throw new OptionsError('--repo needs a name such as acme/shop.');
    return { repository: repo ?? null, json };
  },
});

/** Runs `countersign pending`. Exit code: 0, or 2 (could not begin). */
export function runPending(argv: readonly string[]): Promise<number> {
  return runCommand(PENDING_COMMAND, argv, ({ repository, json }) =>
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
function formatPending(pending: readonly PendingDecision[], now: number): string {
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
