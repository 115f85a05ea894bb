import { isWithinOneEdit } from '../../lib/closest-name.ts';
import type { CommentIntent, ParsedComment } from '../state/intent.ts';
import { type CommandGrammar, type CommandText, findCommand } from './command-line.ts';
import { findQuotedIds, readQuote } from './ids.ts';

/** The meaning of a comment, and the ids of proposals and questions that it quotes. */
type CommentReading = Pick<CommentIntent, 'parsed' | 'quotedIds' | 'quote'>;

/** Parses any comment in time linear in its length and never throws. `slug` is the App's own name. */
export function parseComment(grammar: CommandGrammar, body: string, slug: string): CommentReading {
  const lines = markLines(body);
  const quoted = lines.flatMap(({ text, kind }) => (kind === 'quoted' ? [text] : []));
  return { parsed: classify(grammar, lines, slug), quotedIds: findQuotedIds(quoted), quote: readQuote(quoted) };
}

function classify(grammar: CommandGrammar, written: readonly CommentLine[], slug: string): ParsedComment {
  const { lines, addressedToApp } = removeMention(written, slug);
  const own = lines.slice(0, findTrailingQuote(lines));
  const at = own.findIndex(isOwn);
  const line = own[at];
  if (line?.kind === 'plain' && /^ {0,3}\//.test(line.text)) {
    const below = own.slice(at + 1);
    const parsed = parseCommandLine(grammar, line.text.trim().slice(1), textBelow(below), addressedToApp);
    if (parsed !== null)
      return isUnclearApproval(grammar, parsed, below) ? malformed(parsed.command.name, parsed) : parsed;
  }
  return toText(lines, own, slug, addressedToApp);
}

/** Neither blank nor quoted. */
function isOwn({ kind }: CommentLine): boolean {
  return kind === 'plain' || kind === 'code';
}

type AddressedLines = { readonly lines: readonly CommentLine[]; readonly addressedToApp: boolean };

/** The lines without the App's name at the start. GitHub shows the name with and without `[bot]`. */
function removeMention(lines: readonly CommentLine[], slug: string): AddressedLines {
  const at = lines.findIndex(isOwn);
  const text = lines[at]?.text.trim() ?? '';
  const name = `@${slug}`;
  const rest = text.slice(name.length);
  const isMention = slug !== '' && text.slice(0, name.length).toLowerCase() === name.toLowerCase();
  const [end] = /^(?:\[bot\])?(?:[\s,:]|$)/i.exec(rest) ?? [];
  if (!isMention || end === undefined) return { lines, addressedToApp: false };
  const remainder = rest.slice(end.length).trim();
  const line: CommentLine = { text: remainder, kind: remainder === '' ? 'blank' : 'plain' };
  return { lines: lines.with(at, line), addressedToApp: true };
}

function textBelow(below: readonly CommentLine[]): Omit<CommandText, 'rest'> {
  const end = below.findIndex(({ kind }) => kind === 'blank' || kind === 'quoted');
  return { below: joinLines(below), note: joinLines(end === -1 ? below : below.slice(0, end)) };
}

