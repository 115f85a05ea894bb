/**
 * Removes comments outside code. A line scan of our own, because a Markdown parser can take minutes for hostile text.
 */
export function stripHtmlComments(text: string): StrippedText {
  const lines = text.split('\n');
  const lastEnd = lines.findLastIndex((line) => line.includes('-->'));
  const visibleLines: string[] = [];
  let removedCount = 0;
  let state: ScanState = IN_TEXT;
  for (const [index, line] of lines.entries()) {
    if (state.in === 'fence') {
      visibleLines.push(line);
      state = isFenceEnd(line, state.mark, state.length) ? IN_TEXT : state;
      continue;
    }
    const fence = state.in === 'text' ? FENCE_OPENING.exec(line) : null;
    if (fence !== null) {
      const marks = fence[1] ?? fence[2] ?? '';
      state = { in: 'fence', mark: marks.charAt(0), length: marks.length };
      visibleLines.push(line);
      continue;
    }
    const scanned = scanLine(line, state.in === 'comment', index < lastEnd);
    if (!scanned.isInsideComment) visibleLines.push(scanned.text);
    removedCount += scanned.removedCount;
    state = scanned.endsInComment ? { in: 'comment' } : IN_TEXT;
  }
  return { text: visibleLines.join('\n'), removedCount };
}

/** A text without HTML comments, which GitHub hides. */
type StrippedText = { readonly text: string; readonly removedCount: number };

type ScanState =
  | { readonly in: 'text' }
  | { readonly in: 'comment' }
  | { readonly in: 'fence'; readonly mark: string; readonly length: number };

const IN_TEXT: ScanState = { in: 'text' };

const FENCE_OPENING = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;

function isFenceEnd(line: string, mark: string, length: number): boolean {
  const trimmed = line.trim();
  return trimmed.length >= length && trimmed === mark.repeat(trimmed.length);
}

type ScannedLine = {
  readonly text: string;
  readonly removedCount: number;
  /** A comment continues on the next line. */
  readonly endsInComment: boolean;
  /** The whole line lies inside a comment. */
  readonly isInsideComment: boolean;
};

/** Scans one line outside fences. `hasLaterCommentEnd` is true if a line below ends a comment. */
function scanLine(line: string, inComment: boolean, hasLaterCommentEnd: boolean): ScannedLine {
  let at = 0;
  if (inComment) {
    const end = line.indexOf('-->');
    if (end === -1) return { text: '', removedCount: 0, endsInComment: true, isInsideComment: true };
    at = end + 3;
  }
  const codeSpanEnds = findCodeSpanEnds(line);
  let text = '';
  let removedCount = 0;
  for (const { index } of line.matchAll(/`+|<!--/g)) {
    if (index < at) continue;
    if (line.charAt(index) === '`') {
      const next = codeSpanEnds.get(index) ?? index;
      text += line.slice(at, next);
      at = next;
      continue;
    }
    const end = line.indexOf('-->', index + 4);
    const hidesRest = hasLaterCommentEnd || line.slice(0, index).trim() === '';
    if (end === -1 && !hidesRest) break;
    text += line.slice(at, index);
    removedCount += 1;
    if (end === -1) return { text, removedCount, endsInComment: true, isInsideComment: false };
    at = end + 3;
  }
  return { text: text + line.slice(at), removedCount, endsInComment: false, isInsideComment: false };
}

/** The end of each inline code span by its start. A run of backticks without a partner is text. */
function findCodeSpanEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const run of [...line.matchAll(/`+/g)].toReversed()) {
    const { length } = run[0];
    const closingRun = next.get(length);
    if (closingRun !== undefined) ends.set(run.index, closingRun + length);
    next.set(length, run.index);
  }
  return ends;
}
