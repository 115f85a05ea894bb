import process from 'node:process';
import { escapeHiddenAndCr } from '../core/edits/text/unicode.ts';

/** A command as people type it, such as `countersign verify`, and its help, ending with a newline. */
type CommandInfo = { readonly name: string; readonly help: string };

/**
 * Prints the help (exit code 0), reports wrong options in one line (2), or runs the command and returns its exit code.
 */
export async function runCommand<Options>(
  { name, help }: CommandInfo,
  result: OptionsResult<Options>,
  run: (options: Options) => number | Promise<number>,
): Promise<number> {
  switch (result.kind) {
    case 'help':
      process.stdout.write(help);
      return 0;
    case 'problem':
      return reportProblem(name, result.problem);
    case 'options':
      return run(result.options);
  }
}

/** Prints on standard error, in one line, why a command stops. Returns the exit code. */
export function reportProblem(name: string, problem: string, code = 2): number {
  process.stderr.write(`${name}: ${escapeHiddenAndCr(problem.replaceAll(/\s+/g, ' '))}\n`);
  return code;
}

/** Why the arguments are unusable, in one line. */
type Problem = { readonly kind: 'problem'; readonly problem: string };

/** The options of a command, or the reason why there are none. */
export type ValidatedOptions<Options> = { readonly kind: 'options'; readonly options: Options } | Problem;

/** The parsed options of a command, unless it was called for its help. */
export type OptionsResult<Options> = ValidatedOptions<Options> | { readonly kind: 'help' };

/** A value from the arguments that is not yet the options of the command. */
type ParseResult<Value> = { readonly kind: 'parsed'; readonly value: Value } | Problem;

/** The result of Node's `parseArgs`. */
type ParsedArguments = {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
};

/**
 * Parses the arguments of a command such as `countersign verify`. `parse` calls Node's `parseArgs`, and its errors
 * become problems. `toOptions` converts the result, and its errors are thrown.
 */
export function parseOptions<Arguments extends ParsedArguments, Options>(
  command: string,
  parse: () => Arguments,
  toOptions: (parsedArguments: Arguments) => ValidatedOptions<Options>,
): OptionsResult<Options> {
  const parsed = tryParse(parse);
  if (parsed.kind === 'parsed' && parsed.value.values['help'] === true) return { kind: 'help' };
  const result = parsed.kind === 'problem' ? parsed : (findBlankValue(parsed.value) ?? toOptions(parsed.value));
  return result.kind === 'problem' ? optionsProblem(`${result.problem} See ${command} --help.`) : result;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A day or time of ISO 8601, in ms since the epoch; null if the option is absent. */
export function parseTime(text: string | undefined): number | null | 'no time' {
  if (text === undefined) return null;
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 'no time' : time;
}

/** A problem with the options, in one sentence. */
export function optionsProblem(problem: string): Problem {
  return { kind: 'problem', problem };
}

/** The only positional argument; `missing` and `several` are the problems for none and for more than one. */
export function singleArgument(
  positionals: readonly string[],
  { missing, several }: { readonly missing: string; readonly several: string },
): ParseResult<string> {
  const [argument, ...more] = positionals;
  if (argument === undefined || argument.trim() === '') return optionsProblem(missing);
  return more.length > 0 ? optionsProblem(several) : { kind: 'parsed', value: argument };
}

function tryParse<Arguments>(parse: () => Arguments): ParseResult<Arguments> {
  try {
    return { kind: 'parsed', value: parse() };
  } catch (error) {
    return optionsProblem(firstSentence(error));
  }
}

/** The rest of Node's message explains how to pass a value that looks like an option. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? message}.`;
}

function findBlankValue({ values }: ParsedArguments): Problem | null {
  const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '');
  return blank === undefined ? null : optionsProblem(`--${blank[0]} needs a value.`);
}
