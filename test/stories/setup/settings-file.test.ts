import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY } from '../support/proposals.ts';
import { type Story, write } from '../support/story.ts';

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
    expect(bot.answer()).toContain('line 2: required_aprovals is not a setting; did you mean required_approvals?');
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
      if (name === 'GET /repos/{owner}/{repo}/pulls/{pull_number}' && readings.length === 0)
        readings.push(configures('approvers: [\n'));
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

  it('the agent cannot propose to change it (S127, E8)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(write(PATH, 'approvers: write\n'), write('.GitHub/Countersign.yml', 'x: 1\n'));
    await ana.says('/countersign loosen the rules');
    expect(bot.proposals()).toEqual([]);
    for (const output of model.toolMessages()) expect(output).toMatch(/^Cannot write /);
    expect(model.toolMessages()).toHaveLength(2);
  });

  it('nothing is decided until GitHub returns it (S127)', async () => {
    const { ana, bot, pr } = await proposeUnder('required_approvals: 1\n');
    stage().github.faults.add({
      kind: 'fail-before-apply',
      status: 502,
      route: 'GET /repos/{owner}/{repo}/contents/{path}',
    });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answers()).toEqual([]);
  });
});
