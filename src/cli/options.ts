import process from 'node:process';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { escapeHiddenAndCr } from '../core/edits/text/characters.ts';

type ArgumentsOf<Declared extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Declared; strict: true; allowPositionals: true }>
>;

/** A command as people type it, such as `countersign verify`. */
type Command<Declared extends ParseArgsOptionsConfig, Options> = {
  readonly name: string;
  /** Ends with a newline. */
  readonly help: string;
  /** As Node's `parseArgs` takes them, without `--help`. */
  readonly options: Declared;
  readonly takesArguments?: true;
  /** Reads the options out of what was written; throws an `OptionsError` for a wrong one. */
  readonly read: (values: ArgumentsOf<Declared>['values'], positionals: readonly string[]) => Options;
};

/** Declares a command. */
export function defineCommand<const Declared extends ParseArgsOptionsConfig, Options>(
  command: Command<Declared, Options>,
): Command<Declared, Options> {
  return command;
}

/** An option is wrong. The message is one sentence. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** The options of a command, unless it was called for its help or wrongly. */
type OptionsResult<Options> =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'help' }
  /** In one line. */
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * Prints the help (exit code 0), reports wrong options in one line (2), or runs the command and returns its exit code.
 */
export async function runCommand<Declared extends ParseArgsOptionsConfig, Options>(
  command: Command<Declared, Options>,
  argv: readonly string[],
  run: (options: Options) => number | Promise<number>,
): Promise<number> {
  const result = parseOptions(command, argv);
  switch (result.kind) {
    case 'help':
      process.stdout.write(command.help);
      return 0;
    case 'problem':
      return reportProblem(command.name, result.problem);
    case 'options':
      return run(result.options);
  }
}

/** Prints on standard error, in one line, why a command stops. Returns the exit code. */
export function reportProblem(name: string, problem: string, code = 2): number {
  process.stderr.write(`${name}: ${escapeHiddenAndCr(problem.replaceAll(/\s+/g, ' '))}\n`);
  return code;
}

/** Parses the arguments of a command. Throws nothing but the errors of a mistake in `read`. */
export function parseOptions<Declared extends ParseArgsOptionsConfig, Options>(
  { name, options, takesArguments, read }: Command<Declared, Options>,
  argv: readonly string[],
): OptionsResult<Options> {
  if (argv.includes('--help') || argv.includes('-h')) return { kind: 'help' };
  try {
    const { values, positionals } = readArguments(options, argv);
    const [unexpected] = takesArguments === true ? [] : positionals;
    if (unexpected !== undefined) throw new OptionsError(`Unexpected argument '${unexpected}'.`);
    const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '');
    if (blank !== undefined) throw new OptionsError(`--${blank[0]} needs a value.`);
    return { kind: 'options', options: read(values, positionals) };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const asked = name.startsWith('npm ') ? `${name} --` : name;
    return { kind: 'problem', problem: `${error.message} See ${asked} --help.` };
  }
}

/** The rest of Node's message explains how to pass a value that looks like an option. */
function readArguments<Declared extends ParseArgsOptionsConfig>(options: Declared, argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new OptionsError(`${sentence.replace(/\.$/, '')}.`);
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A day or time of ISO 8601, in ms since the epoch; null if the option is absent. `name` is that of the option. */
export function parseTime(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new OptionsError(`${name} needs a time such as 2030-01-31T12:00:00Z.`);
  return time;
}

/** The only argument of a command; `problem` is what none and several are told. */
export function singleArgument([argument = '', ...more]: readonly string[], problem: string): string {
  if (argument.trim() === '' || more.length > 0) throw new OptionsError(problem);
  return argument;
}
