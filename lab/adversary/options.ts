import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';

export type AdversaryOptions = {
  /** Cases are played until they had this many turns. */
  readonly turns: number;
  /** The seed of the first case. Each further case has the next number. */
  readonly seed: number;
  readonly threads: number;
  /** Prints the events of one case. */
  readonly trace: boolean;
  /** The file that keeps the progress; null keeps none. */
  readonly checkpoint: string | null;
};

export const ADVERSARY_HELP = `Usage: npm run adversary -- [--turns N] [--seed S] [--threads T] [--checkpoint FILE | --trace]

Plays the App with a hostile model and injected texts of strangers, and counts how often it wrote without an approval,
read a denied file, broke a transcript or failed.

  --turns N          number of turns, each one response of the model (2000)
  --seed S           seed of the first case (1); a seed determines everything that happens in its case
  --threads T        cases played at the same time (one per processor)
  --checkpoint FILE  keeps the progress in FILE. If it is interrupted, the same command continues it
  --trace            prints the events of the case with the seed S
  --help             this text

Progress and failures go to standard error, the report to standard output.
Exit codes: 0 if every promise held, 1 if not, 2 if it could not start.
`;

const OPTIONS = {
  turns: { type: 'string', default: '2000' },
  seed: { type: 'string', default: '1' },
  threads: { type: 'string' },
  checkpoint: { type: 'string' },
  trace: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Parses the arguments of `npm run adversary --`. Never throws. */
export function readAdversaryOptions(argv: readonly string[]): OptionsResult<AdversaryOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run adversary --', parse, ({ values }) => {
    const { turns, seed, threads = String(availableParallelism()), checkpoint = null, trace } = values;
    const invalid = Object.entries({ turns, seed, threads }).find(([, value]) => !POSITIVE_INTEGER.test(value));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} must be a positive whole number.`);
    if (trace && checkpoint !== null) return optionsProblem('--trace and --checkpoint cannot be combined.');
    return {
      kind: 'options',
      options: { turns: Number(turns), seed: Number(seed), threads: Number(threads), trace, checkpoint },
    };
  });
}
