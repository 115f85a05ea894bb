import { hash } from 'node:crypto';
import type { QuotedId } from '../state/intent.ts';
import { type Fence, isClosingFence, parseOpeningFence } from './markdown-blocks.ts';

const PROPOSAL_ID = /^(?=[a-z0-9]{4,6}$)(?=.*[a-z])(?=.*[0-9])/i;

/** Parses a proposal's id: 4 to 6 ASCII letters and digits, at least one of each. Returns it in lower case, or null. */
export function parseProposalId(word: string): string | null {
  return PROPOSAL_ID.test(word) ? word.toLowerCase() : null;
}

/** An id with the punctuation of a sentence around it (`k7q2:`, "k7q2", (k7q2)) or as a code span. */
const ID_WITH_PUNCTUATION = /^[^\p{L}\p{N}]{0,9}([a-z0-9]{4,6})[^\p{L}\p{N}]{0,9}$/iu;

/** Parses a proposal's id with punctuation before and after it. */
export function parsePunctuatedId(word: string): string | null {
  return parseProposalId(ID_WITH_PUNCTUATION.exec(word)?.[1] ?? '');
}

/**
 * The id line of a proposal's or question's comment. GitHub's *Quote reply* keeps the backticks of its code spans; a
 * copy of the rendered text lacks them.
 */
const ID_LINES: readonly RegExp[] = [
  /^Change \d{1,3} of \d{1,3} · (`?)([a-z0-9]{4,6})\1 · digest (`?)([0-9a-f]{12})\3 · head (`?)[0-9a-f]{7}\5[ \t\\]*$/i,
  /^Question · (`?)([a-z0-9]{4,6})\1 · digest (`?)([0-9a-f]{12})\3[ \t\\]*$/i,
];

const QUOTE_MARK = /^ {0,3}> ?/;

const NESTED_QUOTE = /^ {0,3}>/;

const BLANK_LINE = /^[ \t]*$/;

/**
 * The proposals that quoted lines name in id lines, each once, in order. Code is skipped because the model wrote it.
 * Nested quotes are skipped, with their lazy continuations, because another person might have forged them.
 */
export function findQuotedIds(quoted: readonly string[]): readonly QuotedId[] {
  const found = new Map<string, QuotedId>();
  let fence: Fence | null = null;
  let nested = false;
  for (const line of quoted) {
    const text = line.replace(QUOTE_MARK, '');
    if (fence !== null) {
      if (isClosingFence(text, fence)) fence = null;
      continue;
    }
    nested = NESTED_QUOTE.test(text) || (nested && !BLANK_LINE.test(text));
    if (nested) continue;
    fence = parseOpeningFence(text);
    const quotedId = parseIdLine(text);
    if (quotedId !== null) found.set(`${quotedId.id} ${quotedId.digest}`, quotedId);
  }
  return [...found.values()];
}

/** Enough to find the quoted comment again. */
const MAX_QUOTED_CHARACTERS = 2_000;

/** The beginning of quoted lines, without their marks; null if they have no text. */
export function readQuote(quoted: readonly string[]): string | null {
  const text = quoted
    .map((line) => line.replace(QUOTE_MARK, ''))
    .join('\n')
    .trim();
  return text === '' ? null : text.slice(0, MAX_QUOTED_CHARACTERS);
}

/** The proposal or question that an id line names; null for any other line. */
function parseIdLine(text: string): QuotedId | null {
  const found = ID_LINES.map((line) => line.exec(text)).find((match) => match !== null);
  const [, , word = '', , digest = ''] = found ?? [];
  const id = parseProposalId(word);
  return id === null ? null : { id, digest: digest.toLowerCase() };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const DIGITS = '0123456789';

/** A letter and a digit in turn, so that every id has both. */
const ALPHABETS = [LETTERS, DIGITS, LETTERS, DIGITS, LETTERS, DIGITS];

const SHORT_ID_COUNT = LETTERS.length * DIGITS.length * LETTERS.length * DIGITS.length;

const LONG_ID_COUNT = SHORT_ID_COUNT * LETTERS.length * DIGITS.length;

/** Coprime to both counts, whose only factors are 2, 5 and 13, so that multiples of it reach every id once. */
const STRIDE = 40_009;

/**
 * The id of proposal number `count` on a pull request: four characters for the first 67,600, then six. Ids are unique
 * on the pull request, and consecutive ids look different, so that they are hard to confuse.
 */
export function createProposalId(pullRequestKey: string, count: number): string {
  const short = count < SHORT_ID_COUNT;
  const size = short ? SHORT_ID_COUNT : LONG_ID_COUNT;
  const start = hash('sha256', pullRequestKey, 'buffer').readUInt32BE(0) % size;
  const index = (start + (count % size) * STRIDE) % size;
  return encodeId(index, short ? 4 : 6);
}

function encodeId(index: number, length: number): string {
  let rest = index;
  let id = '';
  for (const alphabet of ALPHABETS.slice(0, length)) {
    id += alphabet.charAt(rest % alphabet.length);
    rest = Math.floor(rest / alphabet.length);
  }
  return id;
}
