import { trimBlanks } from './blanks.ts';
import { replyHeader, withoutSignature } from './email-reply.ts';
import { type PageLine, readPage } from './page.ts';
import { quotedIds } from './quoted-ids.ts';

/** A comment's Markdown, taken apart into what may be a command, what is said and what is merely quoted. */
export type MaskedBody = {
  /** First line that is neither blank nor quoted as rendered, without its indentation; null where it can hold no command. */
  readonly first: string | null;
  /** A line that would have been first, had Markdown not made it part of the quote right above it. */
  readonly swallowed: string | null;
  /** What stands below the first line, blank lines at its start kept, without an e-mail reply's tail; a signature alone is nothing. */
  readonly below: string;
  /** Lines that begin with `>`, in order. */
  readonly quoted: readonly string[];
  /** What the person wrote: no quotes, no suggestion blocks, no HTML comments, no e-mail tail; trimmed. */
  readonly text: string;
  /** Lines of each suggestion block that the person wrote: none of an e-mail reply's tail, none beside a copy of ours. */
  readonly suggestions: readonly (readonly string[])[];
  /** True where the person began one and did not close it, or none is certain although something looks like one. */
  readonly unclosedSuggestion: boolean;
  /** True where the body is longer than what is read. */
  readonly cut: boolean;
};

const LIKE_SUGGESTION = /(?:`{3}|~{3})[ \t]*suggestion\b/i;
const AT_MOST_THREE_SPACES = /^ {0,3}(?=[^ \t])/;

/** Takes a comment's body apart, in time linear in its length, whatever it holds. */
export function maskBody(body: string): MaskedBody {
  const { lines, suggestions, unclosedFrom, doubtful, cut } = readPage(body);
  const firstAt = lines.findIndex(({ mark }) => mark !== 'blank' && mark !== 'quoted' && mark !== 'swallowed');
  const end = replyHeader(lines);
  const own = lines.slice(0, end);
  const copied = holdsCopy(own);
  const isTheirs = (from: number): boolean => !copied && from < end;
  return {
    first: commandLine(lines[firstAt]),
    swallowed: commandLine(lines.slice(0, firstAt === -1 ? undefined : firstAt).find(isSwallowedCommand)),
    below: firstAt === -1 ? '' : unlessSigned(joined(own.slice(firstAt + 1)).trimEnd()),
    quoted: lines.flatMap(({ text, mark }) => (mark === 'quoted' ? [text] : [])),
    text: joined(own.filter(isSaid)).trim(),
    suggestions: suggestions.filter(({ from }) => isTheirs(from)).map((block) => block.lines),
    unclosedSuggestion:
      (unclosedFrom !== null && isTheirs(unclosedFrom)) || (!copied && own.some((line) => isLikeBlock(line, doubtful))),
    cut,
  };
}

/** What a mail program puts below a command is no reason that somebody gave. */
function unlessSigned(below: string): string {
  return withoutSignature(below) === '' ? '' : below;
}

/** A mail program that does not mark what it quotes puts our whole comment, with its block, below the person's words. */
function holdsCopy(lines: readonly PageLine[]): boolean {
  return quotedIds(lines.flatMap(({ text, mark }) => (mark === 'plain' ? [text] : []))).length > 0;
}

/** A line that GitHub may show as a block's first although we cannot tell: in a list or below a tag. */
function isLikeBlock({ text, mark }: PageLine, doubtful: boolean): boolean {
  const uncertain = mark === 'plain' || mark === 'html' || (doubtful && mark === 'code');
  return uncertain && LIKE_SUGGESTION.test(text);
}

function isSwallowedCommand(line: PageLine): boolean {
  return line.mark === 'swallowed' && /^ {0,3}[/@]/.test(line.text);
}

function commandLine(line: PageLine | undefined): string | null {
  if (line === undefined || (line.mark !== 'plain' && line.mark !== 'swallowed')) return null;
  return AT_MOST_THREE_SPACES.test(line.text) ? trimBlanks(line.text) : null;
}

function isSaid({ mark }: PageLine): boolean {
  return mark === 'plain' || mark === 'code' || mark === 'html' || mark === 'blank';
}

function joined(lines: readonly PageLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}
