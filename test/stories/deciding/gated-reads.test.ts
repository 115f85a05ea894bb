import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, read, remove, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const SALARY = 'salary-of-everybody';

const FILES = {
  'README.md': '# Shop\n',
  'src/total.ts': 'export const total = 0;\n',
  'payroll/list.ts': `export const all = '${SALARY}';\nexport const rest = 1;\n`,
};

const GATE = 'rules: [{tools: [read_file], paths: ["payroll/**"], decide: ask}]\n';

const BRANCH = { 'payroll/list.ts': `export const all = '${SALARY}';\nexport const rest = 2;\n` };

async function gated(settings = GATE, branch: Readonly<Record<string, string>> = BRANCH): Promise<Story> {
  const story = await stage().tell({ files: FILES, branch });
  await story.configures(settings);
  return story;
}

const sentTo = ({ model }: Story): string => JSON.stringify(model.requests().map(({ messages }) => messages));

describe('a file that people must approve to be read', () => {
  it('is a proposal with its size and without its content, and an approval gives it to the agent (S24)', async () => {
    const story = await gated();
    const { ana, bot, model, pr } = story;
    model.proposes(read('payroll/list.ts'));
    await ana.says('/countersign sum the salaries');
    const { body } = bot.proposal(1);
    expect(body).toContain('**Read** `payroll/list.ts` (2 lines)');
    expect(body).toContain('`/approve`');
    expect(body).not.toContain(SALARY);
    expect(sentTo(story)).not.toContain(SALARY);
    await ana.says('/approve');
    expect(model.toolMessages()[0]).toContain(SALARY);
    expect(bot.proposal(1).body).toContain(`**Completed:** reading approved by \`${ana.login}\``);
    expect(bot.proposal(1).body).not.toContain(SALARY);
    expect(pr.commits()).toEqual([]);
    expect(bot.run().body).toContain('Nothing was changed.');
    expect(bot.run().body).toContain('| `payroll/list.ts` (read) | completed |');
  });

  it('is in no result of another tool and in no first message before (S24)', async () => {
    const story = await gated();
    const { ana, bot, model } = story;
    model.proposes(
      { name: 'search', arguments: { query: 'salary' } },
      { name: 'outline', arguments: { path: 'payroll/list.ts' } },
      { name: 'read_diff', arguments: {} },
      { name: 'read_diff', arguments: { path: 'payroll/list.ts' } },
      { name: 'read_file', arguments: { path: 'payroll/list.ts', ref: 'base' } },
      { name: 'list_files', arguments: {} },
      edit('payroll/list.ts', 'salary', 'x'),
      edit('payroll/list.ts', 'export const al', 'x'),
      remove('payroll/list.ts'),
      write('payroll/list.ts', 'x\n'),
    );
    await ana.says('/countersign look around');
    expect(sentTo(story)).not.toContain(SALARY);
    expect(bot.proposals()).toEqual([]);
    const outputs = model.toolMessages();
    expect(outputs[0]).toContain('people must first approve that they are read');
    expect(outputs[1]).toContain('people must first approve that payroll/list.ts is read');
    for (const output of outputs.slice(2, 4)) expect(output).toContain('Its lines are not shown here');
    expect(outputs[5]).toContain('payroll/list.ts');
    for (const output of outputs.slice(6)) expect(output).toContain('Call read_file to ask them');
  });

  it('may be searched, outlined and changed once it is approved, and a changed version is asked for again (S24)', async () => {
    const story = await gated();
    const { ana, ben, bot, model, pr } = story;
    model.proposes(read('payroll/list.ts'), { name: 'read_file', arguments: { path: 'payroll/list.ts', start: 2 } });
    model.proposes(
      { name: 'search', arguments: { query: 'salary' } },
      { name: 'outline', arguments: { path: 'payroll/list.ts' } },
    );
    model.proposes(edit('payroll/list.ts', 'rest = 2', 'rest = 3'));
    await ana.says('/countersign count the rest');
    expect(bot.proposals()).toHaveLength(1);
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.proposals()).toHaveLength(2);
    expect(sentTo(story)).toContain(`payroll/list.ts:1:export const all = '${SALARY}'`);
    await ana.replies(bot.proposal(2), '/deny no, leave it');
    model.proposes(read('payroll/list.ts'));
    await ben.pushes({ 'payroll/list.ts': `export const all = 'another-${SALARY}';\n` });
    await ana.says('/countersign now read it again');
    expect(bot.proposals()).toHaveLength(3);
    expect(sentTo(story)).not.toContain(`another-${SALARY}`);
    expect(pr.commits().filter(({ message }) => message.includes('Countersign'))).toEqual([]);
  });

  it('stays unread after a denial, an instruction, or without enough approvals (S70)', async () => {
    const story = await gated(`required_approvals: 2\n${GATE}`);
    const { ana, ben, bot, model } = story;
    model.proposes(read('payroll/list.ts'));
    model.proposes(read('payroll/list.ts'));
    await ana.says('/countersign sum the salaries');
    await ana.says('/approve');
    expect(sentTo(story)).not.toContain(SALARY);
    await ben.replies(bot.proposal(1), '/deny not these');
    expect(sentTo(story)).toContain(`Reading payroll/list.ts was denied by ${ben.login}: not these`);
    expect(sentTo(story)).toContain('was already rejected');
    expect(sentTo(story)).not.toContain(SALARY);
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain(`**Rejected by user** \`${ben.login}\`. Nothing was changed.`);
    expect(bot.proposal(1).body).toContain('**Read** `payroll/list.ts`');
  });

  it('is not given once a rule denies it, whoever approves (S127)', async () => {
    const story = await gated();
    const { ana, bot, configures, model } = story;
    model.proposes(read('payroll/list.ts'));
    await ana.says('/countersign sum the salaries');
    await configures(GATE.replace('ask', 'deny'));
    await ana.says('/approve');
    expect(bot.answer()).toContain('a rule denies `payroll/list.ts`');
    expect(sentTo(story)).not.toContain(SALARY);
  });

  it('cannot be read in the answer to a question (S24)', async () => {
    const story = await gated();
    const { ana, model } = story;
    model.proposes(read('payroll/list.ts'), { name: 'search', arguments: { query: 'salary' } });
    model.says({ content: 'I do not know.' });
    await ana.says('/countersign /ask what does everybody earn?');
    expect(sentTo(story)).not.toContain(SALARY);
    expect(sentTo(story)).toContain('only a run can ask them');
  });

  it.each(['/approve always', '/approve always payroll/**'])(
    '%s allows this reading alone, and the answer says why (S24, S123)',
    async (command) => {
      const story = await gated(GATE, { 'payroll/more.ts': 'export const more = 1;\n' });
      const { ana, bot, model } = story;
      model.proposes(read('payroll/list.ts'));
      model.proposes(read('payroll/more.ts'));
      await ana.says('/countersign sum the salaries');
      await ana.replies(bot.proposal(1), command);
      expect(model.toolMessages()[0]).toContain(SALARY);
      expect(bot.answers().join('\n')).toContain('it is no plain edit by the agent');
      expect(bot.proposal(2).body).toContain('**Read** `payroll/more.ts`');
      expect(bot.proposal(2).body).toContain('**Pending:**');
    },
  );
});
