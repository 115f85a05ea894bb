import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { findWrongNumber } from '../shared/positive-integer.ts';

export type SimulationOptions = {
  readonly cases: number;
  /** The seed of the first case. Each further case has the next number. */
  readonly seed: number;
  readonly threads: number;
  readonly mode: SimulationMode;
  /** A hostile model and injected texts of strangers play instead of the ordinary model. */
  readonly hostile: boolean;
  /** Prints the events of each case. */
  readonly trace: boolean;
};

/** `memory` and `pglite` select the store, and `mutants` plays cases with mistakes. */
type SimulationMode = 'memory' | 'pglite' | 'mutants';

export const SIMULATION_HELP = `Usage: npm run simulate -- [--cases N] [--seed S] [--threads T] [--hostile] [--trace] [--pglite | --mutants]

Plays the App against a simulated GitHub, people, a model and random faults, in virtual time, and checks every promise.

  --cases N    number of cases (1000)
  --seed S     seed of the first case (1); a seed determines everything that happens in its case
  --threads T  cases played at the same time (one per processor); does not change the results
  --hostile    plays a model that tries everything, and texts of strangers that pose as approvals
  --trace      prints the events of each case
  --pglite     plays on PGlite instead of the store in memory, about twenty times slower
  --mutants    replaces parts of the product with known mistakes, one after another, and reports in which
               case the checks notice each one; N is the limit of cases for each
  --help       this text

Progress and failures go to standard error, the report of all cases to standard output.
Exit codes: 0 if every promise held or every mutant was noticed, 1 if not, 2 if it could not start.
`;

const OPTIONS = {
  cases: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  threads: { type: 'string' },
  hostile: { type: 'boolean', default: false },
  pglite: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const EXPLICIT_MODES = ['pglite', 'mutants'] as const;

/** Parses the arguments of `npm run simulate --`. Never throws. */
export function readSimulationOptions(argv: readonly string[]): OptionsResult<SimulationOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run simulate --', parse, ({ values }) => {
    const { cases, seed, threads = String(availableParallelism()), hostile, trace } = values;
    const wrong = findWrongNumber({ cases, seed, threads });
    if (wrong !== null) return wrong;
    const [mode = 'memory', second] = EXPLICIT_MODES.filter((name) => values[name]);
    if (second !== undefined) return optionsProblem(`--${mode} and --${second} cannot be combined.`);
    if (mode === 'mutants' && (hostile || trace))
      return optionsProblem(`--mutants and --${hostile ? 'hostile' : 'trace'} cannot be combined.`);
    if (mode === 'pglite' && trace) return optionsProblem('--pglite and --trace cannot be combined.');
    return {
      kind: 'options',
      options: { cases: Number(cases), seed: Number(seed), threads: Number(threads), mode, hostile, trace },
    };
  });
}
