import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';

export type SimulationOptions = {
  readonly cases: number;
  /** The seed of the first case. Each further case has the next number. */
  readonly seed: number;
  readonly threads: number;
  readonly mode: SimulationMode;
  /** The file that keeps the progress of a long simulation; null keeps none. */
  readonly checkpoint: string | null;
};

/** `memory` and `pglite` select the store, `trace` prints the events, and `mutants` plays cases with mistakes. */
type SimulationMode = 'memory' | 'pglite' | 'trace' | 'mutants';

export const SIMULATION_HELP = `Usage: npm run simulate -- [--cases N] [--seed S] [--threads T] [--checkpoint FILE] [--pglite | --trace | --mutants]

Plays the App against a simulated GitHub, people, a model and random faults, in virtual time, and checks every promise.

  --cases N          number of cases (1000)
  --seed S           seed of the first case (1); a seed determines everything that happens in its case
  --threads T        cases played at the same time (one per processor); does not change the results
  --checkpoint FILE  keeps the progress in FILE. If the simulation is interrupted, the same command continues it
  --pglite           plays on PGlite instead of the store in memory, about twenty times slower
  --trace            prints the events of each case
  --mutants          replaces parts of the product with known mistakes, one after another, and reports in which
                     case the checks notice each one; N is the limit of cases for each
  --help             this text

Progress and failures go to standard error, the report of all cases to standard output.
Exit codes: 0 if every promise held or every mutant was noticed, 1 if not, 2 if it could not start.
`;

const OPTIONS = {
  cases: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  threads: { type: 'string' },
  checkpoint: { type: 'string' },
  pglite: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const EXPLICIT_MODES = ['pglite', 'trace', 'mutants'] as const;

/** Parses the arguments of `npm run simulate --`. Never throws. */
export function readSimulationOptions(argv: readonly string[]): OptionsResult<SimulationOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run simulate --', parse, ({ values }) => {
    const { cases, seed, threads = String(availableParallelism()), checkpoint = null } = values;
    const invalid = Object.entries({ cases, seed, threads }).find(([, value]) => !POSITIVE_INTEGER.test(value));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} must be a positive whole number.`);
    const [mode = 'memory', second] = EXPLICIT_MODES.filter((name) => values[name]);
    if (second !== undefined) return optionsProblem(`--${mode} and --${second} cannot be combined.`);
    if (checkpoint !== null && (mode === 'trace' || mode === 'mutants'))
      return optionsProblem(`--${mode} and --checkpoint cannot be combined.`);
    return {
      kind: 'options',
      options: { cases: Number(cases), seed: Number(seed), threads: Number(threads), mode, checkpoint },
    };
  });
}
