import {
  BLOCK_TAG,
  type Fence,
  type HtmlBlock,
  INLINE_HTML,
  isClosingFence,
  LONE_TAG,
  parseHtmlBlockStart,
  parseOpeningFence,
} from '../../comments/markdown-blocks.ts';

/**
 * Removes HTML comments, which GitHub hides, but for those in code, which it shows. Comments of which only a parser
 * could tell stay behind a label. A scan of our own, because a Markdown parser can take minutes for hostile text.
 */
export function stripHtmlComments(text: string): StrippedText {
  if (!text.includes(COMMENT_START)) return { text, removedCount: 0 };
  const stripped = splitBlocks(text.split('\n')).map(stripBlock);
  return {
    text: stripped.map((block) => block.text).join('\n'),
    removedCount: stripped.reduce((sum, { removedCount }) => sum + removedCount, 0),
  };
}

/** A text without HTML comments, which GitHub hides. */
type StrippedText = { readonly text: string; readonly removedCount: number };

const COMMENT_START = '<!--';

const COMMENT_END = '-->';

/**
 * A `text` is a paragraph. If it `isMixed`, it has lists, quotes, headings or tables, and all that might belong to
 * them: up to the end if it `isOpenEnded`, because only a parser knows where a fence or HTML below a list ends.
 */
type BlockStart =
  | { readonly kind: 'blank' | 'indented-code' }
  | { readonly kind: 'fence'; readonly fence: Fence }
  | { readonly kind: 'html'; readonly block: HtmlBlock }
  | { readonly kind: 'text'; isMixed: boolean; isOpenEnded: boolean };

type Block = BlockStart & { readonly lines: string[] };

function splitBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of lines) {
    if (open === null || isOutside(line, open)) {
      open = { ...startBlock(line), lines: [] };
      blocks.push(open);
    }
    open.lines.push(line);
    if (open.kind === 'text') {
      open.isMixed ||= MIXED_START.test(line);
      open.isOpenEnded ||= open.isMixed && OPEN_ENDED_START.test(line);
    }
    if (isLast(line, open)) open = null;
  }
  return blocks;
}

const BLANK = /^[ \t]*$/;

const INDENTED = /^(?: {4}| {0,3}\t)/;

