import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';

export type SimulationOptions = {
  readonly cases: number;
  /** The seed of the first case. Each further case has the next number. */
  readonly seed: number;
  readonly threads: number;
  readonly mode: SimulationMode;
};

/** `memory` and `pglite` select the store, `trace` prints the events, and `mutants` plays cases with mistakes. */
type SimulationMode = 'memory' | 'pglite' | 'trace' | 'mutants';

export const SIMULATION_HELP = `Usage: npm run simulate -- [--cases N] [--seed S] [--threads T] [--pglite | --trace | --mutants]

Plays the App against a simulated GitHub, people, model and misfortune in virtual time, and checks what must
always hold.

  --cases N    how many cases (1000)
  --seed S     the first case's seed (1), which settles everything that happens in it
  --threads T  how many play at once; default is all processors. Each case is played by one of them, and is the same
               whoever plays it
  --pglite     on PGlite instead of the store in memory: some twenty times slower
  --trace      tells the story of each case
  --mutants    puts known mistakes in the product's place, one after the other, and says which are noticed
               within N cases
  --help       this text

How far it is, and what breaks, is told on standard error meanwhile; the report of all cases is on standard output.
Ends with 0 where every promise held and every mutant was noticed, 1 where not, 2 where it could not begin.
`;

const OPTIONS = {
  cases: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  threads: { type: 'string' },
  pglite: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const POSITIVE_INTEGER = /^[1-9]\d{0,14}$/;

const EXPLICIT_MODES = ['pglite', 'trace', 'mutants'] as const;

/** Parses the arguments of `npm run simulate --`. Never throws. */
export function readSimulationOptions(argv: readonly string[]): OptionsResult<SimulationOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run simulate --', parse, ({ values }) => {
    const { cases, seed, threads = String(availableParallelism()) } = values;
    const invalid = Object.entries({ cases, seed, threads }).find(([, value]) => !POSITIVE_INTEGER.test(value));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} needs a number from 1 on.`);
    const [mode = 'memory', second] = EXPLICIT_MODES.filter((name) => values[name]);
    if (second !== undefined) return optionsProblem(`--${mode} and --${second} do not go together.`);
    return {
      kind: 'options',
      options: { cases: Number(cases), seed: Number(seed), threads: Number(threads), mode },
    };
  });
}
