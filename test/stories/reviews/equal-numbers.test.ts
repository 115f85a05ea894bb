import { describe, expect, it } from 'vitest';
import type { GitHubState } from '../../../fakes/github/state/github-state.ts';
import { succeedWith } from '../../../fakes/github/state/update.ts';
import { comments } from '../support/first-message.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const PATH = 'src/new.ts';

/** A proposal in the conversation, and a thread of people whose first comment has the number of the proposal's. */
async function numberedAlike(): Promise<{ readonly story: Story; readonly root: number }> {
  const story = await stage().tell({ files: { 'README.md': '# Shop\n' }, branch: { [PATH]: 'one\ntwo\n' } });
  story.model.proposes(edit('README.md', 'Shop', 'Market'));
  await story.ana.says('/countersign rename the shop');
  const { kind, id } = story.bot.proposal(1);
  expect(kind).toBe('issue');
  const before = nextNumber();
  const first = await comments(stage(), story, story.ana, { path: PATH, line: 1 }, 'Is this the right spelling?');
  const after = nextNumber();
  continueAt(id - (first - before));
  const root = await comments(stage(), story, story.ana, { path: PATH, line: 2 }, 'This line looks good now.');
  continueAt(after);
  expect(root).toBe(id);
  return { story, root };
}

function nextNumber(): number {
  return stage().github.state().nextId;
}

function continueAt(nextId: number): void {
  stage().github.apply((github: GitHubState) => succeedWith({ ...github, nextId }, null), {});
}

// GitHub numbers the comments of the conversation and those of threads separately.
describe('a thread of people whose first comment has the number of a proposal in the conversation', () => {
  it('an approval in it decides nothing (S39, X5)', async () => {
    const { story, root } = await numberedAlike();
    const { ben, bot, pr } = story;
    await ben.does((person) => person.replies(root, '/approve'));
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(pr.commits()).toEqual([]);
    await ben.replies(bot.proposal(1), '/approve');
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('resolving it leaves the proposal among those that are approved together (S53, X18)', async () => {
    const { story, root } = await numberedAlike();
    const { ben, pr } = story;
    const { reviewComments, threads } = pr.now();
    const thread = threads.get(reviewComments.get(root)?.threadId ?? 0);
    await ben.does((person) => person.resolves(thread?.nodeId ?? ''));
    expect(pr.now().threads.get(thread?.id ?? 0)?.resolvedById).toBe(ben.id);
    await story.ana.says('/approve all');
    expect(await proposalStates(story)).toEqual(['completed']);
  });
});