/** A line that is, or might be, more than a line of a paragraph. */
const MIXED_START = /^ {0,3}(?:[-+*>#=_|[:]|\d{1,9}[.)])/;

/** A fence or HTML that might be outside the list above it. A comment that ends in its line stays in that line. */
const OPEN_ENDED_START = /^ {0,3}(?:`{3}|~{3}|<(?!!--.*-->))/;

function startBlock(line: string): BlockStart {
  if (BLANK.test(line)) return { kind: 'blank' };
  if (INDENTED.test(line)) return { kind: 'indented-code' };
  const interrupting = startInterruptingBlock(line);
  if (interrupting !== null) return interrupting;
  return LONE_TAG.test(line)
    ? { kind: 'html', block: { end: null, hidden: false } }
    : { kind: 'text', isMixed: false, isOpenEnded: false };
}

/** The block that a line starts even right below a paragraph; null if it starts none. */
function startInterruptingBlock(line: string): BlockStart | null {
  const fence = parseOpeningFence(line);
  if (fence !== null) return { kind: 'fence', fence };
  const block = parseHtmlBlockStart(line);
  return block === null || (block.end === null && !BLOCK_TAG.test(line)) ? null : { kind: 'html', block };
}

/** Whether the block ends above this line. */
function isOutside(line: string, open: Block): boolean {
  const isBlank = BLANK.test(line);
  switch (open.kind) {
    case 'blank':
      return true;
    case 'fence':
      return false;
    case 'html':
      return open.block.end === null && isBlank;
    case 'indented-code':
      return !INDENTED.test(line) && !isBlank;
    case 'text':
      if (!open.isMixed) return isBlank || startInterruptingBlock(line) !== null;
      return !open.isOpenEnded && endsContainers(line, open.lines.at(-1) ?? '');
  }
}

/**
 * Whether a line is in no list or quote, because it is not indented. Without a blank line above it might continue one.
 */
function endsContainers(line: string, above: string): boolean {
  if (/^[ \t]/.test(line) || line === '') return false;
  return startInterruptingBlock(line) !== null || (BLANK.test(above) && !MIXED_START.test(line));
}

function isLast(line: string, open: Block): boolean {
  if (open.kind === 'fence') return open.lines.length > 1 && isClosingFence(line, open.fence);
  return open.kind === 'html' && open.block.end !== null && open.block.end.test(line);
}

function stripBlock(block: Block): StrippedText {
  const text = block.lines.join('\n');
  switch (block.kind) {
    case 'blank':
    case 'fence':
    case 'indented-code':
      return { text, removedCount: 0 };
    case 'html':
      return strip(text, findComments(text, 'nowhere'), ({ to }) => to !== null || block.block.hidden);
    case 'text':
      return stripText(text, block.isMixed ? block.lines : []);
  }
}

/**
 * Each of the mixed lines might be a paragraph of its own, or part of one: known is only what both ways of reading
 * agree on. In a paragraph, a comment that does not end is text.
 */
function stripText(text: string, mixedLines: readonly string[]): StrippedText {
  if (OTHER_HTML.test(text) || isDoubtful(text, mixedLines))
    return strip(text, findComments(text, 'nowhere'), () => false);
  const whole = findComments(text, 'in-paragraph');
  if (mixedLines.length === 0) {
    const ended = whole.filter(({ to }) => to !== null);
    return strip(text, ended, () => true);
  }
  const apart = new Map(findComments(text, 'in-line').map((comment) => [comment.from, comment]));
  const agreed = new Set(whole.filter(({ from, to }) => to !== null && apart.get(from)?.to === to));
  const all = new Map([...apart, ...whole.map((comment) => [comment.from, comment] as const)]);
  return strip(
    text,
    [...all.values()].sort((left, right) => left.from - right.from),
    (comment) => agreed.has(comment),
  );
}

/** Neither a tag nor a comment. Backticks have no meaning in it. */
const OTHER_HTML = /<\?|<!(?!--)/;

const FENCE_OR_TABLE = /`{3}|~{3}|\|/;

/** The signs before the words of a line in lists and quotes. */
const CONTAINER_PREFIX = /^[ \t>*+\-\d.)#]*/;

/** Whether code or HTML might begin or end at a place that only a parser knows. */
function isDoubtful(text: string, mixedLines: readonly string[]): boolean {
  if (mixedLines.length > 0 && FENCE_OR_TABLE.test(text)) return true;
  const hasMarks = /`|\\</.test(text);
  return mixedLines.some((line) => {
    const [prefix = ''] = CONTAINER_PREFIX.exec(line) ?? [];
    const isIndented = / {4}|\t/.test(prefix);
    return (hasMarks && line.startsWith('<', prefix.length)) || (isIndented && line.includes(COMMENT_START));
  });
}

/** `to` is null if the comment does not end. */
type HtmlComment = { readonly from: number; readonly to: number | null };

/** How far a code span can reach; `nowhere` if backticks have no meaning. */
type CodeSpans = 'nowhere' | 'in-line' | 'in-paragraph';

/** The comments outside code spans and tags. One that does not end is the last. */
function findComments(text: string, codeSpans: CodeSpans): readonly HtmlComment[] {
  const comments: HtmlComment[] = [];
  const findSpanEnd = createSpanSearch(text, codeSpans);
  const tokens = new RegExp(codeSpans === 'nowhere' ? COMMENT : INLINE_TOKEN, 'gi');
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const { index, 0: found } = token;
    if (found.startsWith('`')) tokens.lastIndex = findSpanEnd(index, found.length) ?? tokens.lastIndex;
    if (!found.startsWith(COMMENT_START)) continue;
    const to = found.endsWith('>') ? tokens.lastIndex : endOfComment(text, tokens.lastIndex);
    comments.push({ from: index, to });
    if (to === null) break;
    tokens.lastIndex = to;
  }
  return comments;
}

/** `<!-->` and `<!--->` are whole comments. */
const COMMENT = /<!--(?:-?>)?/;

/** Everything that can keep a backtick or a comment from being one. */
const INLINE_TOKEN = new RegExp(`\\\\[!-/:-@[-\`{-~]|\`+|${COMMENT.source}|${INLINE_HTML.source}`);

function endOfComment(text: string, from: number): number | null {
  const end = text.indexOf(COMMENT_END, from);
  return end === -1 ? null : end + COMMENT_END.length;
}

/** Finds the end of the code span that a run of backticks begins; null if the run has no partner. Call it in order. */
function createSpanSearch(text: string, codeSpans: CodeSpans): (from: number, length: number) => number | null {
  const runs = Map.groupBy([...text.matchAll(/`+/g)].toReversed(), ([run]) => run.length);
  let limit = codeSpans === 'in-line' ? -1 : text.length;
  return (from, length) => {
    if (limit < from) limit = endOfLine(text, from);
    const later = runs.get(length) ?? [];
    while ((later.at(-1)?.index ?? from + length) < from + length) later.pop();
    const start = later.at(-1)?.index ?? limit;
    return start < limit ? start + length : null;
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Stands before a comment that people might see. */
const DOUBT_LABEL = '[perhaps hidden from people:] ';

/** The text without those of the comments that are known to be hidden, and with a label before the others. */
function strip(
  text: string,
  comments: readonly HtmlComment[],
  isHidden: (comment: HtmlComment) => boolean,
): StrippedText {
  let [stripped, at, removedCount] = ['', 0, 0];
  for (const comment of comments) {
    const { from, to } = comment;
    stripped += text.slice(at, from);
    at = from;
    if (!isHidden(comment)) {
      stripped += DOUBT_LABEL;
      continue;
    }
    at = to ?? text.length;
    removedCount += 1;
    if (text.slice(from, at).includes('\n')) stripped += '\n';
  }
  return { text: stripped + text.slice(at), removedCount };
}
