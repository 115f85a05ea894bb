import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseTomlText, TomlError } from 'smol-toml';
import { LineCounter, parseAllDocuments } from 'yaml';
import { BYTE_ORDER_MARK } from '../../core/edits/text/characters.ts';
import { countLineFeeds, countLines } from '../../core/edits/text/lines.ts';
import type { SyntaxProblem } from '../../core/state/proposal.ts';
import {
  type DataFormat,
  type Format,
  formatsOf,
  GAVE_UP,
  MAX_PARSED_CHARACTERS,
  PARSED,
  type ParseOutcome,
  parseSource,
} from './parse-source.ts';

/** The text of a file before and after a change; `before` is null for a new file. */
type FileVersions = { readonly path: string; readonly before: string | null; readonly after: string };

/**
 * The first syntax error of a file that parsed before, or is new. Null if there is none, if the file was broken before,
 * and where no parser can tell.
 */
export async function findNewSyntaxError({ path, before, after }: FileVersions): Promise<SyntaxProblem | null> {
  const formats = formatsOf(path);
  // The mildest one for a new file: tools read JSON with comments under many names.
  for (const format of before === null ? formats.slice(-1) : formats) {
    const outcome = await parse(format, after);
    if (outcome.kind !== 'failed' || isTemplate(format, before ?? '', after)) return null;
    const earlier = before === null ? 'parsed' : (await parse(format, before)).kind;
    if (earlier === 'gave-up') return null;
    if (earlier === 'parsed') return { path, line: outcome.line, what: outcome.what };
  }
  return null;
}

function parse(format: Format, text: string): ParseOutcome | Promise<ParseOutcome> {
  const content = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  switch (format.kind) {
    case 'data':
      return parseData(format.format, content);
    case 'source':
      return parseSource(format.language, content);
  }
}

/** Marks of template engines. GitHub's workflows have `${{` in ordinary YAML. */
const TEMPLATE_MARK = /(?<!\$)\{\{|\{%|<%/g;

/** Whether a change adds marks of a template, whose result is YAML, while it itself need not be. */
function isTemplate(format: Format, before: string, after: string): boolean {
  return format.kind === 'data' && format.format === 'yaml' && countMarks(after) > countMarks(before);
}

function countMarks(text: string): number {
  return text.match(TEMPLATE_MARK)?.length ?? 0;
}

/** Parses a data file. The phrases of a failure are those of the parsers, without what they quote. */
function parseData(format: DataFormat, text: string): ParseOutcome {
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
