import type { ToolCall } from '../prompt/message.ts';
import type { Signal, ToolResult } from '../run/signal.ts';
import type { StoredEffect } from '../store/store.ts';

type Given = Pick<StoredEffect, 'effect' | 'attempts'>;

function unread(call: ToolCall): ToolResult {
  return { callId: call.id, kind: 'output', output: 'The repository could not be read.', read: null };
}

/** What the decision core must hear of an effect that will not be tried again; `fault` where one of ours is why. */
export function givenUp({ effect, attempts }: Given, fault: string | null): Signal | null {
  switch (effect.type) {
    case 'ask-model': {
      const { runId, turn } = effect;
      return { type: 'model-failed', runId, turn, message: because(fault, 'it could not be asked') };
    }
    case 'ask-question':
      return {
        type: 'question-answered',
        question: effect.question,
        said: { kind: 'failed', message: because(fault, 'The question could not be put to the model.') },
      };
    case 'post-review':
      return {
        type: 'posting-failed',
        runId: effect.runId,
        turn: effect.turn,
        proposalIds: effect.proposalIds,
        message: because(fault, 'GitHub did not accept them'),
      };
    case 'commit': {
      // Nobody is there to be told, and what an earlier try came to cannot be seen.
      if (attempts > 1) return { type: 'access-lost', loss: 'unreachable' };
      const { runId, proposalIds } = effect;
      return { type: 'commit-failed', runId, proposalIds, message: 'GitHub did not take the commit', byRule: false };
    }
    case 'use-tools':
      return {
        type: 'tools-used',
        runId: effect.runId,
        turn: effect.turn,
        head: null,
        results: effect.calls.map(unread),
      };
    case 'catch-up':
      return { type: 'caught-up', read: false, expiring: effect.expiring };
    case 'dismiss-review':
      return { type: 'review-kept', runId: effect.runId, reviewId: effect.reviewId };
    default:
      return null;
  }
}

/** Under the fault's id the log has the error. */
function because(fault: string | null, otherwise: string): string {
  return fault === null ? otherwise : `something went wrong in Countersign itself (fault ${fault} in its log)`;
}
