import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength } from '../../src/render/markdown.ts';
import { renderReview } from '../../src/render/review.ts';
import { renderRun } from '../../src/render/run-comment.ts';
import { foreignNodes } from './foreign-nodes.ts';
import { hostileText } from './hostile-text.ts';
import { liveText } from './markdown-tree.ts';
import { ana, ben, bigint, commit, links, origin, proposal, run, vote } from './sample.ts';

describe('the run comment', () => {
  it('tells how the run stands, and that nothing has been changed yet (D10)', () => {
    const proposals = [
      proposal(bigint),
      proposal(bigint, { id: 'm3x8', state: 'rejected', votes: [vote('deny', ben)] }),
    ];
    expect(renderRun({ run: run(), proposals, queued: 1, links })).toMatchInlineSnapshot(`
      "<!-- countersign:run:7-3-c9 -->

      **Waiting** for people to decide on 1 change.

      ana asked:

      > use bigint for the sum

      | Change | File | State | By | Commit |
      |---|---|---|---|---|
      | \`k7q2\` | \`src/total.ts\` | waiting |  |  |
      | \`m3x8\` | \`src/total.ts\` | rejected | ben-k |  |

      Nothing has been changed yet.

      12,345 tokens used in 1 model response. 1 more task waiting behind this one.

      \`/continue\` goes on without the undecided changes, \`/stop\` ends the run, \`/help\` lists all commands."
    `);
  });

  it('D10: keeps to its own records, whatever the model claims', () => {
    const ended = run({
      phase: { kind: 'ended', how: 'finished', by: null, at: '', note: null },
      summary: 'I committed everything to main.',
    });
    const text = renderRun({ run: ended, proposals: [], queued: 0, links });
    expect(text).toContain('Nothing has been changed yet.');
    expect(text).toContain('Closing words, written by the model:\n\n> I committed everything to main.');
  });

  it('says what was applied', () => {
    const proposals = [proposal(bigint, { state: 'completed', commit, votes: [vote('approve', ana)] })];
    const text = renderRun({ run: run({ commits: [commit] }), proposals, queued: 0, links });
    expect(text).toContain('1 change applied in 1 commit.');
    expect(text).toContain(
      '| `k7q2` | `src/total.ts` | applied | ana | [`1a2b3c4`](https://github.com/ana/shop/commit/',
    );
  });

  it('C1 C3 C5 C7 C14: holds nothing foreign, whatever it is made of', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (words, path) => {
        const view = {
          run: run({ task: { ...run().task, text: words, by: { id: 1, login: words } }, summary: words }),
          proposals: [proposal({ ...bigint, path })],
          queued: 0,
          links,
        };
        const text = renderRun(view);
        expect(foreignNodes(text, origin)).toEqual([]);
        for (const live of liveText(text)) expect(live).not.toMatch(/@|#\d|:\/\/|www\.\S|<!--/);
        const cells = text.split('\n').find((line) => line.startsWith('| `k7q2`')) ?? '';
        expect(cells.split('|')).toHaveLength(7);
      }),
      { numRuns: 150 },
    );
  });

  it('S30: stays below the limit with a thousand changes, the open ones first', () => {
    const proposals = Array.from({ length: 1000 }, (_, index) =>
      proposal(bigint, { id: `a${index}`, state: index === 3 ? 'proposed' : 'rejected' }),
    );
    const words = '@a `'.repeat(20_000);
    const text = renderRun({
      run: run({ task: { ...run().task, text: words }, summary: words }),
      proposals,
      queued: 0,
      links,
    });
    expect(byteLength(text)).toBeLessThanOrEqual(60_000);
    expect(text).toContain('| `a3` |');
    expect(text).toContain('| `a999` |');
    expect(text).toMatch(/\d+ earlier changes not listed here\./);
  });

  it('S30: stays below the limit and keeps its facts, whatever swells in it', () => {
    const unit = fc.constantFrom(
      '\u{E0041}',
      '語',
      'a\n',
      '\u202E',
      '`',
      '|',
      '@a ',
      '- x\n',
      '\uFFFD',
      '\u{1F600}',
      'a/',
    );
    const words = fc.tuple(unit, fc.integer({ min: 1, max: 6000 })).map(([one, times]) => one.repeat(times));
    fc.assert(
      fc.property(words, words, words, words, fc.boolean(), (task, summary, path, login, ended) => {
        const by = { id: 1, login };
        const decided = proposal({ ...bigint, path }, { state: 'rejected', votes: [vote('deny', by)] });
        const proposals = Array.from({ length: 40 }, (_, index) => ({ ...decided, id: `b${index}` }));
        const phase = { kind: 'ended', how: 'model-failed', by, at: '', note: summary } as const;
        const text = renderRun({
          run: run({ task: { ...run().task, text: task, by }, summary, ...(ended ? { phase } : {}) }),
          proposals,
          queued: 0,
          links,
        });
        expect(byteLength(text)).toBeLessThanOrEqual(60_000);
        expect(text).toContain('| `b39` |');
        expect(text).toContain('Nothing has been changed yet.');
        expect(text).toMatch(/lists all commands\.$/);
      }),
      { numRuns: 60 },
    );
  });

  it('S30: is shortened only where it is too long', () => {
    const view = (text: string, summary: string) =>
      renderRun({ run: run({ task: { ...run().task, text }, summary }), proposals: [], queued: 0, links });
    expect(view('語'.repeat(1_500), 'a'.repeat(4_000))).not.toContain('showing');
    const swollen = view('\u{E0041}\n'.repeat(1_000), '\u{E0041}\n'.repeat(4_000));
    expect(byteLength(swollen)).toBeGreaterThan(15_000);
    expect(swollen).toContain('of 7999 characters)');
  });

  it('shows the end of a long path', () => {
    const proposals = [proposal({ ...bigint, path: `${'long/'.repeat(300)}end.ts` })];
    expect(renderRun({ run: run(), proposals, queued: 0, links })).toMatch(/\| `….{110,125}\/end\.ts` \|/);
  });
});

describe('the review', () => {
  it('says what it is in one line and quotes the model below', () => {
    expect(
      renderReview({ runId: 'r1', turn: 2, proposals: 3, modelText: '```suggestion\nx\n```\n\nThree edits for @ana.' }),
    ).toMatchInlineSnapshot(`
      "<!-- countersign:turn:r1:2 -->

      Countersign proposes 3 changes. Each waits for your decision. Nothing is changed until then.

      Comment, written by the model:

      > x
      >
      > Three edits for \`@ana\`."
    `);
  });
});
