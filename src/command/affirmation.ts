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
  ...['lgtm', 'sgtm', 'approve', 'approved', 'accept', 'accepted', 'thanks', '+1', ':+1:', ':thumbsup:', '👍'],
]);
const PHRASES = /\b(?:looks|sounds) good(?: to me)?\b|\bship it\b|\bgo ahead\b|\bthank you\b/g;
const SKIN_TONES = /[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu;
const LONGEST = 80;

/** Whether a text says nothing but yes, or is a bare number. */
export function isAffirmation(text: string): boolean {
  if (text.length > LONGEST) return false;
  const words = text
    .toLowerCase()
    .replace(SKIN_TONES, '')
    .replaceAll('👍', ' 👍 ')
    .replace(PHRASES, 'yes')
    .split(/[\s.,;!~"'()]+/)
    .filter((word) => word !== '');
  if (words.length === 1 && /^\d+$/.test(words[0] ?? '')) return true;
  return words.length > 0 && words.every((word) => YES.has(word));
}
