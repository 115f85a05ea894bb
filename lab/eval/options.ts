import { defineCommand, OptionsError } from '../../src/cli/options.ts';
import type { ModelPrice } from '../../src/core/state/spending.ts';
import { readNumber } from '../shared/positive-integer.ts';

export type EvalOptions = {
  /** Name of a real model; null for the script. */
  readonly model: string | null;
  /** Matches the names of the tasks to play. */
  readonly tasks: string;
  readonly list: boolean;
  /** Tasks played at the same time. */
  readonly jobs: number;
  /** Seconds that a task can take. */
  readonly seconds: number;
  /** Null if they are unknown. */
  readonly prices: ModelPrice | null;
  /** The file for the report as JSON; null for none. */
  readonly json: string | null;
};

export const EVAL_COMMAND = defineCommand({
  name: 'npm run eval',
  help: `Usage: npm run eval -- [--model NAME] [--tasks GLOB] [--jobs N] [--seconds S] [--prices I,C,O] [--json FILE]
       npm run eval -- --list [--tasks GLOB]

Gives a model small tasks on pull requests of a fake GitHub, plays the reviewers, and grades what was committed.

  --model NAME    a real model at the endpoint of OPENAI_BASE_URL, with OPENAI_API_KEY, OPENAI_API and the MODEL_ settings
                  (default: a script that solves every task, and nothing leaves this machine)
  --tasks GLOB    only the tasks with these names, such as 'rename-*'
  --list          list the tasks, and play none
  --jobs N        tasks played at the same time (2)
  --seconds S     time for each task (900)
  --prices I,C,O  dollars per million tokens of input, cached input and output; without them the cost is unknown
  --json FILE     also write the report to FILE as JSON
  --help          this text

A real model sees only the repositories of the tasks. What it wrote runs on this machine when tests run: in a directory
of its own, without network, environment, processes or files outside. Node's permissions hold it back from accidents;
they are no sandbox for a hostile program.

Progress goes to standard error, the report to standard output.
Exit codes: 0 if every task is solved, 1 if not, 2 if it could not start or the model cannot be used, 130 after an
interrupt, with a report of the finished tasks.
`,
  options: {
    ...{ model: { type: 'string' }, tasks: { type: 'string', default: '*' } },
    ...{ list: { type: 'boolean', default: false }, jobs: { type: 'string', default: '2' } },
    ...{ seconds: { type: 'string', default: '900' }, prices: { type: 'string' }, json: { type: 'string' } },
  },
  read({ model = null, tasks, list, jobs, seconds, prices, json = null }): EvalOptions {
    const numbers = { jobs: readNumber('jobs', jobs), seconds: readNumber('seconds', seconds) };
    return { ...numbers, model, tasks, list, prices: prices === undefined ? null : readPrices(prices), json };
  },
});

function readPrices(written: string): ModelPrice {
  const parts = written.split(',').map((part) => part.trim());
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,6}(?:\.\d{1,6})?$/.test(part)))
    throw new OptionsError('--prices must be three numbers, such as 2.5,0.25,10.');
  const [input = 0, cachedInput = 0, output = 0] = parts.map(Number);
  return { input, cachedInput, output };
}
