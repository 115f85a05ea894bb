import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { editRow, ROWS_PATH, rows, tellRows } from './rows.ts';
import { openStage, type Stage } from './stage.ts';
import type { Story } from './story.ts';

const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

const NO_MODEL = { fault: 'status', status: 401, body: { error: { message: 'no', code: 'x' } } } as const;

/** The outcome of each proposal, the branch, and the comments. */
async function endState({ bot, pr, stored }: Story): Promise<unknown> {
  const { proposals, run } = await stored();
  return {
    proposals: proposals.map(({ state, votes }) => [state, ...votes.map(({ action }) => action)]),
    run: run?.phase.kind === 'ended' ? run.phase.reason : run?.phase.kind,
    file: pr.file(ROWS_PATH),
    answers: bot.answers().map((body) => body.split('\n')[0]?.replaceAll(/`[a-z0-9]{4,7}`|@\S+|\(http\S+\)/g, '…')),
  };
}

/** A conversation with every decision that depends on the order of times. */
async function played(stage: Stage): Promise<Story> {
  const story = await tellRows(stage);
  const { ana, ben, bot, model } = story;
  model.proposes(editRow(4, 40), editRow(9, 90), editRow(14, 140));
  stage.model.script(NO_MODEL);
  await ana.says('/countersign change the rows');
  // Decided by an event without its own time, before a comment about the only pending change.
  await ben.commitsSuggestion(bot.proposal(1));
  await ana.replies(bot.proposal(2), '/deny not this one');
  await ana.says('/approve');
  // The model failed, and only a comment after the end can resume the run.
  model.proposes(editRow(5, 50), editRow(15, 150));
  await ana.says('/resume');
  await ana.says('/approve all');
  // The second of two equal replies is posted, but GitHub's response is lost: it must not be posted again.
  await ana.says('/status');
  stage.github.faults.add({ route: COMMENT, kind: 'fail-after-apply', status: 502 });
  await ana.says('/status');
  await vi.waitFor(() => expect(stage.server().isBusy()).toBe(false), { timeout: 25_000, interval: 20 });
  await stage.settle();
  return story;
}

describe.each([-600, 600, 0])('GitHub’s clock is %i seconds ahead of the host’s', (ahead) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ ahead });
  });
  afterAll(() => stage.close());

  it('the same conversation has the same result (F19, S41a)', async () => {
    const story = await played(stage);
    expect(await endState(story)).toEqual({
      proposals: [
        ['completed', 'commit'],
        ['rejected', 'deny'],
        ['completed', 'approve'],
        ['completed', 'approve'],
        ['completed', 'approve'],
      ],
      run: 'finished',
      file: rows({ 4: 40, 5: 50, 14: 140, 15: 150 }),
      answers: expect.arrayContaining([expect.stringContaining('the run finished')]),
    });
    expect(story.bot.answers().filter((body) => body.startsWith('No run is active.'))).toHaveLength(2);
  });
});
