import { closeSync, openSync, readSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import {
  type OptionsResult,
  optionsProblem,
  parseOptions,
  reportProblem,
  runCommand,
  singleArgument,
} from '../options.ts';
import { type Explanation, explainDelivery } from './explanation.ts';
import { parseDelivery } from './read-delivery.ts';
import { formatExplanation } from './text.ts';

/** The options of `countersign explain`. */
type ExplainOptions = {
  /** Path of the file. */
  readonly delivery: string;
  /** GitHub's event, for a file with a bare payload. */
  readonly event: string | null;
  readonly slug: string | null;
  readonly botId: number | null;
};

const EXPLAIN_HELP = `Usage: countersign explain <delivery.json> [options]

Explains how the App reads a recorded webhook delivery, and which facts it needs for a decision.
Reads one file: no network, no database, no credentials.

  <delivery.json>  {"headers": …, "payload": …}, GitHub's own record of a delivery
                   ({"request": {"headers": …, "payload": …}}), or a bare payload with --event
  --event NAME     GitHub's event of a bare payload, such as issue_comment
  --slug NAME      the App's name on GitHub; default is countersign
  --bot-id NUMBER  the id of the App's bot account, to recognize its own events
  --help           print this text
`;

const EXPLAIN_OPTIONS = {
  event: { type: 'string' },
  slug: { type: 'string' },
  'bot-id': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const DELIVERY_PROBLEMS = {
  missing: 'The file with the delivery is missing.',
  several: 'Only one delivery can be explained at a time.',
};

/** Parses the arguments of `countersign explain`. Never throws. */
export function parseExplainOptions(argv: readonly string[]): OptionsResult<ExplainOptions> {
  const parse = () => parseArgs({ args: [...argv], options: EXPLAIN_OPTIONS, strict: true, allowPositionals: true });
  return parseOptions('countersign explain', parse, ({ values, positionals }) => {
    const delivery = singleArgument(positionals, DELIVERY_PROBLEMS);
    if (delivery.kind === 'problem') return delivery;
    const { event = null, slug = null } = values;
    const id = values['bot-id'];
    if (id !== undefined && !/^\d{1,15}$/.test(id)) return optionsProblem('--bot-id needs a number.');
    const botId = id === undefined ? null : Number(id);
    return { kind: 'options', options: { delivery: delivery.value, event, slug, botId } };
  });
}

/** Runs `countersign explain`. Exit code: 0, or 2 for wrong options and unusable files. */
export function runExplain(argv: readonly string[]): Promise<number> {
  return runCommand(EXPLAIN_COMMAND, parseExplainOptions(argv), explain);
}

const EXPLAIN_COMMAND = { name: 'countersign explain', help: EXPLAIN_HELP };

/** A file that cannot be read or parsed. The message is one line. */
class UnusableFileError extends Error {}

function explain(options: ExplainOptions): number {
  try {
    process.stdout.write(formatExplanation(explainFile(options)));
    return 0;
  } catch (error) {
    if (error instanceof UnusableFileError) return reportProblem(EXPLAIN_COMMAND.name, error.message);
    throw error;
  }
}

function explainFile({ delivery: path, event, slug, botId }: ExplainOptions): Explanation {
  const parsed = parseDelivery(readText(path), event);
  if (parsed.kind === 'refused') throw new UnusableFileError(`${path} ${parsed.problem}.`);
  return explainDelivery(parsed.value, { slug: slug ?? 'countersign', botId: botId ?? 0 });
}

/** GitHub sends payloads of up to 25 MB. */
const MAX_DELIVERY_BYTES = 25 * 1024 * 1024;

function readText(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readStart(path, MAX_DELIVERY_BYTES + 1);
  } catch (error) {
    throw new UnusableFileError(`${path} cannot be read: ${errorMessageOf(error)}`);
  }
  if (bytes.length > MAX_DELIVERY_BYTES)
    throw new UnusableFileError(`${path} exceeds the maximum of 25 MiB for a delivery.`);
  return new TextDecoder().decode(bytes);
}

/** Not more than this many bytes, because a device or a pipe can have no end. */
function readStart(path: string, maxBytes: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    let length = 0;
    for (let count = -1; count !== 0 && length < maxBytes; length += count)
      count = readSync(file, bytes, length, maxBytes - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
