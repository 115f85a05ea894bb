import type { Answer } from '../run/answer.ts';
import { renderDiff, renderPart } from './diff-blocks.ts';
import { type DiffPart, diffParts } from './diff-parts.ts';
import { type DiffView, viewDiff } from './diff-view.ts';
import { blocks, codeSpan, escapeText } from './markdown.ts';
import { listNamed, settledSentence } from './named-list.ts';

type Shown = Extract<Answer, { kind: 'shown' }>;

/** A diff with the parts it is cut into; null where a line of it is too long for a comment. */
type Cut = { readonly view: DiffView; readonly parts: readonly DiffPart[] } | null;

function cutOf(diff: string): Cut {
  const view = viewDiff(diff);
  const parts = diffParts(view);
  return parts === null ? null : { view, parts };
}

/**
 * One change as it was proposed, with what has become of it; a diff too long for a comment goes on in `furtherShown`.
 */
export function shownChange({ proposal, settled, digest, diff }: Shown): string {
  const cut = diff === null ? null : cutOf(diff);
  const head = blocks(
    listNamed([proposal]),
    `${settledSentence(settled)}. Digest ${codeSpan(digest.slice(0, 12))}.`,
    ...(cut?.view.warnings ?? []).map((text) => `⚠️ ${escapeText(text)}`),
  );
  if (diff === null) return blocks(head, 'It has no diff in lines.');
  const [first, ...further] = cut?.parts ?? [];
  if (cut === null || first === undefined) return blocks(head, 'Its diff has a line that is too long for a comment.');
  return further.length === 0
    ? blocks(head, renderDiff(cut.view))
    : blocks(head, partLine(1, cut.parts.length), renderPart(cut.view, first, true));
}

/** The comments in which a long diff goes on, in order. */
export function furtherShown({ proposal, diff }: Shown): readonly string[] {
  const cut = diff === null ? null : cutOf(diff);
  if (cut === null) return [];
  const { view, parts } = cut;
  return parts
    .slice(1)
    .map((part, index) =>
      blocks(listNamed([proposal]), partLine(index + 2, parts.length), renderPart(view, part, true)),
    );
}

function partLine(part: number, parts: number): string {
  return `Part ${part} of ${parts} of its diff.`;
}
