import { byteLength } from '../../edits/text/characters.ts';
import { CUT_MARK, cutText } from './clean-text.ts';

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The part for the last sentences: people and models often end with the point. */
const END_SHARE = 1 / 3;

/** The first and last sentences of a text that fit, with a mark in the place of the others. */
export function cutSentences(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  const sentences = [...SENTENCES.segment(text.trim())].map(({ segment }) => segment);
  const end = takeSentences(sentences.toReversed(), maxBytes * END_SHARE).toReversed();
  const ending = end.length === 0 ? CUT_MARK : `${CUT_MARK} ${end.join('').trim()}`;
  const start = takeSentences(sentences.slice(0, sentences.length - end.length), maxBytes - byteLength(ending) - 1);
  return start.length === 0 ? cutText(text, maxBytes) : `${start.join('').trim()} ${ending}`;
}

/** The sentences at the start that fit. */
function takeSentences(sentences: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const at = sentences.findIndex((sentence) => {
    bytes += byteLength(sentence);
    return bytes > maxBytes;
  });
  return at === -1 ? sentences : sentences.slice(0, at);
}
