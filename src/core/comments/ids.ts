import { createHmac } from 'node:crypto';
import { type PullState, pullRequestKey } from '../state/pull-state.ts';

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
 * The title line of a proposal's or question's comment, which ends with its id. GitHub's *Quote reply* keeps the marks
 * of its Markdown; a copy of the rendered text lacks them.
 */
const TITLE_LINE =
  /^(?:\*\*)?(?:Edit|Write|Delete|Move|Read|Change together|Question)(?:\*\*)? (?:[^ ].* )?· `?([a-z0-9]{4,6})`?[ \t\\]*$/i;

const QUOTE_MARK = /^ {0,3}> ?/;

/** The ids of proposals and questions that quoted title lines name, each once. Quotes in quotes do not count. */
export function findQuotedIds(quoted: readonly string[]): readonly string[] {
  const ids = quoted.flatMap((line) => parseProposalId(TITLE_LINE.exec(line.replace(QUOTE_MARK, ''))?.[1] ?? '') ?? []);
  return [...new Set(ids)];
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

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const DIGITS = '0123456789';

/** A letter and a digit in turn, so that every id has both. */
const ALPHABETS = [LETTERS, DIGITS, LETTERS, DIGITS, LETTERS, DIGITS];

/** Two parts of an id's number: all ids are the pairs of both. A long id has two more characters in its second part. */
const SHORT_PARTS = [260, 260] as const;

const LONG_PARTS = [260, 67_600] as const;

const SHORT_ID_COUNT = SHORT_PARTS[0] * SHORT_PARTS[1];

const ROUNDS = 8;

type NumberedPull = Pick<PullState, 'ref' | 'idKey' | 'proposalCount'>;

/**
 * The id of the next proposal or question, or of one after it: four characters for the first 67,600, then six. A
 * Feistel network shuffles their numbers: each id comes once, and without the key none can be computed from others.
 */
export function createProposalId({ ref, idKey, proposalCount }: NumberedPull, offset = 0): string {
  const [key, count] = [`${idKey}/${pullRequestKey(ref)}`, proposalCount + offset];
  const isShort = count < SHORT_ID_COUNT;
  const [firstSize, secondSize] = isShort ? SHORT_PARTS : LONG_PARTS;
  let [first, second] = [count % firstSize, Math.floor(count / firstSize) % secondSize];
  for (let round = 0; round < ROUNDS; round += 1) {
    first = (first + shuffle(key, `${secondSize}:${round}:1:${second}`)) % firstSize;
    second = (second + shuffle(key, `${secondSize}:${round}:2:${first}`)) % secondSize;
  }
  return encodeId(first * secondSize + second, isShort ? 4 : 6);
}

function shuffle(key: string, input: string): number {
  return createHmac('sha256', key).update(input).digest().readUInt32BE(0);
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
