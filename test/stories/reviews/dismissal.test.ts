import { describe, expect, it } from 'vitest';
import type { FakeReview } from '../../../fakes/github/state/github-state.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const ASKING = { '.github/countersign.yml': 'review_event: request-changes\n', 'README.md': '# Shop\n' };

const DISMISS = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';

/** Two suggestions, and a proposal in the conversation for a file outside the pull request. */
async function proposeThree(): Promise<Story> {
  const story = await stage().tell({ files: ASKING, branch: { [ROWS_PATH]: rows() } });
  story.model.proposes(editRow(5, 50), editRow(12, 120), edit('README.md', '# Shop', '# The shop'));
  await story.ana.says('/countersign give the rows other values');
  return story;
}

/** The App's own reviews with a body, newest last. */
function ownReviews({ pr }: Story): readonly FakeReview[] {
  const { botId } = stage().github.app;
  return [...pr.now().reviews.values()].filter(({ authorId, body }) => authorId === botId && body !== '');
}

function ownReview(story: Story): FakeReview {
  const review = ownReviews(story).at(-1);
  if (review === undefined) throw new Error('The App posted no review.');
  return review;
}

describe('review_event: request-changes', () => {
  it('dismissing the review denies all pending changes of that turn, without a reason (S52, S110)', async () => {
    const story = await proposeThree();
    const { pr, ana, ben, bot } = story;
    expect(ownReview(story).state).toBe('CHANGES_REQUESTED');
    await ana.replies(bot.proposal(1), '/approve');
    await ben.does((person) => person.dismisses(ownReview(story).id, 'Not today.'));
    expect(await proposalStates(story)).toEqual(['completed', 'rejected', 'rejected']);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.proposals().at(-1)?.body).toContain(`**Rejected by user** \`${ben.login}\``);
    const [vote] = (await story.stored()).proposals[2]?.votes ?? [];
    expect(vote).toMatchObject({ action: 'deny', surface: 'review', text: null, commentId: ownReview(story).id });
    expect(story.model.toolMessages()[2]).toContain(`Edit rejected by ${ben.login} (write access). This is a decision`);
  });

  it('the App dismisses its own review when no change of the turn is pending, and that decides nothing (S72a)', async () => {
    const story = await proposeThree();
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
    expect(await proposalStates(story)).toEqual(['completed', 'rejected', 'rejected', 'completed']);
    expect(bot.run().body).not.toContain('GitHub refused to let Countersign dismiss');
  });

  it('the run comment says who has to dismiss a review when GitHub refuses; a review dismissed by people is left alone (S72a)', async () => {
    const story = await proposeThree();
    stage().github.faults.add({ route: DISMISS, kind: 'fail-before-apply', status: 403, times: 9 });
    await story.ana.says('/stop');
    // The token is young at the first refusal. From the second one on it must last for a minute.
    await stage().later(61);
    await stage().later(61);
    stage().github.faults.clear();
    expect(ownReview(story).state).toBe('CHANGES_REQUESTED');
    expect(story.bot.run().body).toContain('GitHub refused to let Countersign dismiss [this request for changes](');
    const dismissals = () => stage().github.requests.filter(({ name }) => name === DISMISS).length;
    const before = dismissals();
    const again = await proposeThree();
    await again.ben.does((person) => person.dismisses(ownReview(again).id, 'No.'));
    expect(await proposalStates(again)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(dismissals()).toBe(before);
  });

  it('a dismissal by a person who may not deny is recorded and decides nothing (S52, A1)', async () => {
    const story = await proposeThree();
    stage().github.deliveries.intercept(() => 'hold');
    stage().pass(2);
    story.ben.person.dismisses(ownReview(story).id, 'No.');
    story.grants(story.ben, 'read');
    stage().github.deliveries.intercept(undefined);
    stage().github.deliveries.releaseHeld();
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed', 'proposed']);
    const { run } = await story.stored();
    expect(run?.reviews).toMatchObject([{ status: 'dismissed', turn: 1 }]);
  });

  it('the review of a change that fits no suggestion blocks too; a lost response leaves one review (S72a, G3)', async () => {
    const story = await stage().tell({ files: ASKING, branch: { [ROWS_PATH]: rows() } });
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    stage().github.faults.add({ route: route, kind: 'reset', applied: true });
    story.model.proposes(edit('README.md', '# Shop', '# The shop'));
    await story.ana.says('/countersign rename the shop');
    expect(ownReviews(story)).toHaveLength(1);
    expect(story.bot.proposals()).toHaveLength(1);
    await story.ana.says('/approve');
    expect(ownReview(story).state).toBe('DISMISSED');
    expect(story.pr.file('README.md')).toBe('# The shop\n');
  });
});
