import { describe, expect, it } from 'vitest';
import type { CollaboratorPermission } from '../../../fakes/github/state/github-state.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, row, rows } from '../support/rows.ts';
import type { Speaker } from '../support/speaker.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** A pull request with these repository settings and a pending change of row 5, which `ana` requested. */
async function proposeUnder(settings: string): Promise<Story> {
  const story = await stage().tell({
    files: { '.github/countersign.yml': settings },
    branch: { [ROWS_PATH]: rows() },
  });
  story.model.proposes(editRow(5, 50));
  await story.ana.says('/countersign give row 5 another value');
  return story;
}

/** The replies to this person since `before`, after their `/approve` of the newest proposal. */
async function refusalOf(story: Story, person: Speaker): Promise<string> {
  const commits = story.pr.commits().length;
  const replies = story.bot.answers().length;
  await person.replies(newest(story), '/approve');
  expect(story.pr.commits()).toHaveLength(commits);
  return story.bot.answers().slice(replies).join('\n');
}

async function expectCommitBy(story: Story, person: Speaker): Promise<void> {
  const commits = story.pr.commits().length;
  await person.replies(newest(story), '/approve');
  expect(story.pr.commits()).toHaveLength(commits + 1);
  expect(story.pr.commits().at(-1)?.message).toContain(`Approved-by: ${person.login}`);
}

function newest({ bot }: Story): ReturnType<Story['bot']['proposal']> {
  return bot.proposal(bot.proposals().length);
}

function writer(story: Story, login: string, permission: CollaboratorPermission = 'write'): Promise<Speaker> {
  return story.person(login, permission);
}

const REQUESTED = 'requested this change or wrote lines of it, and `require_non_requester` is set';

function block(...lines: readonly string[]): string {
  return ['```suggestion', ...lines, '```'].join('\n');
}

describe('require_non_requester', () => {
  it('who gave the task does not approve; who said how to do it does (S70, X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    story.model.proposes(editRow(5, 55));
    await story.ben.replies(newest(story), '/edit make it 55');
    expect(await refusalOf(story, story.ana)).toContain(`\`${story.ana.login}\` ${REQUESTED}`);
    await expectCommitBy(story, story.ben);
  });

  it('of an undo, the person who wrote /undo is the requester (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ana, ben, pr } = story;
    const { proposalId } = newest(story);
    await expectCommitBy(story, ben);
    await ben.says(`/undo ${proposalId}`);
    expect(await refusalOf(story, ben)).toContain(REQUESTED);
    await expectCommitBy(story, ana);
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });

  it('a person’s own lines become a new proposal, which another person must approve (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben, bot, model, pr } = story;
    await ben.replies(bot.proposal(1), `${block(row(5, 'mine'))}\nRather so.`);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(`That approval doesn’t count: \`${ben.login}\` ${REQUESTED}`);
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
    expect(bot.proposal(2).body).toContain(`\`${ben.login}\` wrote these lines in place of the model’s.`);
    expect(await proposalStates(story)).toEqual(['superseded', 'proposed']);
    const [replaced, own] = (await story.stored()).proposals;
    expect(replaced?.votes).toMatchObject([{ action: 'modify', digest: own?.change.digest, text: null }]);
    expect(own?.votes).toEqual([]);
    expect(await refusalOf(story, ben)).toContain(`\`${ben.login}\` ${REQUESTED}`);
    await expectCommitBy(story, await writer(story, 'dora'));
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    expect(pr.commits()[0]?.message).not.toContain(`Approved-by: ${ben.login}`);
    expect(bot.proposal(2).body).toContain(`as \`${ben.login}\` wrote it instead`);
    expect(model.toolMessages()[0]).toContain('"userModified":true');
    expect(model.requests().at(-1)?.messages.at(-1)?.content).toBe(
      `${ben.login} says, as a JSON string:\n"Rather so."`,
    );
  });

  it('two people who wrote lines one after the other both count as writers (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben, bot } = story;
    const dora = await writer(story, 'dora');
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    await dora.replies(bot.proposal(2), block(row(5, 'mine'), '// and mine'));
    expect(bot.proposals()).toHaveLength(3);
    expect(await refusalOf(story, ben)).toContain(REQUESTED);
    expect(await refusalOf(story, dora)).toContain(REQUESTED);
    expect(await refusalOf(story, story.ana)).toContain(REQUESTED);
    await expectCommitBy(story, await writer(story, 'eve'));
  });

  it('with GitHub’s own button the writer’s commit is no approval (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    await story.ben.replies(story.bot.proposal(1), block(row(5, 'mine')));
    await story.ben.commitsSuggestion(story.bot.proposal(2));
    expect(story.bot.proposal(2).body).toContain(`Not an approval: \`${story.ben.login}\` may not approve here.`);
  });
});
