import type { Answer } from '../run/answer.ts';
import { renderCutDiff, viewDiff } from './diff-view.ts';
import { BODY_LIMIT, blocks, byteLength, codeSpan, escapeText } from './markdown.ts';
import { listNamed, settledSentence } from './named-list.ts';

type Shown = Extract<Answer, { kind: 'shown' }>;

/** For the marker above, the fences, and the sentence that says where it was cut. */
const ROOM_FOR_FRAME = 1_000;

/** One change as it was proposed, with what has become of it; a diff too long for a comment is cut and says so. */
export function shownChange({ proposal, settled, digest, diff }: Shown): string {
  const view = diff === null ? null : viewDiff(diff);
  const head = blocks(
    listNamed([proposal]),
    `${settledSentence(settled)}. Digest ${codeSpan(digest.slice(0, 12))}.`,
    ...(view?.warnings ?? []).map((text) => `⚠️ ${escapeText(text)}`),
  );
  if (view === null) return blocks(head, 'It has no diff in lines.');
  return blocks(head, renderCutDiff(view, BODY_LIMIT - byteLength(head) - ROOM_FOR_FRAME));
}
