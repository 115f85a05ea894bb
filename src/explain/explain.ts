import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { Self } from '../command/reader.ts';
import { refuse, runCommand } from '../options/run-command.ts';
import { type Account, account } from './account.ts';
import { accountJson } from './account-json.ts';
import { EXPLAIN_HELP, type ExplainOptions, readOptions } from './options.ts';
import { readDelivery } from './read-delivery.ts';
import { type RecordedState, readState } from './read-state.ts';
import type { Reading } from './reading.ts';
import { accountText } from './words.ts';

/** A file that cannot be used; the message is the one line that says why. */
class Unusable extends Error {}

/** GitHub's own limit of a delivery; a state is not longer. */
const MOST_BYTES = 25 * 1024 * 1024;

/** The `explain` command. Ends with 0, or with 2 for options and files that cannot be used. */
export function runExplain(argv: readonly string[]): Promise<number> {
  return runCommand(PAGE, readOptions(argv), explain);
}

const PAGE = { name: 'countersign explain', help: EXPLAIN_HELP };

function explain(options: ExplainOptions): number {
  try {
    const told = accountOf(options);
    process.stdout.write(options.json ? `${JSON.stringify(accountJson(told), null, 2)}\n` : accountText(told));
    return 0;
  } catch (error) {
    if (error instanceof Unusable) return refuse(PAGE.name, error.message);
    throw error;
  }
}

function accountOf(options: ExplainOptions): Account {
  const delivery = read(options.delivery, (text) => readDelivery(text, options.event));
  const state = options.state === null ? null : read(options.state, readState);
  try {
    return account(delivery, selfOf(options, state), state, options.permission);
  } catch (error) {
    if (state === null) throw error;
    throw new Unusable(`${options.state} is not a state that this version wrote: ${wordsOf(error)}`);
  }
}

function selfOf({ slug, botId }: ExplainOptions, state: RecordedState | null): Self {
  const known = state?.facts.self;
  return { slug: slug ?? known?.slug ?? 'countersign', botId: botId ?? known?.botId ?? 0 };
}

function read<Value>(path: string, parse: (text: string) => Reading<Value>): Value {
  const reading = parse(textOf(path));
  if (reading.kind === 'refused') throw new Unusable(`${path} ${reading.problem}.`);
  return reading.value;
}

function textOf(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Unusable(`${path} cannot be read: ${wordsOf(error)}`);
  }
  if (bytes.length > MOST_BYTES) throw new Unusable(`${path} is longer than the 25 MiB of any delivery.`);
  return new TextDecoder().decode(bytes);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
