import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions, runCommand } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';
import { addToCorpus, fuzz, shrink, type Trial } from './fuzz.ts';
import { READERS, type Reader } from './readers.ts';

/** An input of a few kilobytes that takes longer shows a reader that is slower than linear. */
const MAX_MS = 1_000;

const HELP = `Usage: npm run fuzz -- [reader]… [--seconds N] [--seed S]

Gives changed inputs to every function that reads bytes of strangers, and checks the promise of its result.

  reader         one or more of: ${READERS.map(({ name }) => name).join(', ')} (all)
  --seconds N    time for each reader (20)
  --seed S       seed of the changes (1)
  --help         this text

An input that breaks a promise is made small and added to lab/fuzz/corpus, which every test run reads.
Exit codes: 0 if every promise held, 1 if not, 2 if it could not start.
`;

type FuzzOptions = { readonly readers: readonly Reader[]; readonly seconds: number; readonly seed: number };

const OPTIONS = {
  seconds: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readFuzzOptions(argv: readonly string[]): OptionsResult<FuzzOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return parseOptions('npm run fuzz --', parse, ({ values: { seconds, seed }, positionals }) => {
    const invalid = Object.entries({ seconds, seed }).find(([, value]) => !POSITIVE_INTEGER.test(value));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} must be a positive whole number.`);
    const unknown = positionals.find((name) => !READERS.some((reader) => reader.name === name));
    if (unknown !== undefined) return optionsProblem(`There is no reader ${unknown}.`);
    const readers = READERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    return { kind: 'options', options: { readers, seconds: Number(seconds), seed: Number(seed) } };
  });
}

/** Tries inputs until the time is over or one breaks a promise; true if none did. */
async function fuzzReader(reader: Reader, { seconds, seed }: FuzzOptions): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  let slowest: Trial | null = null;
  for await (const trial of fuzz(reader, seed)) {
    count += 1;
    if (trial.problem !== null) return reportBrokenPromise(reader, trial, count);
    if (trial.ms > (slowest?.ms ?? 0)) slowest = trial;
    if (performance.now() > end) break;
  }
  const isSlow = slowest !== null && slowest.ms > MAX_MS;
  const path = isSlow && slowest !== null ? `; too slow, see ${addToCorpus(reader, slowest.input)}` : '';
  printLine(
    `${reader.name.padEnd(16)} ${count} inputs, 0 broken; slowest ${slowest?.ms.toFixed(0)} ms for ${slowest?.input.length} bytes${path}`,
  );
  return !isSlow;
}

async function reportBrokenPromise(reader: Reader, trial: Trial, count: number): Promise<false> {
  const path = addToCorpus(reader, await shrink(reader, trial));
  printLine(`${reader.name.padEnd(16)} BROKEN after ${count} inputs: ${trial.problem}\n${' '.repeat(17)}see ${path}`);
  return false;
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await runCommand(
  { name: 'npm run fuzz', help: HELP },
  readFuzzOptions(process.argv.slice(2)),
  async (options) => {
    let passed = true;
    for (const reader of options.readers) passed = (await fuzzReader(reader, options)) && passed;
    return passed ? 0 : 1;
  },
);
