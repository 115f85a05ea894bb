import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderQuestion } from '../../../../src/core/messages/question-comment.ts';
import { renderReview, renderRunComment } from '../../../../src/core/messages/run-comment.ts';
import { type AgentQuestion, type QuestionInput, questionDigest } from '../../../../src/core/state/question.ts';
import { foreignNodes } from './foreign-nodes.ts';
import { hostileText } from './hostile-text.ts';
import { ACTIVE, liveText, nodesOf } from './markdown-tree.ts';
import { ana, bigint, links, origin, proposal, run, vote } from './sample.ts';

/** A text with the number of cells that each row of its tables must have. */
type Shown = { readonly text: string; readonly cells: number };

const plain = (text: string): Shown => ({ text, cells: 0 });

function questions(words: string, others: string): readonly AgentQuestion[] {
  const inputs: readonly QuestionInput[] = [
    { type: 'text' },
    { type: 'choice', choices: [words, others, 'z'] },
    { type: 'approval', choices: [words, others] },
  ];
  const outcomes: readonly Partial<AgentQuestion>[] = [
    { state: 'asked' },
    { state: 'answered', answer: { kind: 'choice', index: 0, value: words }, note: others },
    { state: 'answered', answer: { kind: 'text', value: others }, note: words },
    { state: 'rejected', note: words },
    { state: 'cancelled', problem: words },
  ];
  return inputs.flatMap((input) =>
    outcomes.map((outcome) => ({
      ...{ id: 'k7q2', runId: 'r1', call: { turn: 1, callId: 'c1' }, input, prompt: words },
      isDue: true,
      ...{ precedingText: others, digest: questionDigest(input, words), place: { at: 'conversation' } as const },
      ...{ state: 'asked' as const, comment: null, expiresAt: null, reminded: false, answer: null, note: null },
      ...{ by: { id: 1, login: words }, problem: null },
      ...outcome,
    })),
  );
}

function runComment(words: string, others: string): string {
  const by = { id: 1, login: others };
  const given = { number: 2, tool: 'edit_file', path: null, glob: words, grantedAt: '2026-01-01T00:00:00Z' } as const;
  const standing = { ...given, expiresAt: '2026-01-08T00:00:00Z', vote: vote('approve-always', by) };
  return renderRunComment({
    run: run({
      task: { ...run().task, text: words, by },
      settings: { ...run().settings, model: words },
      plan: [
        { text: words, done: true },
        { text: others, done: false },
      ],
      questions: questions(words, others).slice(-1),
      readings: [words, others].map((path) => ({ path, ref: 'head', blob: 'a', shown: [] })),
    }),
    proposals: [
      proposal({ ...bigint, path: words }, { state: 'rejected', votes: [vote('deny', by, words)] }),
      proposal({ ...bigint, path: others, from: words }),
    ],
    queued: 1,
    standingApprovals: [standing],
    links,
    number: 3,
  });
}

function everyText(words: string, others: string): readonly Shown[] {
  return [
    ...questions(words, others).map((one) => plain(renderQuestion(one, ana, []).replace(/^@ana, /m, ''))),
    plain(renderReview({ runId: 'r1', turn: 1, proposals: [], modelText: words })),
    { text: runComment(words, others), cells: 5 },
  ];
}

/** The days of the App's own times, which GitHub could only take for references to tickets. */
const OWN_DAYS = /\b2026-\d\d-\d\d\b/g;

it('questions, reviews, plans and files show no text of others as more than text (C1, C2, C3, C5, C7, C14)', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (words, others) => {
      for (const { text, cells } of everyText(words, others)) {
        expect(foreignNodes(text, origin)).toEqual([]);
        expect(nodesOf(text).filter(({ type }) => type === 'html').length).toBeLessThan(2);
        for (const live of liveText(text.replaceAll(OWN_DAYS, ''))) expect(live).not.toMatch(ACTIVE);
        if (cells === 0) continue;
        const rows = text.split('\n').filter((line) => line.startsWith('|'));
        for (const row of rows) expect(row.split('|')).toHaveLength(cells + 2);
      }
    }),
    { numRuns: 40 },
  );
});
