import type { Region } from './change.ts';
import { CONTEXT_LINES } from './region.ts';
import type { LineTable } from './text/line-table.ts';

/**
 * The line above a change that says where in its file it is: in Markdown the heading of its section, written with `#`;
 * else the one that git shows after `@@`, unless it imports something. Null if there is none. `index` is the 0-based
 * index of the first changed line.
 */
export function findHeading(path: string, lines: LineTable, index: number): string | null {
  const section = isMarkdown(path) ? findSectionHeading(lines.text.slice(0, lines.offsetAt(index))) : null;
  const line = section ?? findHunkHeading(lines, index);
  return line === null || IMPORT.test(line) ? null : line;
}

/**
 * The line that a page names as the place of an edit: its heading, or a nearer line of that kind in its context. Behind
 * the first line of its own function, the heading is another function's, and people would look there. Null if the
 * change begins with such a line itself, or if none says anything.
 */
export function shownHeading(
  path: string,
  heading: string | null,
  region: Pick<Region, 'before' | 'old'> | null,
): string | null {
  if (heading === null || region === null || isMarkdown(path)) return heading;
  const nearest = [...region.before, ...region.old.slice(0, 1)].findLast((line) => HEADING_START.test(line.charAt(0)));
  if (nearest === undefined) return heading;
  return nearest === region.old[0] || IMPORT.test(nearest) || REQUIRE.test(nearest) ? null : shortenHeading(nearest);
}

/** An import of CommonJS. */
const REQUIRE = /^(?:const|let|var)\b.*\brequire\(/;

/** Lines at the top of a file, which say nothing about what stands below them. */
const IMPORT = /^(?:import|from|use|using|package|require|require_once|include)(?:[ \t({*'"]|$)/;

/** Whether such a line is the heading of a section. Git shows none that begins with `#`. */
export function isSectionHeading(path: string, heading: string): boolean {
  return isMarkdown(path) && heading.startsWith('#');
}

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mdown|mkdn?|mdx|qmd|rmd)$/i.test(path);
}

/** The last heading of a Markdown text outside of code, comments and front matter. Linear. */
function findSectionHeading(text: string): string | null {
  let heading: string | null = null;
  let endsBlock: LineTest | null = null;
  let paragraph: string | null = null;
  for (const [index, row] of text.split('\n').entries()) {
    const line = row.trimEnd();
    if (endsBlock !== null) {
      if (endsBlock(line)) endsBlock = null;
      continue;
    }
    endsBlock = index === 0 && line === '---' ? endsFrontMatter : blockEnd(line);
    if (ATX_HEADING.test(line)) heading = shortenHeading(line.trimStart());
    else if (paragraph !== null && SETEXT_UNDERLINE.test(line))
      heading = shortenHeading(`${line.trimStart().startsWith('=') ? '#' : '##'} ${paragraph}`);
    paragraph = endsBlock === null && isParagraph(line) ? line.trimStart() : null;
  }
  return heading;
}

type LineTest = (line: string) => boolean;

const ATX_HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;

const SETEXT_UNDERLINE = /^ {0,3}(?:=+|-+)$/;

const endsFrontMatter: LineTest = (line) => line === '---' || line === '...';

const endsComment: LineTest = (line) => line.includes('-->');

/** A test for the end of the code or comment that a line begins; null if it begins none. */
function blockEnd(line: string): LineTest | null {
  const fence = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line);
  const marks = fence?.[1] ?? fence?.[2];
  if (marks !== undefined) return (row) => isFence(row.trimStart(), marks);
  return /^ {0,3}<!--/.test(line) && !endsComment(line) ? endsComment : null;
}

/** Whether a line has only such marks, and at least as many. */
function isFence(line: string, marks: string): boolean {
  return line.startsWith(marks) && line === marks.charAt(0).repeat(line.length);
}

/** Whether a line can be the text of a heading that the next line underlines: no heading, list, quote or table. */
function isParagraph(line: string): boolean {
  return /^ {0,3}[^\s#>|=-]/.test(line) && !/^ {0,3}(?:[*+][ \t]|\d{1,9}[.)][ \t]|<!--)/.test(line);
}

/** Characters of a heading that are kept. Git keeps 80 bytes. */
const MAX_HEADING_CHARACTERS = 80;

/** Git's default rule: the line begins with an ASCII letter, `_` or `$`. */
const HEADING_START = /[A-Za-z_$]/;

/**
 * The line that git shows after `@@` for a hunk: the last line above its context that begins like a function or
 * section. Null if there is none. `index` is the 0-based index of the first changed line.
 */
export function findHunkHeading(lines: LineTable, index: number): string | null {
  const { text } = lines;
  let end = lines.offsetAt(Math.max(0, index - CONTEXT_LINES));
  while (end > 0) {
    const start = end === 1 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
    if (HEADING_START.test(text.charAt(start))) return shortenHeading(text.slice(start, end));
    end = start;
  }
  return null;
}

/** The line can be as long as the file. A character takes at most two code units. */
function shortenHeading(line: string): string {
  const characters = [...line.slice(0, 2 * MAX_HEADING_CHARACTERS + 2).trimEnd()];
  if (characters.length <= MAX_HEADING_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MAX_HEADING_CHARACTERS).join('').trimEnd()}…`;
}