function joinLines(lines: readonly CommentLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

/** Parses a line behind its slash. Null for a path such as `/src/main.ts`, unless it is addressed to the App. */
function parseCommandLine(
  grammar: CommandGrammar,
  line: string,
  below: Omit<CommandText, 'rest'>,
  addressedToApp: boolean,
): ParsedComment | null {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
  const command = findCommand(grammar, word);
  if (command === null) return parseUnknown(grammar, word, addressedToApp);
  const isAddress = command.name === 'task';
  if (isAddress && rest.startsWith('/') && !addressedToApp)
    return parseCommandLine(grammar, rest.slice(1), below, true);
  const read = command.read({ rest, ...below });
  const addressed = { addressedToApp: addressedToApp || isAddress };
  return read === null ? malformed(command.name, addressed) : { kind: 'command', command: read, ...addressed };
}

/** A word of another bot, a path or a typo. A typo of `/countersign` is for the App. */
function parseUnknown(grammar: CommandGrammar, word: string, addressedToApp: boolean): ParsedComment | null {
  const typed = word.toLowerCase();
  const nearest = grammar.find(({ words }) => words.some((one) => isWithinOneEdit(one, typed)))?.name ?? null;
  if (!addressedToApp && nearest === null && word.includes('/')) return null;
  return malformed(nearest, { addressedToApp: addressedToApp || nearest === 'task' });
}

type MalformedCommand = Extract<ParsedComment, { kind: 'malformed-command' }>;

function malformed(
  command: MalformedCommand['command'],
  { addressedToApp }: Pick<MalformedCommand, 'addressedToApp'>,
): MalformedCommand {
  return { kind: 'malformed-command', command, addressedToApp };
}

/** An approval above a suggestion block or another command: either could be meant. */
function isUnclearApproval(
  grammar: CommandGrammar,
  parsed: ParsedComment,
  below: readonly CommentLine[],
): parsed is Extract<ParsedComment, { kind: 'command' }> {
  if (parsed.kind !== 'command' || parsed.command.name !== 'approve') return false;
  return splitSuggestion(below).suggestion !== null || below.some((line) => holdsCommand(grammar, line));
}

function holdsCommand(grammar: CommandGrammar, line: CommentLine): boolean {
  const [, word = ''] = /^ {0,3}\/(\w{1,20})/.exec(line.text) ?? [];
  return holdsDecision(line) || (line.kind === 'plain' && findCommand(grammar, word) !== null);
}

const DECISION = /(?:^|\s)\/(?:approve|deny|reject|dismiss)(?![\w/-])/i;

/** Whether a line outside of code holds a command that decides, also one that only continues a quote. */
function holdsDecision({ text, kind }: CommentLine): boolean {
  return kind !== 'code' && !/^ {0,3}>/.test(text) && DECISION.test(text.replace(/`[^`]*`/g, ''));
}

/** The meaning of a comment without a command. `own` lacks the quote at the end. */
function toText(
  lines: readonly CommentLine[],
  own: readonly CommentLine[],
  slug: string,
  addressedToApp: boolean,
): ParsedComment {
  const { suggestion, beside } = splitSuggestion(own);
  const text = joinLines(beside.filter(({ kind }) => kind !== 'quoted')).trim();
  return {
    kind: 'text',
    addressedToApp,
    text,
    addressedToSomeoneElse: isAddressedToSomeoneElse(text, slug),
    affirmation: suggestion === null && isConsent(beside),
    suggestion,
    isSuggestionAlone: own.length === lines.length && beside.every(({ kind }) => kind === 'blank'),
  };
}

function isAddressedToSomeoneElse(text: string, slug: string): boolean {
  const name = /^@([a-z0-9](?:[a-z0-9/_-]{0,150}))/i.exec(text)?.[1];
  return name !== undefined && name.toLowerCase() !== slug.toLowerCase();
}

/** Whether a reply consents without deciding: by its first line, or by a decision command on any line. */
function isConsent(lines: readonly CommentLine[]): boolean {
  if (lines.some(holdsDecision)) return true;
  const first = lines.find(isOwn);
  return first?.kind !== 'code' && isAffirmation(first?.text ?? '');
}

/** A line of a comment, without its terminator, and what GitHub renders it as. */
type CommentLine = { readonly text: string; readonly kind: 'blank' | 'quoted' | 'code' | 'plain' };

/** An open code fence, such as three backticks. */
type Fence = { readonly character: string; readonly length: number };

/** The fence that a line opens, or null. The line must be outside other code. */
function parseOpeningFence(line: string): Fence | null {
  const markers = /^ {0,3}(`{3,}(?!.*`)|~{3,})/s.exec(line)?.[1];
  return markers === undefined ? null : { character: markers.charAt(0), length: markers.length };
}

function isClosingFence(line: string, fence: Fence): boolean {
  const markers = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return markers.startsWith(fence.character) && markers.length >= fence.length;
}

/** More than GitHub's 65,536 characters can take in UTF-16. A longer body is not read. */
const MAX_BODY_LENGTH = 2 * 65_536;

const BLANK_LINE = /^[ \t]*$/;

const QUOTED_LINE = /^ {0,3}>/;

/** A quoted line that no line below it can continue: a blank one, a fence or a heading. */
const CLOSED_QUOTE = /^(?: {0,3}>)? ?(?:[ \t]*$| {0,3}(?:`{3}|~{3}|#{1,6}(?:[ \t]|$)))/;

/** A line that begins, or might begin, a block of its own right below a paragraph. */
const BLOCK_START =
  /^ {0,3}(?:<|#{1,6}(?:[ \t]|$)|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;

/**
 * Splits a comment into lines. A line right below a quote counts as quoted wherever Markdown might continue the quote
 * there: at worst, what stands in it decides nothing.
 */
export function markLines(body: string): readonly CommentLine[] {
  const lines: CommentLine[] = [];
  let fence: Fence | null = null;
  for (const text of body.length > MAX_BODY_LENGTH ? [] : body.split(/\r\n|\n|\r/)) {
    const opened: Fence | null = fence ?? parseOpeningFence(text);
    lines.push({ text, kind: opened === null ? kindOf(text, lines.at(-1)) : 'code' });
    fence = fence !== null && isClosingFence(text, fence) ? null : opened;
  }
  return lines;
}

function kindOf(text: string, above: CommentLine | undefined): CommentLine['kind'] {
  if (BLANK_LINE.test(text)) return 'blank';
  if (QUOTED_LINE.test(text)) return 'quoted';
  return above?.kind === 'quoted' && !CLOSED_QUOTE.test(above.text) && !BLOCK_START.test(text) ? 'quoted' : 'plain';
}

/** Index of the quote at the end and of the line above it that ends with a colon; the number of lines without one. */
function findTrailingQuote(lines: readonly CommentLine[]): number {
  const last = lines.findLastIndex(({ kind }) => kind !== 'blank');
  if (lines[last]?.kind !== 'quoted') return lines.length;
  const above = lines.findLastIndex(({ kind }, index) => index < last && kind !== 'quoted' && kind !== 'blank');
  return lines[above]?.text.trimEnd().endsWith(':') === true ? above : above + 1;
}

type SplitLines = {
  /** The lines of the one suggestion block; `unclear` if there could be another one, or none. */
  readonly suggestion: readonly string[] | 'unclear' | null;
  /** The lines outside of the block. */
  readonly beside: readonly CommentLine[];
};

const POSSIBLE_SUGGESTION = /(?:`{3}|~{3})[ \t]*suggestion\b/i;

const SUGGESTION = /^(?:`{3,}|~{3,})[ \t]*suggestion[ \t]*$/i;

/** HTML or code above a fence can contain it. */
const POSSIBLE_CONTAINER = /^ {0,3}<|`{3}|~{3}/;

/**
 * Finds the suggestion block. It counts at the left margin, where nothing above can contain it, so that the lines are
 * those that GitHub shows.
 */
export function splitSuggestion(lines: readonly CommentLine[]): SplitLines {
  const from = lines.findIndex(({ text, kind }) => kind !== 'quoted' && POSSIBLE_SUGGESTION.test(text));
  const opening = lines[from]?.text ?? '';
  const fence = parseOpeningFence(opening);
  if (from === -1) return { suggestion: null, beside: lines };
  const to = fence === null ? -1 : lines.findIndex(({ text }, at) => at > from && isClosingFence(text, fence));
  const above = lines.slice(0, from).filter(({ kind }) => kind !== 'quoted');
  const beside = [...lines.slice(0, from), ...lines.slice(to + 1)];
  const isContained = above.some(({ text }) => POSSIBLE_CONTAINER.test(text));
  const isRepeated = beside.some(({ text, kind }) => kind !== 'quoted' && POSSIBLE_SUGGESTION.test(text));
  if (to === -1 || isContained || isRepeated || !SUGGESTION.test(opening))
    return { suggestion: 'unclear', beside: lines };
  return { suggestion: lines.slice(from + 1, to).map(({ text }) => text), beside };
}

/** What people write to agree, in the ten commonest languages of pull requests. Words between slashes. */
const AFFIRMATIONS: readonly string[] = [
  'yes/y/yep/yeah/yup/ok/okay/k/sure/fine/agreed/agree/i agree/great/perfect/nice/cool/awesome/excellent',
  'lgtm/sgtm/ack/wfm/approve/approved/i approve/accept/accepted/confirmed/please/pls/thanks/thx/thank you/ty',
  'looks good/looks great/looks fine/looks right/looks ok/looking good/sounds good/sounds great/all good/good to go',
  'works/works great/that works/this works/fine by me/good/good job/well done/nice work/great work/makes sense',
  'ship it/shipit/go ahead/go for it/do it/please do/merge it/no objections/love it/absolutely/definitely/of course',
  'ja/jawohl/jep/passt/passt so/gut/sehr gut/sieht gut aus/einverstanden/genehmigt/super/danke/vielen dank/bitte',
  'oui/d accord/ça marche/ça me va/c est bon/parfait/très bien/bien/approuvé/merci',
  'sí/si/vale/de acuerdo/perfecto/muy bien/me parece bien/se ve bien/adelante/aprobado/gracias',
  'sim/certo/de acordo/perfeito/muito bem/parece bom/pode ser/aprovado/obrigado/obrigada',
  'да/ок/ага/хорошо/отлично/супер/согласен/согласна/одобряю/одобрено/выглядит хорошо/спасибо/годится',
  '是/是的/好/好的/行/可以/没问题/同意/批准/赞/谢谢/看起来不错/はい/了解/了解です/承認/承認します/いいね/いいですね/問題ありません',
  'हाँ/हां/ठीक है/अच्छा/सही है/स्वीकृत/धन्यवाद/نعم/موافق/تمام/حسنا/جيد/شكرا/네/예/좋아요/좋습니다/승인/승인합니다/감사합니다',
];

/** Words that say nothing by themselves beside an affirmation. */
const FILLERS = 'this/that/it/for me/to me/with me/by me/me/very/so/much/now/all/too/a lot/then/and/the change';

const PHRASES = AFFIRMATIONS.flatMap((line) => line.split('/')).toSorted(byLength);

function byLength(left: string, right: string): number {
  return right.length - left.length;
}

const ONLY_AFFIRMATIONS = ((): RegExp => {
  const fillers = FILLERS.split('/').toSorted(byLength);
  const any = [...PHRASES, ...fillers].join('|');
  return new RegExp(`^(?:(?:${fillers.join('|')}) )*(?:${PHRASES.join('|')})(?: (?:${any}))*$`, 'u');
})();

/** Longer lines say more than yes; a picture can have a long address. */
const MAX_CHARACTERS = { line: 1_000, words: 120 } as const;

/** Whether a line says no more than yes: in words, emoji, a picture, a number, or not at all. */
function isAffirmation(line: string): boolean {
  if (line.length > MAX_CHARACTERS.line) return false;
  const words = line
    .toLowerCase()
    .replace(/!\[([^\]]{0,60})\]\([^)]{0,300}\)/g, '$1')
    .replace(/:[a-z0-9_+-]{1,40}:|@[a-z0-9-]+(?:\[bot\])?|[\uFE0F\u20E3]/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  if (words.length > MAX_CHARACTERS.words) return false;
  return words === '' || /^\d+$/.test(words) || ONLY_AFFIRMATIONS.test(words);
}
