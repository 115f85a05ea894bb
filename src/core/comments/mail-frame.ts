/** GitHub's notification mail puts a header above a comment and a footer below it. Both are cut into lines anywhere. */
const MAX_HEADER_LINES = 4;

const MAX_FOOTER_LINES = 14;

/** The account is an App: no person's login has brackets. A link follows in a copy of the rendered mail. */
const HEADER =
  /^[*_]{0,3}[a-z0-9-]{1,60}\\?\[bot\\?\][*_]{0,3} left a comment \([a-z0-9_.-]{1,100}\/[a-z0-9_.-]{1,100}#\d{1,10}\)(?: <https:\/\/[^\s<>]{1,400}>)?$/i;

const REASON = String.raw`You are receiving this because you [a-z /]{1,60}\.`;

const LINK = String.raw`(?: ?<?https://[^\s<>]{1,400}>?)?`;

/** Mail programs keep the addresses of links or drop them, and GitHub masks addresses of mail in comments. */
const FOOTER = new RegExp(
  String.raw`^(?:—|--) (?:${REASON} ?)?Reply to this email directly(?:,| or) view it on GitHub:?${LINK}(?:, or (?:unsubscribe|mute the thread)${LINK})? ?\.?(?: ?${REASON})?(?: ?Message ID: ?<?[^\s<>]{1,300}>)?$`,
  'i',
);

const FOOTER_START = /^[ \t]*(?:—|--)[ \t]*$/;

const BLANK_LINE = /^[ \t]*$/;

/**
 * Quoted lines without the header and the footer of GitHub's mail. Both have a fixed form without anyone's words, so
 * nothing that could mislead is left out; in any other form they stay.
 */
export function withoutMailFrame(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !BLANK_LINE.test(line));
  if (first === -1) return lines;
  return lines.slice(endOfHeader(lines, first), startOfFooter(lines));
}

function endOfHeader(lines: readonly string[], first: number): number {
  const ends = Array.from({ length: MAX_HEADER_LINES }, (_, count) => first + count + 1);
  return ends.findLast((end) => HEADER.test(joinLines(lines.slice(first, end)))) ?? 0;
}

function startOfFooter(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => !BLANK_LINE.test(line));
  const from = Math.max(0, last + 1 - MAX_FOOTER_LINES);
  const start = lines.findIndex((line, at) => at >= from && FOOTER_START.test(line));
  return start !== -1 && FOOTER.test(joinLines(lines.slice(start))) ? start : lines.length;
}

/** One line with single spaces. The limit keeps the match short: no frame is longer. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.slice(0, 500))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
