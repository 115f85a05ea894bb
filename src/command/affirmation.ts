import { withoutSignature } from './email-reply.ts';
import { readId } from './proposal-name.ts';

/** Words that people say yes with. A yes is neither an approval nor an instruction: it gets a hint. */
const YES = new Set([
  ...[
    'yes',
    'yep',
    'yeah',
    'yup',
    'y',
    'ok',
    'okay',
    'k',
    'sure',
    'fine',
    'agreed',
    'great',
    'perfect',
    'nice',
    'please',
  ],
  ...['lgtm', 'sgtm', 'approve', 'approved', 'accept', 'accepted', 'thanks', '+1'],
]);
/** Words that say no more beside a yes, as an id of a change does. */
const BESIDE = new Set([
  'i',
  'we',
  'it',
  'this',
  'that',
  'these',
  'all',
  'both',
  'the',
  'change',
  'changes',
  'now',
  'too',
]);
const PHRASES = /\b(?:looks|sounds) good(?: to me)?\b|\bship it\b|\bgo ahead\b|\bthank you\b/g;
const DECORATION = /[*_~`]|[\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u200D|\u20E3/gu;
/** Also by its name between colons. No emoji says what should be different, so each counts as a yes. */
const EMOJI = /:[a-z0-9_+-]{1,40}:|[\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;
const LONGEST = 80;

/** Whether a text says nothing but yes, in words or emoji, or is a bare number. A mail program's signature does not count. */
export function isAffirmation(text: string): boolean {
  const own = withoutSignature(text);
  if (own.length > LONGEST) return false;
  const words = own
    .toLowerCase()
    .replace(EMOJI, ' yes ')
    .replace(DECORATION, '')
    .replace(PHRASES, 'yes')
    .split(/[\s.,;!~"'()]+/)
    .filter((word) => word !== '');
  if (words.length === 1 && /^\d+$/.test(words[0] ?? '')) return true;
  return words.some((word) => YES.has(word)) && words.every(saysNoMore);
}

function saysNoMore(word: string): boolean {
  return YES.has(word) || BESIDE.has(word) || readId(word) !== null;
}
