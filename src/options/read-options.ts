/** What the words behind a command ask for. */
export type OptionsReading<Options> =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'help' }
  /** One line that says what is wrong. */
  | { readonly kind: 'problem'; readonly problem: string };

type Taken<Options> = Exclude<OptionsReading<Options>, { kind: 'help' }>;

/** What Node's `parseArgs` makes of the words. */
type Parsed = {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
};

/**
 * Reads what stands behind a command, such as `countersign verify`: `parse` is Node's parser with the command's options,
 * among them `help`, and `take` makes of its result what the command needs. Never throws where `take` does not.
 */
export function readOptions<Words extends Parsed, Options>(
  command: string,
  parse: () => Words,
  take: (words: Words) => Taken<Options>,
): OptionsReading<Options> {
  const words = parsed(parse);
  if (words.kind === 'options' && words.options.values['help'] === true) return { kind: 'help' };
  const blank = words.kind === 'options' ? blankIn(words.options) : null;
  const taken = words.kind === 'problem' ? words : (blank ?? take(words.options));
  return taken.kind === 'problem' ? problem(`${taken.problem} See ${command} --help.`) : taken;
}

/** What is wrong with the options, in one sentence. */
export function problem(words: string): Extract<OptionsReading<never>, { kind: 'problem' }> {
  return { kind: 'problem', problem: words };
}

/** The one word that stands without a name; sentences for none and for more than one. */
export function onlyWord(
  positionals: readonly string[],
  { missing, several }: { readonly missing: string; readonly several: string },
): Taken<string> {
  const [word, ...more] = positionals;
  if (word === undefined || word.trim() === '') return problem(missing);
  return more.length > 0 ? problem(several) : { kind: 'options', options: word };
}

function parsed<Words>(parse: () => Words): Taken<Words> {
  try {
    return { kind: 'options', options: parse() };
  } catch (error) {
    return problem(firstSentence(error));
  }
}

/** Node goes on to explain how to pass what looks like an option. */
function firstSentence(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return `${words.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? words}.`;
}

function blankIn({ values }: Parsed): ReturnType<typeof problem> | null {
  const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '');
  return blank === undefined ? null : problem(`--${blank[0]} needs a value.`);
}
