import process from 'node:process';
import { GitFailed, GitMissing, gitDirectory } from '../git/run-git.ts';
import { refuse, runCommand } from '../options/run-command.ts';
import { readOptions, VERIFY_HELP, type VerifyOptions } from './options.ts';
import type { Row } from './verify-commit.ts';
import { verifyRange } from './verify-range.ts';
import { sumsOf, verifiedText } from './words.ts';

/** The `verify` command. Ends with 0 where everything holds, 1 where anything does not, 2 where it could not begin. */
export function runVerify(argv: readonly string[]): Promise<number> {
  return runCommand(PAGE, readOptions(argv), verify);
}

const PAGE = { name: 'countersign verify', help: VERIFY_HELP };

async function verify(options: VerifyOptions): Promise<number> {
  try {
    const { range, repo, slug, strict } = options;
    const gitDir = await gitDirectory(repo);
    const rows: Row[] = [];
    for await (const row of verifyRange({ gitDir, range, slug, strict })) rows.push(row);
    process.stdout.write(options.json ? verifiedJson(range, rows) : verifiedText(range, rows));
    return rows.some(({ result }) => result === 'mismatch' || result === 'unchecked') ? 1 : 0;
  } catch (error) {
    if (error instanceof GitMissing) return refuse(PAGE.name, error.message);
    if (error instanceof GitFailed) return refuse(PAGE.name, hinted(error.message, options));
    throw error;
  }
}

function verifiedJson(range: string, rows: readonly Row[]): string {
  return `${JSON.stringify({ range, ...sumsOf(rows), changes: rows }, null, 2)}\n`;
}

/** What git says, and what may be done about it. */
function hinted(message: string, { range, repo }: VerifyOptions): string {
  if (/not a git repository/.test(message)) return `${repo} is no git repository. Name one with --repo PATH.`;
  if (/bad revision|unknown revision|ambiguous argument|bad object|Invalid revision range/i.test(message))
    return `This repository has no commits ${range}: ${message}. Is it fetched here?`;
  if (/promisor|not there|protocol|transport/.test(message))
    return `Objects are missing here: ${message}. In a partial clone, run git fetch --refetch --no-filter first.`;
  return `${message}.`;
}
