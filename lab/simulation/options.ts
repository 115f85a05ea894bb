import { availableParallelism } from 'node:os';
import { defineCommand, OptionsError } from '../../src/cli/options.ts';
import { readNumber } from '../shared/positive-integer.ts';

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

const EXPLICIT_MODES = ['pglite', 'mutants'] as const;

/** The arguments of `npm run simulate`. */
export const SIMULATE_COMMAND = defineCommand({
  name: 'npm run simulate',
  help: `Usage: npm run simulate -- [--cases N] [--seed S] [--threads T] [--hostile] [--trace] [--pglite | --mutants]

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
`,
  options: {
    ...{ cases: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
    ...{ threads: { type: 'string' }, hostile: { type: 'boolean', default: false } },
    ...{ pglite: { type: 'boolean' }, trace: { type: 'boolean', default: false }, mutants: { type: 'boolean' } },
  },
  read(values): SimulationOptions {
    const { cases, seed, threads = String(availableParallelism()), hostile, trace } = values;
    const [mode = 'memory', second] = EXPLICIT_MODES.filter((name) => values[name] === true);
    if (second !== undefined) throw new OptionsError(`--${mode} and --${second} cannot be combined.`);
    if (mode === 'mutants' && (hostile || trace))
      throw new OptionsError(`--mutants and --${hostile ? 'hostile' : 'trace'} cannot be combined.`);
    if (mode === 'pglite' && trace) throw new OptionsError('--pglite and --trace cannot be combined.');
    const numbers = { cases: readNumber('cases', cases), seed: readNumber('seed', seed) };
    return { ...numbers, threads: readNumber('threads', threads), mode, hostile, trace };
  },
});
