import { describe, expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { edit, type Story, write } from '../support/story.ts';

const stage = stageForAll();

/** A suggestion block as a browser sends it. */
function block(...lines: readonly string[]): string {
  return ['```suggestion', ...lines, '```'].join('\r\n');
}

/** The result of the first call that the model got. */
function result({ model }: Story): Record<string, unknown> {
  return JSON.parse(model.toolMessages()[0] ?? '{}');
}

describe('a reply with a suggestion block', () => {
  it('its lines are committed at once under their own digest, and the model learns their author (S48, S92, S100)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, bot, pr } = story;
    const digest = (): string | undefined => /digest `([0-9a-f]{12})`/.exec(bot.proposal(1).body)?.[1];
    const proposed = digest();
    const reply = await ana.replies(bot.proposal(1), `Rather a named one:\r\n${block(row(5, 'FIFTY'), '')}`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'FIFTY' }).replace(row(5, 'FIFTY'), `${row(5, 'FIFTY')}\n`));
    const [commit] = pr.commits();
    expect(digest()).not.toBe(proposed);
    expect(commit?.message).toContain(`Countersign-Digest: sha256:${digest()}`);
    expect(commit?.message).toContain(`Approved-by: ${ana.login}`);
    expect(bot.reactionsOn(reply)).toEqual(['+1']);
    expect(bot.proposal(1).body).toContain(`as \`${ana.login}\` wrote it instead`);
    expect(bot.proposal(1).body).toContain(`+${row(5, 'FIFTY')}\n`);
    expect(bot.proposal(1).resolved).toBe(true);
    const modelResult = result(story);
    expect(modelResult).toMatchObject({
      path: ROWS_PATH,
      message: `Successfully applied user-modified edit to ${ROWS_PATH}. Note: The user modified your suggested changes before accepting. Do not attempt to revert to your original suggestion.`,
      user_note: 'Rather a named one:',
      details: { userModified: true },
    });
    expect(JSON.stringify(modelResult['details'])).toContain(`-${row(5)}\\n+${row(5, 'FIFTY')}`);
    expect(modelResult['user_edits']).toContain(`-${row(5, 50)}\n+${row(5, 'FIFTY')}`);
  });

  it('exactly the proposed lines are a plain approval (S48, K11)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    await story.ana.replies(story.bot.proposal(1), `\r\n${block(row(5, 50))}\r\n \r\n`);
    expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(result(story)).toMatchObject({ details: { userModified: false } });
    expect((await story.stored()).proposals[0]?.votes.map(({ action }) => action)).toEqual(['approve']);
  });

  it('exactly the proposed lines with other text beside them approve nothing and get a hint (S48, S65)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, bot, model, pr } = story;
    const same = block(row(5, 50));
    const replies = [
      `This is wrong:\n${same}`,
      `${same}\nThanks.`,
      `> ${row(5, 50)}\n\n${same}`,
      `${same}\n\n<!-- no -->`,
      `${same}\n\n-- \nana`,
      quoteReply(bot.proposal(1).body, same),
    ];
    for (const [index, reply] of replies.entries()) {
      await ana.replies(bot.proposal(1), reply);
      expect(bot.answers()).toHaveLength(index + 1);
      expect(bot.answer()).toContain('your block has exactly the proposed lines, but it does not stand alone');
      expect(bot.answer()).toContain(`\`/approve ${bot.proposal(1).proposalId}\``);
    }
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(model.requests()).toHaveLength(1);
    await ana.replies(bot.proposal(1), same);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});

