import { type Letters, lettersOf } from '../change/letters.ts';

/**
 * The keys of the outermost object of a JSON text as they are written, quotes included; null where the text has more
 * marks than anybody means: strings, brackets, colons and commas. What is asked of a text before it is parsed: parsing
 * a few long strings is quick, parsing millions of small values takes seconds. Linear, whatever the text is.
 */
export function outermostKeys(json: string, mostMarks: number): readonly string[] | null {
  const keys: string[] = [];
  const mark = /["{}[\]:,]/g;
  let made: Letters | null = null;
  const letters = (): Letters => {
    made ??= lettersOf(json);
    return made;
  };
  let [marks, depth, last] = [0, 0, ''];
  for (let found = mark.exec(json); found !== null; found = mark.exec(json)) {
    const { 0: letter, index } = found;
    marks += 1;
    if (marks > mostMarks) return null;
    if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    else if (letter === ':' && depth === 1) keys.push(last);
    else if (letter === '"') {
      mark.lastIndex = stringEnd(json, index, letters);
      last = json.slice(index, mark.lastIndex);
    }
  }
  return keys;
}

const [QUOTE, BACKSLASH] = [34, 92];

/** Letters looked at one by one: where marks stand close together the engine's own search takes longer to begin than to search. */
const NEAR = 16;
/** Letters of one string looked at in such ways before all that is left of it is looked at as numbers. */
const MANY = 1024;

/** Offset behind the string that begins at a quote; the end of the text where it has no end. */
function stringEnd(json: string, quote: number, letters: () => Letters): number {
  let looked = 0;
  for (let at = quote + 1; at < json.length; ) {
    for (let near = at + NEAR; at < near && at < json.length; at += 1) {
      const letter = json.charCodeAt(at);
      if (letter === QUOTE) return at + 1;
      looked += 1;
      if (letter !== BACKSLASH) continue;
      if (looked > MANY) return endByLetters(letters(), at);
      at += 1;
      near = at + NEAR;
    }
    const next = json.indexOf('"', at);
    if (next === -1) return json.length;
    if (!isEscaped(json, at, next)) return next + 1;
    at = next + 1;
  }
  return json.length;
}

/** The same from an offset on where no letter is escaped by one before it. */
function endByLetters(letters: Letters, from: number): number {
  for (let at = from; at < letters.length; at += 1) {
    const letter = letters[at];
    if (letter === QUOTE) return at + 1;
    if (letter === BACKSLASH) at += 1;
  }
  return letters.length;
}

/** Whether an odd number of backslashes stands before an offset; none of them before `from`, where no letter is escaped. */
function isEscaped(json: string, from: number, offset: number): boolean {
  let first = offset;
  while (first > from && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (offset - first) % 2 === 1;
}
