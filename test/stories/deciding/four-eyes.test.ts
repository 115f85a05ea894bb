import { describe, expect, it } from 'vitest';
import type { CollaboratorPermission } from '../../../fakes/github/state/github-state.ts';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, ROWS_PATH, row, rows } from '../support/rows.ts';
import type { Speaker } from '../support/speaker.ts';
import { type Story, write } from '../support/story.ts';

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

const INSTRUCTED = 'instructed the agent before this change was proposed, and `require_non_requester` is set';

const WROTE = 'wrote lines of this change, and `require_non_author` or `require_non_requester` is set';

const WROTE_EARLIER = 'wrote lines of an earlier change of the same file in this run, and `require_non_author` is set';

function block(...lines: readonly string[]): string {
  return ['```suggestion', ...lines, '```'].join('\n');
}

describe('require_non_requester: people whose text reached the agent', () => {
  it.each([
    ['/edit', (one: Speaker, story: Story) => one.replies(newest(story), '/edit make it 55')],
    ['a plain reply', (one: Speaker, story: Story) => one.replies(newest(story), 'Make it 55.')],
    ['a reason for a denial', (one: Speaker, story: Story) => one.replies(newest(story), '/deny it must be 55')],
    [
      'a review that requests changes',
      (one: Speaker) => one.does((person) => person.reviews({ body: 'It must be 55.', event: 'REQUEST_CHANGES' })),
    ],
    [
      'a note beside a denial',
      async (one: Speaker, story: Story) => {
        await one.says('@countersign it must be 55');
        await one.replies(newest(story), '/deny');
      },
    ],
  ])('a person who shaped the change by %s does not approve it alone (X7)', async (_way, instruct) => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben } = story;
    story.model.proposes(editRow(5, 55));
    await instruct(ben, story);
    expect(story.bot.proposals()).toHaveLength(2);
    expect(await refusalOf(story, ben)).toContain(`\`${ben.login}\` ${INSTRUCTED}`);
    expect(await refusalOf(story, story.ana)).toContain(`\`${story.ana.login}\` requested this change`);
    await expectCommitBy(story, await writer(story, 'dora'));
  });

  it('a denial without a reason gives no instruction, so that person may approve the next change (X7)', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'require_non_requester: true\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model } = story;
    model.proposes(editRow(5, 50), editRow(15, 150));
    await ana.says('/countersign give rows 5 and 15 other values');
    await ben.replies(bot.proposal(1), '/deny');
    model.proposes(editRow(20, 200));
    await ben.replies(bot.proposal(2), '/approve');
    await expectCommitBy(story, ben);
  });

  it('two people whose instructions the agent merged into one change both need a third (X7)', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'require_non_requester: true\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model } = story;
    const dora = await writer(story, 'dora');
    model.proposes(editRow(5, 50), editRow(15, 150));
    await ana.says('/countersign give rows 5 and 15 other values');
    model.proposes(editRow(5, 55));
    await ben.replies(bot.proposal(1), '/edit make it 55');
    await dora.replies(bot.proposal(2), '/edit not this one, but row 5 as ben says');
    expect(await refusalOf(story, ben)).toContain(INSTRUCTED);
    expect(await refusalOf(story, dora)).toContain(INSTRUCTED);
    await expectCommitBy(story, await writer(story, 'eve'));
  });

  it('after two rounds of /edit both instructors count, also if the agent answers a turn later (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben, model } = story;
    const dora = await writer(story, 'dora');
    model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    model.proposes(editRow(5, 55));
    await ben.replies(newest(story), '/edit first read the file, then make it 55');
    model.proposes(editRow(5, 56));
    await dora.replies(newest(story), '/edit 56');
    expect(story.bot.proposals()).toHaveLength(3);
    expect(await refusalOf(story, ben)).toContain(INSTRUCTED);
    expect(await refusalOf(story, dora)).toContain(INSTRUCTED);
    await expectCommitBy(story, await writer(story, 'eve'));
  });

  it('a note below an approval makes its writer a requester of later changes only (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben, model } = story;
    model.proposes(editRow(15, 150));
    await ben.replies(newest(story), '/approve\nNow row 15 too.');
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(await refusalOf(story, ben)).toContain(INSTRUCTED);
  });

  it('a change that was proposed before the instruction keeps its approvers (X7)', async () => {
    const story = await stage().tell({
      files: { '.github/countersign.yml': 'require_non_requester: true\n' },
      branch: { [ROWS_PATH]: rows() },
    });
    const { ana, ben, bot, model, pr } = story;
    model.proposes(editRow(5, 50), editRow(15, 150));
    await ana.says('/countersign give rows 5 and 15 other values');
    await ben.replies(bot.proposal(1), '/edit make it 55');
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 15: 150 }));
  });

  it('without the setting an instructor approves as before (X7)', async () => {
    const story = await proposeUnder('approvers: write\n');
    story.model.proposes(editRow(5, 55));
    await story.ben.replies(newest(story), '/edit make it 55');
    await expectCommitBy(story, story.ben);
  });

  it('an undo needs someone beside the person who wrote /undo, and its own undo also someone beside the instructor (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ana, ben, bot, model, pr } = story;
    const dora = await writer(story, 'dora');
    model.proposes(editRow(5, 55));
    await ben.replies(newest(story), '/edit make it 55');
    const { proposalId } = newest(story);
    await expectCommitBy(story, dora);
    await dora.says(`/undo ${proposalId}`);
    expect(await refusalOf(story, dora)).toContain('requested this change');
    await expectCommitBy(story, ben);
    expect(pr.file(ROWS_PATH)).toBe(rows());
    await dora.says(`/undo ${bot.proposals().at(-1)?.proposalId}`);
    expect(await refusalOf(story, dora)).toContain('requested this change');
    expect(await refusalOf(story, ben)).toContain(INSTRUCTED);
    expect(await refusalOf(story, ana)).toContain(INSTRUCTED);
    await expectCommitBy(story, await writer(story, 'eve'));
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 55 }));
  });
});

