import { pluralize } from '../../lib/format.ts';
import { joinBlocks, quoteModelText } from './markdown.ts';
import { turnMarker } from './markers.ts';

/** The review that holds the proposals of one turn, or an undo, which belongs to no turn. */
type ReviewView = {
  readonly runId: string;
  readonly turn: number | null;
  /** Number of changes that the turn proposes, wherever their comments are. */
  readonly proposals: number;
  /** The model's text beside its calls. */
  readonly modelText: string | null;
};

const MAX_MODEL_TEXT_CHARACTERS = 4_000;

/** A review's own body: one line of introduction, then the model's text. */
export function renderReview({ runId, turn, proposals, modelText }: ReviewView): string {
  const proposed = turn === null ? 'the undo of a change' : pluralize(proposals, 'change');
  return joinBlocks(
    turnMarker(runId, turn),
    `Countersign proposes ${proposed}. Nothing changes without an approval.`,
    modelText === null ? '' : quoteModelText('Comment', modelText, MAX_MODEL_TEXT_CHARACTERS),
  );
}

/** The message with which the App dismisses its own review. */
export const NOTHING_PENDING_TEXT = 'None of these changes is pending any more.';
