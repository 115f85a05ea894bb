import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';
import { edit, read, type Story } from '../support/story.ts';

const stage = stageForAll();

const PATH = '.github/countersign.yml';

async function proposeUnder(settings: string): Promise<Story> {
  const story = await stage().tell();
  await story.configures(settings);
  story.model.proposes(BIGINT, EXACTLY);
  await story.ana.says('/countersign use bigint');
  return story;
}

describe('the settings file', () => {
  it('while it is broken, changes are posted and can be denied, no approval takes effect, and one answer names every problem (S127, J3)', async () => {
    const { ana, bot, configures, pr } = await proposeUnder('approvers: writers\nrequired_aprovals: 2\n');
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/approve all');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('line 1: approvers must be write, maintain, admin or codeowners, not "writers"');
    expect(bot.answer()).toContain(
      'line 2: required_aprovals is not a setting; the settings are model, commands, approvers',
    );
    for (const { proposalId } of bot.proposals()) expect(bot.answer()).toContain(proposalId);
    await ana.replies(bot.proposal(2), '/deny');
    expect(bot.proposal(2).body).toContain('Rejected by user');
    await configures('approvers: write\n');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('settings that break between the approval and the commit void the approval, with one message (S127)', async () => {
    const { ana, bot, configures, pr } = await proposeUnder('approvers: write\n');
    const readings: Promise<void>[] = [];
    // The decision reads the settings first, the commit second.
    const breaks = (name: string): void => {
      if (name === 'graphql pull' && readings.length === 0) readings.push(configures('approvers: [\n'));
    };
    await beforeCalls(stage(), breaks, () => ana.says('/approve all'));
    await Promise.all(readings);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers().filter((answer) => answer.includes('has these problems'))).toHaveLength(1);
    await configures('approvers: write\n');
    await ana.says('/approve all');
    expect(pr.commits()).toHaveLength(1);
  });

  it('settings on the pull request’s own branch are never read (J1)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell({ branch: { [PATH]: 'approvers: admin\n' } });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('is not read through a link, whose target the agent could change: no approval takes effect (S127, E3)', async () => {
    const rules = 'config/rules.yml';
    const files = { 'README.md': '# Shop\n', [rules]: 'required_approvals: 2\n' };
    const { ana, bot, model, pr } = await stage().tell({ files, links: { [PATH]: `../${rules}` } });
    model.proposes(edit(rules, 'approvals: 2', 'approvals: 1'), edit('README.md', '# Shop', '# Store'));
    await ana.says('/countersign loosen the rules');
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/approve all');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('line 1: .github/countersign.yml is a link; only a plain file counts');
  });

  it('nothing is decided until GitHub returns it (S127)', async () => {
    const { ana, bot, pr } = await proposeUnder('required_approvals: 1\n');
    stage().github.faults.add({
      kind: 'fail-before-apply',
      status: 502,
      route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
    });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answers()).toEqual([]);
  });
});

describe('a settings file that breaks', () => {
  const FILES = { 'README.md': '# Shop\n', 'private/pay.md': 'canary-of-a-denied-file\n' };
  const NO_PRIVATE = 'rules:\n  - {tools: [read_file], paths: [private/**], decide: deny}\n';

  it.each([
    ['another key is misspelled', `required_aprovals: 2\n${NO_PRIVATE}`],
    ['a second rule is wrong', `${NO_PRIVATE}  - {tools: [edit_fil], paths: [gen/**], decide: deny}\n`],
    ['the YAML is wrong below', `${NO_PRIVATE}commit_message: "{summary}\n`],
    ['its rules stand there twice', `${NO_PRIVATE}rules: []\n`],
  ])('still keeps the agent from reading what it denies, if %s (S127, J3)', async (_what, settings) => {
    const { ana, configures, model } = await stage().tell({ files: FILES });
    await configures(settings);
    model.proposes(read('private/pay.md'));
    await ana.says('/countersign look around');
    expect(JSON.stringify(model.requests())).not.toContain('canary-of-a-denied-file');
    expect(model.toolMessages()[0]).toContain('Cannot read');
  });

  it('beyond reading keeps the rules of the run before (S127, J3)', async () => {
    const { ana, configures, model } = await stage().tell({ files: FILES });
    await configures(NO_PRIVATE);
    await ana.says('/countersign look around');
    await configures(Buffer.from([0xff, 0xfe, 0x00]));
    model.proposes(read('private/pay.md'));
    await ana.says('/countersign look again');
    expect(JSON.stringify(model.requests())).not.toContain('canary-of-a-denied-file');
  });
});
