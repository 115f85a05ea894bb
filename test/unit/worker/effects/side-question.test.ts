import { describe, expect, it } from 'vitest';
import type { PullState } from '../../../../src/core/state/pull-state.ts';
import type { SideQuestion } from '../../../../src/core/state/side-question.ts';
import { NO_USAGE } from '../../../../src/core/state/spending.ts';
import { openSideQuestion } from '../../../../src/worker/effects/side-question.ts';
import { pullOf, run } from '../../../contracts/store/samples.ts';
import { createWorkerContext, refuse } from './worker-context.ts';

const AT = '2030-01-08T12:00:00.000Z';

const NOW = Date.parse(AT);

const location = { at: 'conversation', commentId: 7 } as const;

const QUESTION: SideQuestion = {
  ...{ id: 'q', by: { id: 1, login: 'ana' }, text: 'how?', quote: null, location, requestedAt: AT, runId: 'r' },
  ...{ askedChange: null, runMessageCount: 0, messageCount: 0, nudge: null, terms: null, modelContext: null },
  ...{ phase: { kind: 'opening' }, usage: NO_USAGE },
};

const READING = run('r', { phase: { kind: 'reading-context', since: AT } });

const PULL: PullState = { ...pullOf(1, { run: READING }), sideQuestions: [QUESTION] };

/** The wait (s) after this attempt to begin the question. */
async function waitAfter(attempts: number): Promise<number> {
  const effect = { type: 'open-side-question', questionId: 'q' } as const;
  const counts = { attempts, waitingAttempts: attempts - 1, internalErrors: 0 };
  const result = await openSideQuestion({
    context: createWorkerContext(PULL, NOW),
    stored: { id: 1, pullRequestKey: '1/2/1', effect, ...counts, requestedAt: AT },
    ...{ effect, attempts, stopping: new AbortController().signal },
    decideNow: refuse,
    pendingCommentsDueAt: async () => null,
  });
  return result.kind === 'retry' && result.retryCause === 'waiting' ? (result.retryAt - NOW) / 1_000 : Number.NaN;
}

describe('a question while the run reads its context (S157)', () => {
  it('waits ever longer, up to half a minute: GitHub can be down for hours', async () => {
    const waits = await Promise.all([1, 2, 3, 4, 5, 6, 7, 5_000].map(waitAfter));
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });
});
