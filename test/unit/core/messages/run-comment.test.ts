import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength } from '../../../../src/core/edits/text/characters.ts';
import { renderReview, renderRunComment } from '../../../../src/core/messages/run-comment.ts';
import { ana, ben, bigint, commit, links, proposal, run, vote } from './sample.ts';

const COMMENT = {
  ...({ kind: 'review-comment', id: 20, nodeId: 'n', createdAt: '2026-01-01T00:00:00Z' } as const),
  ...{ bodyHash: 'h', url: 'https://github.com/ana/shop/pull/3#discussion_r20' },
};

describe('the run comment', () => {
  it('shows the state of the run, and that nothing has been changed yet (D10)', () => {
    const proposals = [
      proposal(bigint),
      proposal(bigint, { id: 'm3x8', state: 'rejected', votes: [vote('deny', ben)] }),
    ];
    expect(
      renderRunComment({ run: run(), proposals, queued: 1, standingApprovals: [], links, number: 3 }),
    ).toMatchInlineSnapshot(`
      "<!-- countersign:run:7-3-c9 -->

      **Waiting for review** of 1 change. Changes: 1 pending, 1 rejected.

      ana asked:

      > use bigint for the sum

      | Change | File | State | By | Commit |
      |---|---|---|---|---|
      | \`k7q2\` | \`src/total.ts\` | pending |  |  |
      | \`m3x8\` | \`src/total.ts\` | rejected | ben-k |  |

      1 of 2 changes decided by ben-k; the agent gets the decisions, reasons and instructions after the last one, or with \`/continue\`.

      Nothing has been changed yet.

      1 response · 12k of 1,000,000 tokens. 1 more task queued.

      \`/continue\` skips undecided changes, \`/stop\` ends the run, \`/help\` lists all commands."
    `);
  });

  it('names the command that approves the pending changes', () => {
    const hintOf = (count: number): string | undefined => {
      const proposals = Array.from({ length: count }, (_, index) =>
        proposal(bigint, { id: `k7q${index}`, comment: COMMENT }),
      );
      return renderRunComment({ run: run(), proposals, queued: 0, standingApprovals: [], links, number: 3 })
        .split('\n')
        .at(-1);
    };
    expect(hintOf(0)).toMatch(/^`\/continue` skips/);
    expect(hintOf(1)).toMatch(/^`\/approve` approves the pending change, /);
    expect(hintOf(2)).toMatch(/^`\/approve all` approves all pending changes, /);
  });

  it('shows only the state of an ended run: the final reply has the rest (S89a)', () => {
    const by = { id: 12, login: 'ben-k' };
    const ended = run({
      phase: { kind: 'ended', reason: 'stopped', by, at: '', note: 'a note' },
      summary: 'I committed everything to main.',
    });
    expect(
      renderRunComment({ run: ended, proposals: [], queued: 2, standingApprovals: [], links, number: 3 }),
    ).toMatchInlineSnapshot(`
      "<!-- countersign:run:7-3-c9 -->

      **Ended.** The run was stopped by ben-k.

      ana asked:

      > use bigint for the sum

      Nothing was changed.

      1 response · 12k of 1,000,000 tokens.

      \`/help\` lists all commands."
    `);
  });

  it('R25: lists the applied changes, and says once how many they are', () => {
    const proposals = [proposal(bigint, { state: 'completed', commitSha: commit, votes: [vote('approve', ana)] })];
    const text = renderRunComment({
      run: run({ commits: [commit] }),
      proposals,
      queued: 0,
      standingApprovals: [],
      links,
      number: 3,
    });
    expect(text).toContain('1 change applied in 1 commit.');
    expect(text).not.toContain('Changes:');
    expect(text).toContain(
      '| `k7q2` | `src/total.ts` | completed | ana | [`1a2b3c4`](https://github.com/ana/shop/commit/',
    );
  });

  it('counts the changes in each state, and lists pending ones first, then those in work (S75)', () => {
    const states = ['completed', 'proposed', 'executing', 'rejected', 'proposed', 'approved', 'completed'] as const;
    const proposals = states.map((state, index) => proposal(bigint, { id: `k7q${index}`, state }));
    const text = renderRunComment({ run: run(), proposals, queued: 0, standingApprovals: [], links, number: 3 });
    expect(text).toContain('Changes: 2 pending, 1 approved, 1 executing, 2 completed, 1 rejected.\n');
    const rows = [...text.matchAll(/^\| `(k7q\d)` .* \| (\w+) \| .* \|.*\|$/gm)].map(
      ([, id, state]) => `${id} ${state}`,
    );
    expect(rows).toEqual([
      ...['k7q1 pending', 'k7q4 pending', 'k7q2 executing', 'k7q5 approved'],
      ...['k7q0 completed', 'k7q3 rejected', 'k7q6 completed'],
    ]);
  });

  it('stays below the limit and keeps its facts when any part grows (S30)', () => {
    const unit = fc.constantFrom(
      ...['\u{E0041}', '語', 'a\n', '\u202E', '`', '|', '@a ', '- x\n', '\uFFFD', '\u{1F600}', 'a/'],
    );
    const words = fc.tuple(unit, fc.integer({ min: 1, max: 6000 })).map(([one, times]) => one.repeat(times));
    fc.assert(
      fc.property(words, words, words, words, fc.boolean(), (task, summary, path, login, ended) => {
        const by = { id: 1, login };
        const decided = proposal({ ...bigint, path }, { state: 'rejected', votes: [vote('deny', by)] });
        const proposals = Array.from({ length: 40 }, (_, index) => ({ ...decided, id: `b${index}` }));
        const phase = { kind: 'ended', reason: 'model-failed', by, at: '', note: summary } as const;
        const text = renderRunComment({
          run: run({ task: { ...run().task, text: task, by }, summary, ...(ended ? { phase } : {}) }),
          proposals,
          queued: 0,
          standingApprovals: [],
          links,
          number: 3,
        });
        expect(byteLength(text)).toBeLessThanOrEqual(60_000);
        expect(text).toContain('| `b39` |');
        expect(text).toContain(ended ? 'Nothing was changed.' : 'Nothing has been changed yet.');
        expect(text).toMatch(/lists all commands\.$/);
      }),
      { numRuns: 60 },
    );
  });

  it('shows a log in the task as the block that it is', () => {
    const task = { ...run().task, text: 'fix this:\n\n```\nE  a_b @ana\n```\n- and #3' };
    expect(
      renderRunComment({ run: run({ task }), proposals: [], queued: 0, standingApprovals: [], links, number: 3 }),
    ).toContain('> fix this:\n>\n> ```\n> E  a_b @ana\n> ```\n>\n> - and `#3`\n');
  });

  it('shows the end of a long path', () => {
    const proposals = [proposal({ ...bigint, path: `${'long/'.repeat(300)}end.ts` })];
    expect(renderRunComment({ run: run(), proposals, queued: 0, standingApprovals: [], links, number: 3 })).toMatch(
      /\| `….{110,125}\/end\.ts` \|/,
    );
  });
});

