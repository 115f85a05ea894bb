/** Spellings that are wrong wherever they stand. */
const MISSPELLED = `accross across|acheive achieve|adress address|aquire acquire|begining beginning|calender calendar|commited committed
|definately definitely|dependancy dependency|desciption description|enviroment environment|existance existence|explicitely explicitly
|immediatly immediately|independant independent|lenght length|neccessary necessary|neccesary necessary|occured occurred
|occurence occurrence|occurences occurrences|occuring occurring|paramater parameter|preceeding preceding|recieve receive
|recieved received|recieves receives|refered referred|seperate separate|seperated separated|succesful successful
|sucessful successful|supress suppress|teh the|untill until|wether whether|wich which`;

/** Phrases that say no more than the shorter one. */
const WORDY = `in order to=to|utilize=use|utilizes=uses|utilizing=using|prior to=before|due to the fact that=because|in the event that=if
|at this point in time=now|is able to=can|are able to=can|make use of=use|makes use of=uses|making use of=using
|for the purpose of=for|has the ability to=can|in the case that=if|can not=cannot|please note that=|note that=|allows you to=lets you
|allow you to=let you|in addition to=besides|whether or not=whether|a large number of=many|the majority of=most`;

/** Words that tell the reader how easy it is, and nothing else. */
const EMPTY = ['simply', 'basically', 'obviously'];

function tableOf(text: string, between: string): readonly (readonly [string, string])[] {
  return text
    .replaceAll('\n', '')
    .split('|')
    .map((pair) => [pair.slice(0, pair.indexOf(between)), pair.slice(pair.indexOf(between) + 1)] as const);
}

const SPELLING = new Map(tableOf(MISSPELLED, ' '));
const SHORTER = new Map([...tableOf(WORDY, '='), ...EMPTY.map((word) => [word, ''] as const)]);

function oneOf(words: Iterable<string>): RegExp {
  return new RegExp(`(?<![\\w-])(${[...words].join('|')})(?![\\w'’-]) ?`, 'i');
}

const SPELLING_PATTERN = oneOf(SPELLING.keys());
const SHORTER_PATTERN = oneOf(SHORTER.keys());
const DOUBLED = /(?<![\w-])(the|an|to|of|in|is|and|for|it|with|be|as|at|by|from|are|this) \1(?![\w'’.-])/i;

/** A line of prose with one phrase put right: what stood there, and what stands there now. */
export type Reworded = { readonly line: string; readonly from: string; readonly to: string };

/** The first misspelled word put right; null where there is none. */
export function spelled(line: string): Reworded | null {
  return reworded(line, SPELLING_PATTERN, SPELLING);
}

/** The first wordy phrase made shorter; null where there is none. */
export function shortened(line: string): Reworded | null {
  return reworded(line, SHORTER_PATTERN, SHORTER);
}

/** The first word that stands twice, once; null where there is none. */
export function undoubled(line: string): Reworded | null {
  const word = DOUBLED.exec(line)?.[1];
  return word === undefined ? null : { line: line.replace(DOUBLED, '$1'), from: word, to: word };
}

function reworded(line: string, pattern: RegExp, table: ReadonlyMap<string, string>): Reworded | null {
  const match = pattern.exec(line);
  const [whole = '', from = ''] = match ?? [];
  const plain = table.get(from.toLowerCase());
  if (match === null || plain === undefined) return null;
  const rest = line.slice(match.index + whole.length);
  const gap = whole.endsWith(' ') ? ' ' : '';
  const isCapital = /^[A-Z]/.test(from);
  const said = plain === '' ? rest : `${plain}${gap}${rest}`;
  if (said === '' || (plain === '' && gap === '')) return null;
  // What comes to stand first may be a name, which must not get a capital letter.
  if (isCapital && !/^[a-z]+(?:[ ,.]|$)/.test(said)) return null;
  const shown = isCapital ? said.charAt(0).toUpperCase() + said.slice(1) : said;
  return { line: line.slice(0, match.index) + shown, from, to: plain };
}
