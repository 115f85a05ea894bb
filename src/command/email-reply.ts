import type { PageLine } from './page.ts';

/** How mail programs introduce the message that is answered: the words at the start and at the end. */
const INTRODUCTIONS: readonly { readonly start: RegExp; readonly end: RegExp }[] = [
  { start: /^On\b/i, end: /\bwrote:\s*$/i },
  { start: /^Am\b/i, end: /\bschrieb\b[^:]*:\s*$/i },
  { start: /^Le\b/i, end: /\ba écrit\s*:\s*$/i },
  { start: /^El\b/i, end: /\bescribió\s*:\s*$/i },
  { start: /^Il\b/i, end: /\bha scritto\s*:\s*$/i },
];
/** A program may break its introduction into this many lines. */
const INTRODUCTION_LINES = 3;
const DATED = /\d{4}|\d:\d\d|@/;

const SEPARATOR = /^(?:-{2,} ?Original Message ?-{2,}|-{2,} ?Forwarded message ?-{2,})\s*$/i;
const FROM = /^\*{0,2}(?:From|Von):\*{0,2}\s/i;
const NEXT_FIELD = /^\*{0,2}(?:Sent|Date|To|Gesendet|Datum|An):\*{0,2}\s/i;

/** What every header begins with, so that other lines cost next to nothing. */
const BEGINNING = /^[ \t]{0,8}(?:--|\*{0,2}(?:From|Von):|(?:On|Am|Le|El|Il)\b)/i;

/** What begins a signature: two dashes alone, or the line that a telephone's mail program adds. */
const SIGNATURE =
  /^(?:-- ?$|[ \t*_]{0,8}(?:Sent from (?:my|Mail|Outlook|Yahoo)\b|Get \[?Outlook for\b|Von meinem .{1,40} gesendet\b))/i;

/** A text above the signature that a mail program put below it. Only for judging what is said: the words are kept whole. */
export function withoutSignature(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => SIGNATURE.test(line));
  return (at === -1 ? lines : lines.slice(0, at)).join('\n').trim();
}

/** Index of the first line of an e-mail reply's header, or the number of lines where there is none. */
export function replyHeader(lines: readonly PageLine[]): number {
  const at = lines.findIndex(
    (line, index) => line.mark === 'plain' && BEGINNING.test(line.text) && beginsHeader(lines, index),
  );
  return at === -1 ? lines.length : at;
}

function beginsHeader(lines: readonly PageLine[], at: number): boolean {
  const text = startOf(lines[at]);
  if (SEPARATOR.test(text)) return true;
  if (FROM.test(text)) return [1, 2].some((step) => NEXT_FIELD.test(startOf(lines[at + step])));
  const introduction = INTRODUCTIONS.find(({ start }) => start.test(text));
  return introduction !== undefined && isIntroduction(lines, at, introduction.end);
}

/** A person may write such words too: a date or an address, or a quote below them, tells the program's. */
function isIntroduction(lines: readonly PageLine[], at: number, end: RegExp): boolean {
  const few = lines.slice(at, at + INTRODUCTION_LINES);
  const last = few.findIndex((line) => line.mark !== 'plain' || end.test(line.text.slice(-200)));
  if (last === -1 || few[last]?.mark !== 'plain') return false;
  const words = few.slice(0, last + 1).map(startOf);
  if (words.some((line) => DATED.test(line))) return true;
  const next = lines.slice(at + last + 1, at + last + 4).find((line) => line.mark !== 'blank');
  return next === undefined || next.mark === 'quoted';
}

/** Long lines are no header; looking at their start only keeps the search linear. */
function startOf(line: PageLine | undefined): string {
  return line === undefined ? '' : line.text.trimStart().slice(0, 300);
}
