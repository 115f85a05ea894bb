import { type CodeUnits, toCodeUnits } from '../../edits/text/characters.ts';

/**
 * The raw keys of each object of a JSON text, quotes included, outer objects first; null if the text has more than
 * `maxTokens` quotes, brackets, colons and commas. It protects `JSON.parse`, which is fast for long strings but takes
 * seconds for millions of small values. Runs in linear time.
 */
export function findKeys(json: string, maxTokens: number): readonly (readonly string[])[] | null {
  const objects: string[][] = [];
  const open: string[][] = [];
  const token = /["{}[\]:,]/g;
  let cachedCodeUnits: CodeUnits | null = null;
  const codeUnits = (): CodeUnits => {
    cachedCodeUnits ??= toCodeUnits(json);
    return cachedCodeUnits;
  };
  let [tokenCount, last] = [0, ''];
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const { 0: character, index } = match;
    tokenCount += 1;
    if (tokenCount > maxTokens) return null;
    if (character === '{' || character === '[') {
      const keys: string[] = [];
      open.push(keys);
      if (character === '{') objects.push(keys);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ':') open.at(-1)?.push(last);
    else if (character === '"') {
      token.lastIndex = findStringEnd(json, index, codeUnits);
      last = json.slice(index, token.lastIndex);
    }
  }
  return objects;
}

/** Offset behind the string that begins at a quote; the end of the text for an unterminated string. */
function findStringEnd(json: string, quote: number, codeUnits: () => CodeUnits): number {
  let scanned = 0;
  for (let at = quote + 1; at < json.length; ) {
    for (let scanEnd = at + DIRECT_SCAN_CHARACTERS; at < scanEnd && at < json.length; at += 1) {
      const character = json.charCodeAt(at);
      if (character === QUOTE) return at + 1;
      scanned += 1;
      if (character !== BACKSLASH) continue;
      if (scanned > CODE_UNIT_SCAN_THRESHOLD) return findStringEndInCodeUnits(codeUnits(), at);
      at += 1;
      scanEnd = at + DIRECT_SCAN_CHARACTERS;
    }
    const next = json.indexOf('"', at);
    if (next === -1) return json.length;
    if (!isEscaped(json, at, next)) return next + 1;
    at = next + 1;
  }
  return json.length;
}

/** Characters scanned one by one. Starting the engine's native search costs more when quotes are close together. */
const DIRECT_SCAN_CHARACTERS = 16;

/** Scanned characters of one string after which the rest is scanned as an array of numbers. */
const CODE_UNIT_SCAN_THRESHOLD = 1024;

/** Like `findStringEnd`, from an offset whose character is not escaped. */
function findStringEndInCodeUnits(codeUnits: CodeUnits, from: number): number {
  for (let at = from; at < codeUnits.length; at += 1) {
    const character = codeUnits[at];
    if (character === QUOTE) return at + 1;
    if (character === BACKSLASH) at += 1;
  }
  return codeUnits.length;
}

/** Whether an odd number of backslashes precedes an offset. None precedes `from`. */
function isEscaped(json: string, from: number, offset: number): boolean {
  let first = offset;
  while (first > from && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (offset - first) % 2 === 1;
}

const [QUOTE, BACKSLASH] = [34, 92];
