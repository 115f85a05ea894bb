import { type Script, scriptOf } from './editable-path.ts';
import { declarationSentence } from './name-sentence.ts';
import type { ShownFile } from './read-answer.ts';

/** Something that a person would nod at: the lines from index `at` that go away, and what comes instead. */
export type Finding = {
  readonly path: string;
  /** 1-based line of the file at which the change begins. */
  readonly line: number;
  /** 0-based index into the lines that were shown. */
  readonly at: number;
  readonly removes: number;
  readonly adds: readonly string[];
  readonly reason: string;
  /** Higher is better worth a reader's time. */
  readonly worth: number;
  /** What somebody who does not want it would say. */
  readonly objection: string;
};

type Found = Pick<Finding, 'removes' | 'adds' | 'reason' | 'worth' | 'objection'>;
type Rule = (file: ShownFile, script: Script, index: number) => Found | null;

const MISSPELLINGS: ReadonlyMap<string, string> = new Map(
  `recieve receive|recieved received|recieves receives|seperate separate|seperated separated|occured occurred|occurence occurrence
|occurences occurrences|teh the|wich which|untill until|accross across|adress address|begining beginning|calender calendar
|commited committed|definately definitely|dependancy dependency|enviroment environment|existance existence|explicitely explicitly
|immediatly immediately|independant independent|lenght length|neccessary necessary|occuring occurring|paramater parameter
|preceeding preceding|refered referred|sucessful successful|succesful successful|supress suppress|tranfer transfer|wether whether`
    .replaceAll('\n', '')
    .split('|')
    .map((pair) => pair.split(' '))
    .map(([wrong = '', right = '']) => [wrong, right]),
);
const WORDS = new RegExp(`\\b(?:${[...MISSPELLINGS.keys()].join('|')})\\b`);
const DOUBLED = /\b(the|an|to|of|in|is|and|for|it|with|be|as|at|by|from|are|this)[ ]+\1\b(?![-'’.])/;

/** Whether a line holds prose: a comment, or any line of a text that is no code block. */
function isProse(line: string, script: Script): boolean {
  if (script.kind === 'prose') return !/^(?: {4}|\t|```|~~~|\||.*`)/.test(line);
  return line.trimStart().startsWith(script.open.trim()) || /^\s*\*\s/.test(line);
}

function misspelled(file: ShownFile, script: Script, index: number): Found | null {
  const line = file.lines[index] ?? '';
  const wrong = isProse(line, script) ? WORDS.exec(line)?.[0] : undefined;
  if (wrong === undefined) return null;
  const right = MISSPELLINGS.get(wrong) ?? wrong;
  return {
    removes: 1,
    adds: [line.replace(wrong, () => right)],
    reason: `Spelling: ${right}.`,
    worth: 9,
    objection: 'please keep spelling for a pull request of its own',
  };
}

function doubled(file: ShownFile, script: Script, index: number): Found | null {
  const line = file.lines[index] ?? '';
  const word = isProse(line, script) ? DOUBLED.exec(line)?.[1] : undefined;
  if (word === undefined) return null;
  return {
    removes: 1,
    adds: [line.replace(DOUBLED, '$1')],
    reason: `The word “${word}” stands there twice.`,
    worth: 8,
    objection: 'that sentence is about to be rewritten anyway',
  };
}

function trailing(file: ShownFile, script: Script, index: number): Found | null {
  const line = file.lines[index] ?? '';
  const bare = line.trimEnd();
  if (bare === line || bare === '' || script.kind === 'prose' || /[^\x20-\x7e\t]/.test(line)) return null;
  return {
    removes: 1,
    adds: [bare],
    reason: 'White space at the end of the line only makes later diffs longer.',
    worth: 6,
    objection: 'white space is the formatter’s job here',
  };
}

function describe(file: ShownFile, script: Script, index: number): Found | null {
  if (script.kind === 'prose') return null;
  const line = file.lines[index] ?? '';
  const above = file.lines[index - 1];
  if (above === undefined ? file.first !== 1 : above.trim() !== '') return null;
  const sentence = declarationSentence(file.path, line);
  if (sentence === null) return null;
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return {
    removes: 0,
    adds: [`${indent}${script.open}${sentence.text}${script.close}`],
    reason: `${sentence.name} had no description.`,
    worth: 4,
    objection: 'the name says that already',
  };
}

/** What is left where nothing else is found: between two blocks of code or two paragraphs, so that it splits nothing. */
function note(file: ShownFile, script: Script, index: number): Found | null {
  const line = file.lines[index] ?? '';
  const above = file.lines[index - 1];
  if (above === undefined || above.trim() !== '' || !/^[\p{L}_@]/u.test(line) || /["'`]{3}/.test(line)) return null;
  const words = 'The pull request that brought this says why it is done this way.';
  const adds = script.kind === 'prose' ? [words, ''] : [`${script.open}${words}${script.close}`];
  return {
    removes: 0,
    adds,
    reason: 'A later reader will look for the reason here.',
    worth: 1,
    objection: 'the history says that, a comment need not',
  };
}

const RULES: readonly Rule[] = [misspelled, doubled, trailing, describe, note];

function finalNewline(file: ShownFile, script: Script): Finding | null {
  const last = file.lines.at(-1);
  if (!file.toTheEnd || file.endsWithNewline || last === undefined || last.trim() === '' || script.kind === 'prose')
    return null;
  const at = file.lines.length - 1;
  return {
    path: file.path,
    line: file.first + at,
    at,
    removes: 1,
    adds: [last],
    reason: 'No newline ends the last line.',
    worth: 7,
    objection: 'our tools add that when they next write the file',
  };
}

const LONGEST_LINE = 300;

/** Files that say of themselves that a program writes them, or that nobody could have written. */
function isWritten(file: ShownFile): boolean {
  const top = file.lines.slice(0, 10).join('\n');
  return (
    !/do not edit|auto-?generated|generated by/i.test(top) && file.lines.every((line) => line.length <= LONGEST_LINE)
  );
}

/** Everything in a file that could be better, best first; at most one finding of a kind for each line. */
export function findChanges(file: ShownFile): readonly Finding[] {
  const script = scriptOf(file.path);
  if (script === null || !isWritten(file)) return [];
  const end = finalNewline(file, script);
  const found = file.lines.flatMap((line, at) => {
    // Hidden characters are written out in what was read, so such a line cannot be quoted.
    const first = line.includes('\\u{') ? null : firstOf(file, script, at);
    return first === null ? [] : [{ ...first, path: file.path, line: file.first + at, at }];
  });
  return [...(end === null ? [] : [end]), ...found].toSorted((left, right) => right.worth - left.worth);
}

function firstOf(file: ShownFile, script: Script, index: number): Found | null {
  for (const rule of RULES) {
    const found = rule(file, script, index);
    if (found !== null) return found;
  }
  return null;
}
