import { describe, expect, it } from 'vitest';
import type { Review } from '../../src/simulator/world/talk.ts';
import { stageForAll } from './curtain.ts';
import { editRow, ROWS_PATH, rows } from './rows.ts';
import { edit, type Story } from './story.ts';

const stage = stageForAll();

const ASKING = { '.github/countersign.yml': 'review_event: request-changes\n', 'README.md': '# Shop\n' };
const DISMISS = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';

/** Two rows in suggestions, and a file that is not part of the pull request, in the conversation. */
async function proposed(): Promise<Story> {
  const story = await stage().tell({ files: ASKING, branch: { [ROWS_PATH]: rows() } });
  story.model.proposes(editRow(5, 50), editRow(12, 120), edit('README.md', '# Shop', '# The shop'));
  await story.ana.says('/countersign give the rows other values');
  return story;
}

/** The App's own reviews that say something, newest last. */
function ownReviews({ pr }: Story): readonly Review[] {
  const { botId } = stage().github.app;
  return [...pr.now().reviews.values()].filter(({ authorId, body }) => authorId === botId && body !== '');
}

function ownReview(story: Story): Review {
  const review = ownReviews(story).at(-1);
  if (review === undefined) throw new Error('The App posted no review.');
  return review;
}

async function states(story: Story): Promise<readonly string[]> {
  return (await story.stored()).proposals.map((proposal) => proposal.state);
}

describe('review_event: request-changes', () => {
  it('S52, S110: dismissing the review denies what waits of that turn, wherever it stands; no reason is known', async () => {
    const story = await proposed();
    const { pr, ana, ben, bot } = story;
    expect(ownReview(story).state).toBe('CHANGES_REQUESTED');
    await ana.replies(bot.proposal(1), '/approve');
    await ben.does((person) => person.dismisses(ownReview(story).id, 'Not today.'));
    expect(await states(story)).toEqual(['completed', 'rejected', 'rejected']);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.proposals().at(-1)?.body).toContain(`**Rejected by user** \`${ben.login}\``);
    const [vote] = (await story.stored()).proposals[2]?.votes ?? [];
    expect(vote).toMatchObject({ action: 'deny', surface: 'review', text: null, commentId: ownReview(story).id });
    expect(story.model.heard()[2]).toMatch(/^Edit rejected by user\. This is a decision/);
  });

  it('S72a: once nothing of the turn waits the App dismisses its own review, and that decides nothing', async () => {
    const story = await proposed();
    const { ana, bot } = story;
    await ana.replies(bot.proposal(1), '/approve');
    await ana.says(`/deny ${bot.proposal(2).proposalId} keep it`);
    expect(ownReview(story).state).toBe('CHANGES_REQUESTED');
    story.model.proposes(editRow(20, 200));
    await ana.says(`/edit ${bot.proposal(3).proposalId} change row 20 instead`);
    const [first, second] = ownReviews(story);
    expect([first?.state, second?.state]).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
    await ana.says('/approve');
    expect(ownReview(story).state).toBe('DISMISSED');
    expect(await states(story)).toEqual(['completed', 'rejected', 'rejected', 'completed']);
    expect(bot.run().body).not.toContain('does not let Countersign dismiss');
  });

  it('S72a: when the run is stopped, too', async () => {
    const story = await proposed();
    await story.ana.says('/stop');
    expect(ownReview(story).state).toBe('DISMISSED');
    expect(await states(story)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('S72a: where GitHub refuses, the run comment says who has to; a review that people dismissed is left alone', async () => {
    const story = await proposed();
    stage().github.faults.add({ on: DISMISS, kind: 'before', status: 403 });
    await story.ana.says('/stop');
    expect(ownReview(story).state).toBe('CHANGES_REQUESTED');
    expect(story.bot.run().body).toContain('GitHub does not let Countersign dismiss [this request for changes](');
    const dismissals = () => stage().github.requests.filter(({ name }) => name === DISMISS).length;
    const before = dismissals();
    const again = await proposed();
    await again.ben.does((person) => person.dismisses(ownReview(again).id, 'No.'));
    expect(await states(again)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(dismissals()).toBe(before);
  });

  it('S52, A1: by somebody who may not deny it is known, and decides nothing', async () => {
    const story = await proposed();
    stage().github.deliveries.decide(() => 'hold');
    stage().pass(2);
    story.ben.person.dismisses(ownReview(story).id, 'No.');
    story.grants(story.ben, 'read');
    stage().github.deliveries.decide(undefined);
    stage().github.deliveries.release();
    await stage().settle();
    expect(await states(story)).toEqual(['proposed', 'proposed', 'proposed']);
    const { run } = await story.stored();
    expect(run?.reviews).toMatchObject([{ stands: 'dismissed', turn: 1 }]);
  });

  it('S72a, G3: what no suggestion can say blocks too; an answer that was lost leaves one review', async () => {
    const story = await stage().tell({ files: ASKING, branch: { [ROWS_PATH]: rows() } });
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    stage().github.faults.add({ on: route, kind: 'reset', applied: true });
    story.model.proposes(edit('README.md', '# Shop', '# The shop'));
    await story.ana.says('/countersign rename the shop');
    expect(ownReviews(story)).toHaveLength(1);
    expect(story.bot.proposals()).toHaveLength(1);
    await story.ana.says('/approve');
    expect(ownReview(story).state).toBe('DISMISSED');
    expect(story.pr.file('README.md')).toBe('# The shop\n');
  });
});
