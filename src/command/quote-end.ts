import { fromMarkdown } from 'mdast-util-from-markdown';

/**
 * How much of a comment the Markdown parser may read. It is exact and quadratic: a body of 65,536 characters can
 * hold it for a minute. So it gets nothing but short quotes with one line below them, and longer ones are judged by
 * a rule that never takes quoted text for unquoted.
 */
const PARSER = { characters: 1000, calls: 8, lines: 40 } as const;

/** What happens inside a line does not tell whether the line is quoted, and costs the most. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

const INTERRUPTS =
  /^ {0,3}(?:#{1,6}(?:[ \t]|$)|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;
const EMPTY_QUOTE = /^[ \t>]*$/;

/** Whether a line begins a block of its own even right below a paragraph. Fences and HTML are told elsewhere. */
export function interruptsParagraph(line: string): boolean {
  return INTERRUPTS.test(line);
}

/**
 * Judges lines right below quotes of one comment, within that comment's allowance of parsing. The answer is true where
 * line `at` is rendered as part of the quote that fills the lines from `from` up to it.
 */
export function quoteEnd(lines: readonly string[]): (from: number, at: number) => boolean {
  let characters: number = PARSER.characters;
  let calls: number = PARSER.calls;
  const size = (from: number, at: number) => lines.slice(from, at + 1).reduce((sum, line) => sum + line.length + 1, 0);
  return (from, at) => {
    const cost = at - from > PARSER.lines ? Number.POSITIVE_INFINITY : size(from, at);
    if (calls === 0 || cost > characters) return !EMPTY_QUOTE.test(lines[at - 1] ?? '');
    calls -= 1;
    characters -= cost;
    return isSwallowed(lines.slice(from, at + 1));
  };
}

function isSwallowed(lines: readonly string[]): boolean {
  const last = fromMarkdown(lines.join('\n'), { extensions: [BLOCKS_ONLY] }).children.at(-1);
  return last?.type === 'blockquote' && last.position?.end.line === lines.length;
}