describe('people whose own lines are in a change', () => {
  it.each(['require_non_requester', 'require_non_author'])(
    'with %s a person’s own lines become a new proposal, which another person must approve (X7)',
    async (setting) => {
      const story = await proposeUnder(`${setting}: true\n`);
      const { ben, bot, model, pr } = story;
      await ben.replies(bot.proposal(1), `${block(row(5, 'mine'))}\nRather so.`);
      expect(pr.commits()).toEqual([]);
      expect(bot.answer()).toContain(`That approval doesn’t count: \`${ben.login}\` ${WROTE}`);
      expect(bot.answer()).toContain(bot.proposal(2).proposalId);
      expect(bot.proposal(2).body).toContain(`\`${ben.login}\` wrote these lines in place of the model’s.`);
      expect(await proposalStates(story)).toEqual(['superseded', 'proposed']);
      const [replaced, own] = (await story.stored()).proposals;
      expect(replaced?.votes).toMatchObject([{ action: 'modify', digest: own?.change.digest, text: null }]);
      expect(own?.votes).toEqual([]);
      expect(await refusalOf(story, ben)).toContain(`\`${ben.login}\` ${WROTE}`);
      await expectCommitBy(story, await writer(story, 'dora'));
      expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
      expect(pr.commits()[0]?.message).not.toContain(`Approved-by: ${ben.login}`);
      expect(bot.proposal(2).body).toContain(`as \`${ben.login}\` wrote it instead`);
      expect(model.toolMessages()[0]).toContain('"userModified":true');
      expect(model.requests().at(-1)?.messages.at(-1)?.content).toBe(
        `${ben.login} says, as a JSON string:\n"Rather so."`,
      );
    },
  );

  it.each<[string, ScriptedCall]>([
    ['alone', editRow(5, 'mine')],
    [
      'with another file',
      {
        name: 'change_files',
        arguments: {
          summary: 'Change the row, and say so.',
          changes: [
            { op: 'edit', path: ROWS_PATH, old_string: row(5), new_string: row(5, 'mine') },
            { op: 'write', path: 'NOTES.md', content: 'Row 5 changed.\n' },
          ],
        },
      },
    ],
  ])(
    'where the model proposes a person’s own lines again, %s, that person still counts as their writer (X7)',
    async (_how, call) => {
      const story = await proposeUnder('require_non_author: true\n');
      const { ben, bot, model } = story;
      await ben.replies(bot.proposal(1), block(row(5, 'mine')));
      model.proposes(call);
      await ben.replies(bot.proposal(2), '/edit once more, please');
      expect(bot.proposals()).toHaveLength(3);
      expect(await refusalOf(story, ben)).toContain(`\`${ben.login}\` ${WROTE_EARLIER}`);
      await expectCommitBy(story, story.ana);
    },
  );

  it('lines that others replaced and brought back are still those of their earlier writer (X7)', async () => {
    const story = await proposeUnder('require_non_author: true\n');
    const { ben, bot, model } = story;
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    model.proposes(editRow(5, 'mine'));
    await ben.replies(bot.proposal(2), '/edit once more, please');
    await (await writer(story, 'dora')).replies(bot.proposal(3), block(row(5, 'other')));
    await (await writer(story, 'eve')).replies(bot.proposal(4), block(row(5, 'mine')));
    expect(bot.proposals()).toHaveLength(5);
    expect(await refusalOf(story, ben)).toContain(WROTE_EARLIER);
  });

  it('a person’s own lines in one file do not count for later changes of another (X7)', async () => {
    const story = await proposeUnder('require_non_author: true\n');
    const { ben, bot, model } = story;
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    model.proposes(write('NOTES.md', 'Row 5 changed.\n'));
    await expectCommitBy(story, story.ana);
    await expectCommitBy(story, ben);
  });

  it('two people who wrote lines one after the other both count as writers (X7)', async () => {
    const story = await proposeUnder('require_non_author: true\n');
    const { ben, bot } = story;
    const dora = await writer(story, 'dora');
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    await dora.replies(bot.proposal(2), block(row(5, 'mine'), '// and mine'));
    expect(bot.proposals()).toHaveLength(3);
    expect(await refusalOf(story, ben)).toContain(WROTE);
    expect(await refusalOf(story, dora)).toContain(WROTE);
    await expectCommitBy(story, story.ana);
  });

  it('with two required approvals and require_non_author the writer is not one of the two (X7)', async () => {
    const story = await proposeUnder('require_non_author: true\nrequired_approvals: 2\n');
    const { ana, ben, bot, pr } = story;
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    expect(bot.proposal(2).body).toContain('**0 of 2 approvals**');
    await ana.replies(bot.proposal(2), '/approve');
    expect(bot.proposal(2).body).toContain(`**1 of 2 approvals** by \`${ana.login}\``);
    expect(pr.commits()).toEqual([]);
    await expectCommitBy(story, await writer(story, 'dora'));
  });

  it('a person’s own lines count as an instruction for the next proposals (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ben, bot, model } = story;
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    model.proposes(editRow(15, 'mine'));
    await expectCommitBy(story, await writer(story, 'dora'));
    expect(await refusalOf(story, ben)).toContain(INSTRUCTED);
  });

  it('with GitHub’s own button the writer’s commit is no approval (X7)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    await story.ben.replies(story.bot.proposal(1), block(row(5, 'mine')));
    await story.ben.commitsSuggestion(story.bot.proposal(2));
    expect(story.bot.proposal(2).body).toContain(`Not an approval: \`${story.ben.login}\` may not approve here.`);
  });

  it('an undo of an undo restores a person’s lines, so that person counts as their writer again (X7)', async () => {
    const story = await proposeUnder('require_non_author: true\n');
    const { ana, ben, bot } = story;
    await ben.replies(bot.proposal(1), block(row(5, 'mine')));
    await expectCommitBy(story, ana);
    await ana.says(`/undo ${bot.proposal(2).proposalId}`);
    await expectCommitBy(story, ben);
    await ana.says(`/undo ${bot.proposal(3).proposalId}`);
    expect(await refusalOf(story, ben)).toContain(WROTE);
    await expectCommitBy(story, ana);
  });

  it('without a rule the writer’s own lines are committed at once (X7)', async () => {
    const story = await proposeUnder('approvers: write\n');
    await story.ben.replies(story.bot.proposal(1), block(row(5, 'mine')));
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
  });
});
