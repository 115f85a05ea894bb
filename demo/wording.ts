/** Misspellings and their corrections. */
const MISSPELLED = `accross across|acheive achieve|adress address|aquire acquire|begining beginning|calender calendar
|commited committed|definately definitely|dependancy dependency|desciption description|enviroment environment
|existance existence|explicitely explicitly|immediatly immediately|independant independent|lenght length
|neccessary necessary|neccesary necessary|occured occurred|occurence occurrence|occurences occurrences
|occuring occurring|paramater parameter|preceeding preceding|recieve receive|recieved received|recieves receives
|refered referred|seperate separate|seperated separated|succesful successful|sucessful successful|supress suppress
|teh the|untill until|wether whether|wich which`;

function parseTable(text: string, between: string): readonly (readonly [string, string])[] {
  return text
    .replaceAll('\n', '')
    .split('|')
    .map((pair) => [pair.slice(0, pair.indexOf(between)), pair.slice(pair.indexOf(between) + 1)] as const);
}

const SPELLING = new Map(parseTable(MISSPELLED, ' '));

function createWordPattern(words: Iterable<string>): RegExp {
  return new RegExp(`(?<![\\w-])(${[...words].join('|')})(?![\\w'’-]) ?`, 'i');
}

const SPELLING_PATTERN = createWordPattern(SPELLING.keys());

const DOUBLED_WORD = /(?<![\w-])(the|an|to|of|in|is|and|for|it|with|be|as|at|by|from|are|this) \1(?![\w'’.-])/i;

/** A corrected line, with the replaced text and its replacement. */
export type RewordedLine = { readonly line: string; readonly from: string; readonly to: string };

/** Corrects the first misspelling; null if there is none. */
export function fixMisspelling(line: string): RewordedLine | null {
  return replaceWording(line, SPELLING_PATTERN, SPELLING);
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
