import { blocks, modelWords } from './markdown.ts';
import { turnMarker } from './markers.ts';
import { count } from './words.ts';

/** The review that holds the proposals of one turn, or one that belongs to none. */
export type ReviewView = {
  readonly runId: string;
  readonly turn: number | null;
  /** How many changes the turn proposes, wherever they stand. */
  readonly proposals: number;
  /** What the model wrote beside its calls. */
  readonly modelText: string | null;
};

const TEXT_CAP = 4_000;

/** A review's own body: what this is, in one line, and the model's words below. */
export function renderReview(view: ReviewView): string {
  const changes = count(view.proposals, 'change');
  const each = view.proposals === 1 ? 'It waits for your decision.' : 'Each waits for your decision.';
  return blocks(
    turnMarker(view.runId, view.turn),
    `${view.turn === null ? 'Somebody asked Countersign to undo a change' : `Countersign proposes ${changes}`}. ${each} Nothing is changed until then.`,
    view.modelText === null ? '' : modelWords('Comment', view.modelText, TEXT_CAP),
  );
}

/** Why we dismiss our own review, for GitHub to show below it. */
export const NOTHING_WAITS = 'None of these changes waits for a decision any more.';
