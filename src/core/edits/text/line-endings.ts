import { pairLines, UNPAIRED } from './hunks.ts';
import { countLineFeeds, isTerminated, splitLines, withoutLineEnding } from './lines.ts';

type LineEnding = '\n' | '\r\n';

/** The line ending of most lines; LF for a tie or a text without line endings. */
export function dominantLineEnding(text: string): LineEnding {
  if (!text.includes('\r\n')) return '\n';
  const pairs = text.split('\r\n').length - 1;
  return pairs > countLineFeeds(text) - pairs ? '\r\n' : '\n';
}

/**
 * Gives a replacement the endings of the file: a line that equals a replaced one keeps its bytes, at most one for each
 * old line; preferably in order. Other lines get the dominant ending, so that mixed files do not become more mixed.
 */
export function keepLineEndings(replaced: string, replacement: string, dominant: LineEnding): string {
  const old = splitLines(replaced).filter(isTerminated);
  const lines = splitLines(replacement);
  const pairs = pairLines(old.map(withoutLineEnding), lines.filter(isTerminated).map(withoutLineEnding));
  const inOrder = new Map(old.map((line, index) => [pairs[index] ?? UNPAIRED, line]));
  const others = Map.groupBy(
    old.filter((_, index) => pairs[index] === UNPAIRED),
    withoutLineEnding,
  );
  const kept = lines.map((line, index) => {
    if (!isTerminated(line)) return line;
    return inOrder.get(index) ?? others.get(withoutLineEnding(line))?.shift() ?? withLineEnding(line, dominant);
  });
  return kept.join('');
}

/**
 * A line with another ending. A line that ends in CR CRLF stays: the first CR would otherwise become part of the
 * ending.
 */
function withLineEnding(line: string, ending: LineEnding): string {
  const bare = withoutLineEnding(line);
  return bare.endsWith('\r') ? line : bare + ending;
}
