import { feedsBefore } from './feed-count.ts';
import { folded } from './folded.ts';
import { LF, lettersOf } from './letters.ts';

/**
 * Splits a text into lines that keep their terminators, so that joining them gives the text back.
 * A line ends after LF; a CR belongs to its line. The empty text has no line.
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

/** Number of lines that `splitLines` would give. */
export function countLines(text: string): number {
  return countFeeds(text) + (text === '' || isTerminated(text) ? 0 : 1);
}

/** Letters of a text beyond which its lines are counted by numbers, which takes a while to begin. */
const MANY = 1024;

/** Number of lines that end with LF. */
export function countFeeds(text: string): number {
  if (text.length > MANY) return feedsBefore(lettersOf(text)).at(-1) ?? 0;
  let count = 0;
  for (let feed = text.indexOf('\n'); feed !== -1; feed = nextFeed(text, feed + 1)) count += 1;
  return count;
}

/** Letters that are looked at one by one: for a very short line the engine's own search takes longer to begin than to search. */
const NEAR = 4;

/** Offset of the first LF from `offset` on; -1 where there is none. */
export function nextFeed(text: string, offset: number): number {
  const near = Math.min(offset + NEAR, text.length);
  for (let at = offset; at < near; at += 1) if (text.charCodeAt(at) === LF) return at;
  return text.indexOf('\n', near);
}

/** Offset just behind the line that holds `offset`: behind its LF, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const feed = nextFeed(text, offset);
  return feed === -1 ? text.length : feed + 1;
}

/** Offset at which the line that holds `offset` begins. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset at which the line of this 0-based index begins; one behind the last line is the end of the text; else null. */
export function offsetOfLine(text: string, index: number): number | null {
  let offset = 0;
  for (let passed = 0; passed < index; passed += 1) {
    if (offset >= text.length) return null;
    offset = lineEnd(text, offset);
  }
  return offset;
}

/** The text of the lines of the 0-based indexes `from` up to but not including `to`, as far as there are any. */
export function linesOf(text: string, from: number, to: number): string {
  const start = offsetOfLine(text, from) ?? text.length;
  let end = start;
  for (let index = from; index < to && end < text.length; index += 1) end = lineEnd(text, end);
  return text.slice(start, end);
}

/** Whether a line ends with LF; only the last line of a text may not. */
export function isTerminated(line: string): boolean {
  return line.endsWith('\n');
}

/** A line without its LF or CRLF. */
export function bareLine(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2);
  return isTerminated(line) ? line.slice(0, -1) : line;
}

/** The text with every CRLF made LF; a CR that stands elsewhere is kept. */
export function withoutCarriageReturns(text: string): string {
  return text.length > MANY ? folded(text).text : text.replaceAll('\r\n', '\n');
}

/** Whether two lists hold the same lines, byte for byte. */
export function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}
