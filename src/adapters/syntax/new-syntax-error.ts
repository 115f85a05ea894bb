import { BYTE_ORDER_MARK } from '../../core/edits/text/characters.ts';
import type { SyntaxProblem } from '../../core/state/proposal.ts';
import { parseData } from './data-files.ts';
import { type Format, formatsOf, type ParseOutcome } from './languages.ts';
import { parseSource } from './parse-source.ts';

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
