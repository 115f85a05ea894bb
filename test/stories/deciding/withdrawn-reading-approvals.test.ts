import { afterEach, describe, expect, it, vi } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => stage().github.faults.clear());

const SALARY = 'salary-of-everybody';

const BONUS = 'bonus-of-everybody';

const LIST = 'payroll/list.ts';

const MORE = 'payroll/more.ts';

const GATE = 'rules: [{tools: [read_file], paths: ["payroll/**"], decide: ask}]\n';

const PULL = 'graphql pull';

/** The agent asks to read these files, and each is a proposal of its own. */
async function asksToRead(settings: string, ...paths: readonly string[]): Promise<Story> {
  const branch = { [LIST]: `export const all = '${SALARY}';\n`, [MORE]: `export const more = '${BONUS}';\n` };
  const story = await stage().tell({ files: { 'README.md': '# Shop\n' }, branch });
  await story.configures(`${GATE}${settings}`);
  story.model.proposes(...paths.map((path) => read(path)));
  await story.ana.says('/countersign sum the salaries');
  expect(story.bot.proposals()).toHaveLength(paths.length);
  return story;
}

const sentTo = ({ model }: Story): string => JSON.stringify(model.requests().map(({ messages }) => messages));

/** The agent has no line of the file, the reading is pending again, and one sentence says why. */
function expectUnread(story: Story, why: RegExp): void {
  const { bot } = story;
  expect(sentTo(story)).not.toContain(SALARY);
  expect(bot.answers().filter((answer) => why.test(answer))).toHaveLength(1);
  expect(bot.proposal(1).body).toContain('**Pending');
  expect(bot.proposal(1).body).not.toContain('Completed');
}

/** Waits until the fault has occurred, so that the App waits for its next attempt. */
function faultOccurred(): Promise<void> {
  const { faults } = stage().github;
  return vi.waitFor(() => expect(faults.pending()).toEqual([]), { timeout: 25_000, interval: 5 });
}

describe('an approval of a reading is read again before the agent gets the file', () => {
  it('not if it was deleted before the last one, until that person approves again (X5, S70)', async () => {
    const story = await asksToRead('required_approvals: 2\n', LIST);
    const { ana, ben, bot } = story;
    const id = await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    await ana.does((person) => person.deletes(id));
    await ben.says(`/approve ${bot.proposal(1).proposalId}`);
    await stage().surely();
    expectUnread(story, /the approval of `ana.*` is not on this pull request/);
    expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ben.login}\``);
    await ana.says('/approve');
    expect(sentTo(story)).toContain(SALARY);
    expect(bot.proposal(1).body).toMatch(/\*\*Completed:\*\* reading approved by `ben.*` and `ana/);
  });

  it('beside a good one only the withdrawn approval keeps its file unread (X5, S70)', async () => {
    const story = await asksToRead('required_approvals: 2\n', LIST, MORE);
    const { ana, ben, bot } = story;
    const id = await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    await ana.says(`/approve ${bot.proposal(2).proposalId}`);
    await ana.does((person) => person.deletes(id));
    await ben.says('/approve all');
    await stage().surely();
    expectUnread(story, /the approval of `ana.*` is not on this pull request/);
    expect(bot.proposal(2).body).toContain('**Completed:** reading approved');
    await ana.says('/approve');
    expect(sentTo(story)).toContain(SALARY);
    expect(sentTo(story)).toContain(BONUS);
  });
});

describe('while the approvals of a reading cannot be read', () => {
  it('the file waits, the page does not say that it was read, and a denial still wins (X5, S77)', async () => {
    const story = await asksToRead('', LIST);
    const { ana, ben, bot } = story;
    stage().github.faults.add({ kind: 'fail-before-apply', status: 500, route: PULL });
    stage().pass(2);
    ana.person.says('/approve');
    await faultOccurred();
    expect(sentTo(story)).not.toContain(SALARY);
    expect(bot.proposal(1).body).not.toContain('Completed');
    await ben.replies(bot.proposal(1), '/deny not these');
    await stage().settle();
    expect(sentTo(story)).toContain(`Reading ${LIST} was denied by ${ben.login}: not these`);
    expect(sentTo(story)).not.toContain(SALARY);
  });

  it('the agent gets the file once they can, after an outage (X5)', async () => {
    const story = await asksToRead('', LIST);
    const { ana, bot } = story;
    stage().github.faults.add({ kind: 'fail-before-apply', status: 500, route: PULL });
    await ana.says('/approve');
    await vi.waitFor(() => expect(sentTo(story)).toContain(SALARY), { timeout: 25_000 });
    await stage().settle();
    expect(bot.proposal(1).body).toContain('**Completed:** reading approved');
  });
});

it('the notes of all whose approvals count reach the agent, each once (S24)', async () => {
  const story = await asksToRead('required_approvals: 2\n', LIST, MORE);
  const { ana, ben, model } = story;
  await ana.says('/approve all\nsum the base pay');
  await ben.says('/approve all\nand leave out the boards');
  const { messages } = model.requests().at(-1) ?? { messages: [] };
  const text = JSON.stringify(messages);
  expect(text.split('sum the base pay')).toHaveLength(2);
  expect(text.split('and leave out the boards')).toHaveLength(2);
});