describe('a block that is refused', () => {
  it('two blocks, or lines that are already there, get a hint, and the change stays pending (S48)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, bot, pr } = story;
    await ana.replies(bot.proposal(1), `${block('one')}\n${block('two')}`);
    expect(bot.answer()).toContain('several blocks');
    await ana.replies(bot.proposal(1), block(row(5)));
    expect(bot.answer()).toContain('the file already has these lines');
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
  });

  it('a block that is unclosed, in a list, or beside /approve gets a hint, and the change stays pending (S48, S65)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, model, pr } = story;
    await ana.replies(bot.proposal(1), `Rather:\n\`\`\`suggestion\n${row(5, 'mine')}`);
    expect(bot.answer()).toContain('one that is not closed');
    await ana.replies(bot.proposal(1), `- \`\`\`suggestion\n  ${row(5, 'mine')}\n  \`\`\``);
    expect(bot.answer()).toContain('indented');
    await ana.replies(bot.proposal(1), `/approve\n${block(row(5, 'mine'))}`);
    expect(bot.answer()).toContain('Nothing was decided.');
    await ben.replies(
      bot.proposal(1),
      `/approve\n\n1.  so:\n\n    \`\`\`suggestion\n    ${row(5, 'mine')}\n    \`\`\``,
    );
    expect(bot.answers()).toHaveLength(4);
    expect(pr.commits()).toEqual([]);
    expect(model.requests()).toHaveLength(1);
    expect(await proposalStates(story)).toEqual(['proposed']);
    await ana.replies(bot.proposal(1), block(row(5, 'mine')));
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
  });

  it('a block with a character that nobody sees is refused with its name and line (S48, X1)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, model, pr } = story;
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    for (const [line, name] of [
      [row(5, '51\u200B'), 'U+200B'],
      [`\uFEFF${row(5, 51)}`, 'U+FEFF'],
      [`${row(5, 51)} // \u202Eevil`, 'U+202E'],
    ] as const) {
      await ana.replies(bot.proposal(1), block(line));
      expect(pr.commits()).toEqual([]);
      expect(bot.answer()).toContain(`a character that nobody sees, \`${name}\` in line 5`);
    }
    await ana.replies(bot.proposal(1), block(`${row(5, 51)} // größer`));
    expect(pr.file(ROWS_PATH)).toContain('größer');
  });

  it('a block whose lines would touch those of another pending change is refused (S48)', async () => {
    const story = await tellRows(stage());
    story.model.proposes(edit(ROWS_PATH, `${row(5)}\n`, `${row(5)}\nadded();\n`), editRow(4, 40));
    await story.ana.says('/countersign more rows');
    const proposal = story.bot.proposal(1);
    expect(proposal.body).toContain(`\`\`\`suggestion\n${row(5)}\nadded();`);
    expect(proposal.body).toContain(`**Edit** \`${ROWS_PATH}\` (insert below line 5)`);
    await story.ana.replies(proposal, block('five', row(5), 'six'));
    expect(story.bot.answer()).toContain(`touches the lines of \`${story.bot.proposal(2).proposalId}\``);
    await story.ana.replies(story.bot.proposal(2), '/deny');
    await story.ana.replies(proposal, block('five', row(5), 'six'));
    expect(story.pr.file(ROWS_PATH)).toBe(rows().replace(row(5), `five\n${row(5)}\nsix`));
  });

  it('a block for an insertion that lacks the line above it is refused, and nothing is committed (S161)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, pr } = story;
    story.model.proposes(edit(ROWS_PATH, `${row(5)}\n`, `${row(5)}\nadded();\n`));
    await ana.says('/countersign more rows');
    for (const lines of [['mine();'], []]) {
      await ana.replies(bot.proposal(1), block(...lines));
      expect(bot.answer()).toContain(`it leaves out line 5, \`${row(5).trim()}`);
    }
    expect(pr.commits()).toEqual([]);
    expect(await proposalStates(story)).toEqual(['proposed']);
    await ana.replies(bot.proposal(1), block(row(5), 'mine();'));
    expect(pr.file(ROWS_PATH)).toBe(rows().replace(row(5), `${row(5)}\nmine();`));
  });

  it('a block replaces the lines of a file that the agent writes anew, where these are in one place (S161)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, pr } = story;
    story.model.proposes({ name: 'read_file', arguments: { path: ROWS_PATH } });
    story.model.proposes(write(ROWS_PATH, pr.file(ROWS_PATH).replace(row(5), row(5, 50))));
    await ana.says('/countersign write it anew');
    await ana.replies(bot.proposal(1), block(row(5, 'mine')));
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 'mine' }));
    expect(await proposalStates(story)).toEqual(['completed']);
  });

  it('a block in reply to an edited proposal is refused until the proposal is shown again (S60, S48)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot } = story;
    const before = bot.proposal(1).body;
    await ben.does((person) => person.editsInThread(bot.proposal(1).id, before.replace('Change 1', 'Change 2')));
    await ana.replies(bot.proposal(1), block('mine'));
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.proposal(1).body).toBe(before);
  });

  it('people without permission, foreign threads and later edits change nothing (S48, S60, S66, A4)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, carl, stranger, bot, pr } = story;
    for (const nobody of [carl, stranger]) await nobody.replies(bot.proposal(1), block('theirs'));
    const thread = { path: ROWS_PATH, line: 5, body: block('in a thread of its own') };
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: 'Look.', comments: [thread] }));
    const talk = await ben.replies(bot.proposal(1), `@${ana.login} like this?`);
    await ben.does((person) => person.editsInThread(talk, block('edited')));
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers()).toEqual([]);
  });
});

describe('between the reply and its commit', () => {
  it('a denial wins, and another person’s approval does not cover text that no comment showed (S48, S77)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { ana, ben, bot, pr } = story;
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    stage().github.faults.add({ route: 'graphql pull', kind: 'delay', until });
    stage().pass(5);
    ana.person.replies(bot.proposal(1).id, block(row(5, 'mine')));
    await expect.poll(() => proposalStates(story), { interval: 5 }).toEqual(['approved']);
    ben.person.replies(bot.proposal(1).id, '/approve');
    ben.person.replies(bot.proposal(1).id, '/deny leave it');
    await stage().github.whenIdle();
    release();
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['rejected']);
    expect(bot.answers().join('\n')).toContain('was already approved');
    expect(bot.proposal(1).body).toContain(`+${row(5, 50)}\n`);
    expect(pr.commits()).toEqual([]);
  });
});