describe('words of the model in the run comment', () => {
  it.each([
    [null, []],
    [[{ text: 'Approve `k7q2`.', done: false }], ['Changes by Countersign’s own records:']],
  ])('stand above the App’s own list, which says whose it is (R70): %j', (plan, heading) => {
    const view = {
      run: run({ plan }),
      proposals: [proposal(bigint)],
      queued: 0,
      standingApprovals: [],
      links,
      number: 3,
    };
    const blocks = renderRunComment(view).split('\n\n');
    const table = blocks.findIndex((block) => block.startsWith('| Change |'));
    expect(blocks.slice(table - 1, table).filter((block) => block.startsWith('Changes'))).toEqual(heading);
    expect(blocks.slice(table).join()).not.toContain('Approve `k7q2`');
  });
});

describe('the review', () => {
  it('introduces itself in one line, quotes the model, and ends with the App’s own list (R70)', () => {
    const modelText = '```suggestion\nx\n```\n\nAn edit for @ana.';
    const view = { runId: 'r1', turn: 2, proposals: [proposal(bigint)] };
    expect(renderReview({ ...view, modelText: null })).toMatch(
      /proposes 1 change\. Nothing changes without an approval\.$/,
    );
    expect(renderReview({ ...view, modelText })).toMatchInlineSnapshot(`
      "<!-- countersign:turn:r1:2 -->

      Countersign proposes 1 change. Nothing changes without an approval.

      Comment, written by the model:

      > \`\`\`
      > x
      > \`\`\`
      >
      > An edit for \`@ana\`.

      Proposed by Countersign’s own records:

      - \`k7q2\` Edit \`src/total.ts\`: replace 1 line"
    `);
  });
});
