/** Misspellings and their corrections. */
const MISSPELLED = `accross across|acheive achieve|adress address|aquire acquire|begining beginning|calender calendar
|commited committed|definately definitely|dependancy dependency|desciption description|enviroment environment
|existance existence|explicitely explicitly|immediatly immediately|independant independent|lenght length
|neccessary necessary|neccesary necessary|occured occurred|occurence occurrence|occurences occurrences
|occuring occurring|paramater parameter|preceeding preceding|recieve receive|recieved received|recieves receives
|refered referred|seperate separate|seperated separated|succesful successful|sucessful successful|supress suppress
|teh the|untill until|wether whether|wich which`;

/** Wordy phrases and their shorter forms. */
const WORDY_PHRASES = `in order to=to|utilize=use|utilizes=uses|utilizing=using|prior to=before
|due to the fact that=because|in the event that=if|at this point in time=now|is able to=can|are able to=can
|make use of=use|makes use of=uses|making use of=using|for the purpose of=for|has the ability to=can
|in the case that=if|can not=cannot|please note that=|note that=|allows you to=lets you|allow you to=let you
|in addition to=besides|whether or not=whether|a large number of=many|the majority of=most`;

/** Filler words to remove. */
const FILLER_WORDS = ['simply', 'basically', 'obviously'];

function parseTable(text: string, between: string): readonly (readonly [string, string])[] {
  return text
    .replaceAll('\n', '')
    .split('|')
    .map((pair) => [pair.slice(0, pair.indexOf(between)), pair.slice(pair.indexOf(between) + 1)] as const);
}

const SPELLING = new Map(parseTable(MISSPELLED, ' '));

const SHORTER_PHRASES = new Map([
  ...parseTable(WORDY_PHRASES, '='),
  ...FILLER_WORDS.map((word) => [word, ''] as const),
]);

function createWordPattern(words: Iterable<string>): RegExp {
  return new RegExp(`(?<![\\w-])(${[...words].join('|')})(?![\\w'’-]) ?`, 'i');
}

const SPELLING_PATTERN = createWordPattern(SPELLING.keys());

const SHORTER_PATTERN = createWordPattern(SHORTER_PHRASES.keys());

const DOUBLED_WORD = /(?<![\w-])(the|an|to|of|in|is|and|for|it|with|be|as|at|by|from|are|this) \1(?![\w'’.-])/i;

/** A corrected line, with the replaced text and its replacement. */
export type RewordedLine = { readonly line: string; readonly from: string; readonly to: string };

/** Corrects the first misspelling; null if there is none. */
export function fixMisspelling(line: string): RewordedLine | null {
  return replaceWording(line, SPELLING_PATTERN, SPELLING);
}

/** Shortens the first wordy phrase; null if there is none. */
export function shortenWording(line: string): RewordedLine | null {
  return replaceWording(line, SHORTER_PATTERN, SHORTER_PHRASES);
}

/** Removes the first repeated word; null if there is none. */
export function removeRepeatedWord(line: string): RewordedLine | null {
  const word = DOUBLED_WORD.exec(line)?.[1];
  return word === undefined ? null : { line: line.replace(DOUBLED_WORD, '$1'), from: word, to: word };
}

function replaceWording(line: string, pattern: RegExp, table: ReadonlyMap<string, string>): RewordedLine | null {
  const match = pattern.exec(line);
  const [whole = '', from = ''] = match ?? [];
  const replacement = table.get(from.toLowerCase());
  if (match === null || replacement === undefined) return null;
  const rest = line.slice(match.index + whole.length);
  const gap = whole.endsWith(' ') ? ' ' : '';
  const isCapital = /^[A-Z]/.test(from);
  const text = replacement === '' ? rest : `${replacement}${gap}${rest}`;
  if (text === '' || (replacement === '' && gap === '')) return null;
  // The next word could be an identifier, which must not be capitalized.
  if (isCapital && !/^[a-z]+(?:[ ,.]|$)/.test(text)) return null;
  const shown = isCapital ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return { line: line.slice(0, match.index) + shown, from, to: replacement };
}

/** Matches declarations of many languages; the last group is the name. */
const DECLARATION =
  /^\s*(?:(?:export|public|protected|internal|static|async|pub(?:\([^)]*\))?|final|abstract|open|unsafe|inline|local)\s+)*(?:function\*?|fn|func|fun|def|class|interface|struct|trait)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_]\w{3,})(?!\w|\s*\*|\s+\w+\()/;

/** Verbs at the start of a name and their third-person form. */
const VERBS: ReadonlyMap<string, string> = new Map(
  parseTable(
    `add adds|apply applies|assert asserts|build builds|call calls|check checks|clean cleans|clear clears|close closes
|collect collects|compare compares|compute computes|convert converts|copy copies|count counts|create creates
|decode decodes|delete deletes|draw draws|encode encodes|ensure ensures|execute executes|fetch fetches|filter filters
|find finds|format formats|generate generates|get gives|handle handles|init prepares|install installs
|is checks whether it is|has checks whether it has|list lists|load loads|log logs|make makes|merge merges
|normalize normalizes|open opens|parse parses|prepare prepares|print prints|process processes|push pushes|read reads
|register registers|remove removes|render renders|reset resets|resolve resolves|run runs|save saves|search searches
|send sends|serialize serializes|set sets|show shows|sort sorts|start starts|stop stops|test tests|update updates
|use uses|validate validates|verify verifies|wait waits for|walk walks|wrap wraps|write writes`,
    ' ',
  ),
);

/** Names with more words, such as names of tests, already read like a sentence. */
const MAX_WORDS = 3;

function splitName(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_]+/)
    .filter((word) => word !== '')
    .map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()));
}

/** Describes a declaration from its name; null when the name is not descriptive. */
export function describeDeclaration(
  path: string,
  line: string,
): { readonly name: string; readonly text: string } | null {
  const name = DECLARATION.exec(line)?.[1];
  if (name === undefined || line.trimEnd().endsWith(';')) return null;
  const [first = '', ...rest] = splitName(name);
  if (rest.length > MAX_WORDS) return null;
  const verb = VERBS.get(first);
  if (verb === undefined || rest.length === 0) return describeNoun(name, [first, ...rest]);
  const article =
    /s$|^(?:all|any|it|as|from|to|with|by|for|if)$/.test(rest[0] ?? '') || verb.includes('whether') ? '' : 'the ';
  const sentence = `${verb} ${article}${rest.join(' ')}.`;
  // Go comments begin with the name.
  const text = path.endsWith('.go') ? `${name} ${sentence}` : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { name, text };
}

function describeNoun(name: string, words: readonly string[]): { readonly name: string; readonly text: string } | null {
  return words.length < 2 ? null : { name, text: `The ${words.join(' ')}.` };
}
