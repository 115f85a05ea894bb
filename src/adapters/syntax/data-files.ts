import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseTomlText, TomlError } from 'smol-toml';
import { LineCounter, parseAllDocuments } from 'yaml';
import { countLineFeeds, countLines } from '../../core/edits/text/lines.ts';
import { type DataFormat, GAVE_UP, MAX_PARSED_CHARACTERS, PARSED, type ParseOutcome } from './languages.ts';

/** Parses a data file. The phrases of a failure are those of the parsers, without what they quote. */
export function parseData(format: DataFormat, text: string): ParseOutcome {
  if (text.length > MAX_PARSED_CHARACTERS) return GAVE_UP;
  try {
    return PARSERS[format](text);
  } catch (error) {
    // Nesting that is too deep for the stack.
    if (error instanceof RangeError) return GAVE_UP;
    throw error;
  }
}

const PARSERS: { readonly [Name in DataFormat]: (text: string) => ParseOutcome } = {
  json: (text) => (isJson(text) ? PARSED : findJsonError(text, false)),
  jsonc: (text) => (isJson(text) ? PARSED : findJsonError(text, true)),
  yaml: parseYaml,
  toml: parseToml,
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `JSON.parse` tells the place of some errors only, and quotes the text. */
function findJsonError(text: string, withComments: boolean): ParseOutcome {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: !withComments, allowTrailingComma: withComments });
  const [first] = errors;
  if (first === undefined) return withComments ? PARSED : GAVE_UP;
  return failedAt(text, 1 + countLineFeeds(text.slice(0, first.offset)), wordsOf(printParseErrorCode(first.error)));
}

/** Parses all documents of a stream. Tags, aliases and repeated keys are the business of who reads it. */
function parseYaml(text: string): ParseOutcome {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, lineCounter });
  const errors = [...documents].flatMap((document) => document.errors);
  const [first] = errors;
  if (first === undefined) return PARSED;
  if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) return GAVE_UP;
  return failedAt(text, lineCounter.linePos(first.pos[0]).line, wordsOf(first.code));
}

const TOML_PREFIX = 'Invalid TOML document: ';

function parseToml(text: string): ParseOutcome {
  try {
    parseTomlText(text, { integersAsBigInt: true });
    return PARSED;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = ''] = error.message.split('\n');
    return failedAt(text, error.line, message.startsWith(TOML_PREFIX) ? message.slice(TOML_PREFIX.length) : message);
  }
}

/** Some errors stand behind the last line, where the text ends too early. */
function failedAt(text: string, line: number, what: string): ParseOutcome {
  return { kind: 'failed', line: Math.max(1, Math.min(line, countLines(text))), what };
}

/** `CommaExpected` and `TAB_AS_INDENT` in words. */
function wordsOf(code: string): string {
  return code
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .toLowerCase();
}
