/**
 * Splits a text into lines that keep their terminators. A line ends after LF, so a CR belongs to its line. The empty
 * text has no lines.
 */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = lineEnd(text, start);
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The number of lines that `splitLines` returns. */
export function countLines(text: string): number {
  return countLineFeeds(text) + (text === '' || isTerminated(text) ? 0 : 1);
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The offset just behind the line that holds `offset`. */
export function lineEnd(text: string, offset: number): number {
  const lineFeed = text.indexOf('\n', offset);
  return lineFeed === -1 ? text.length : lineFeed + 1;
}

export function isLineStart(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n';
}

export function isLineEnd(text: string, offset: number): boolean {
  return offset === text.length || isLineStart(text, offset);
}

/**
 * The offset at which the line of this 0-based index starts; the end of the text for the index behind the last line,
 * null beyond.
 */
export function offsetOfLine(text: string, index: number): number | null {
  let offset = 0;
  for (let passed = 0; passed < index; passed += 1) {
    if (offset >= text.length) return null;
    offset = lineEnd(text, offset);
  }
  return offset;
}

/** The text of the lines `from` (0-based) up to but not including `to`, as far as they exist. */
export function sliceLines(text: string, from: number, to: number): string {
  const start = offsetOfLine(text, from) ?? text.length;
  let end = start;
  for (let index = from; index < to && end < text.length; index += 1) end = lineEnd(text, end);
  return text.slice(start, end);
}

/** Whether a line ends with LF. Only the last line of a text can lack it. */
export function isTerminated(line: string): boolean {
  return line.endsWith('\n');
}

/** A line without its LF or CRLF. */
export function withoutLineEnding(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2);
  return isTerminated(line) ? line.slice(0, -1) : line;
}

/** Replaces every CRLF with LF. A CR without LF stays. */
export function crLfToLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export function areLinesEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}

/**
 * How many lines two lists share at the start (`head`) and, among the rest, at the end (`tail`). Numbers can stand for
 * lines.
 */
export function countCommonLines<Line>(
  left: ArrayLike<Line>,
  right: ArrayLike<Line>,
  isEqual: (left: Line | undefined, right: Line | undefined) => boolean = (one, other) => one === other,
): { readonly head: number; readonly tail: number } {
  const limit = Math.min(left.length, right.length);
  let head = 0;
  while (head < limit && isEqual(left[head], right[head])) head += 1;
  let tail = 0;
  while (tail < limit - head && isEqual(left[left.length - 1 - tail], right[right.length - 1 - tail])) tail += 1;
  return { head, tail };
}
