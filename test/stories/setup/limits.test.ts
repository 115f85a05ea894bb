import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { read } from '../support/story.ts';

const folder = scratchFolder();

const file = join(folder, 'countersign.yml');
const PRICES = 'prices:\n  scripted: {input: 2, cached_input: 0.5, output: 10}\n  small: {input: 1, output: 2}\n';
writeFileSync(file, `models: [small, unpriced]\n${PRICES}`);

const stage = stageForAll({ environment: { CONFIG_FILE: file, OPENAI_MODEL: 'scripted' } });

const USAGE = { promptTokens: 100_000, cachedTokens: 50_000, completionTokens: 1_000 };

describe('the limits of a repository’s settings', () => {
  it('of cost parks a run with what it spent, and /resume renews it (S171, H4)', async () => {
    const { ana, bot, configures, model } = await stage().tell();
    await configures('limits:\n  cost_usd: 0.13\n  minutes: 30\n');
    model.says({ calls: [read('src/total.ts')], usage: USAGE });
    await ana.says('/countersign use bigint');
    expect(model.requests()).toHaveLength(1);
    expect(bot.run().body).toContain(
      '`scripted` · 1 response · 101k of 1,000,000 tokens · $0.14 of $0.13 · 0 of 30 min',
    );
    expect(bot.answer()).toContain('the run ended because it reached its limit of cost');
    expect(bot.answer()).toContain('`$0.14`');
    model.says({ calls: [BIGINT], usage: { promptTokens: 10_000, cachedTokens: 0, completionTokens: 1_000 } });
    await ana.says('/resume');
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.run().body).toContain('$0.03 of $0.13, $0.17 in all · 0 of 30 min, 0 in all');
  });

  it('of responses and waiting changes are told to the model and hold (S155, S171, D12)', async () => {
    const { ana, bot, configures, model } = await stage().tell();
    await configures('limits: {turns: 2, proposals_per_turn: 1}\n');
    model.says({ calls: [BIGINT, EXACTLY] });
    await ana.says('/countersign use bigint');
    const [first] = model.requests();
    expect(JSON.stringify(first)).toContain('At most 1 proposal can wait at once');
    expect(JSON.stringify(first)).toContain(
      'after 2 responses without a proposal since a person last wrote, or 2 since',
    );
    expect(bot.proposals()).toHaveLength(1);
    model.says({ calls: [read('src/total.ts')] });
    model.says({ calls: [read('README.md')] });
    await ana.says('/deny all no');
    expect(bot.answer()).toContain('the run ended because it reached its limit of model responses');
  });

  it('of a day are counted per person and repository (S171, H4)', async () => {
    const { ana, ben, bot, configures, model } = await stage().tell();
    await configures('limits: {runs_per_day: 2, runs_per_person_per_day: 1}\n');
    await ana.says('/countersign first');
    await ana.says('/countersign second');
    expect(bot.answer()).toContain('the person who asked has started 1 run within 24 hours');
    expect(model.requests()).toHaveLength(1);
    await ben.says('/countersign third');
    expect(model.requests()).toHaveLength(2);
    await configures('limits: {runs_per_day: 2}\n');
    await ana.says('/countersign fourth');
    expect(bot.answer()).toContain('this repository has started 2 runs within 24 hours');
    expect(model.requests()).toHaveLength(2);
  });

  it('are those of the run’s start, whatever the file says later (S171)', async () => {
    const { ana, bot, configures, model } = await stage().tell();
    model.says({ calls: [BIGINT], usage: USAGE });
    await ana.says('/countersign use bigint');
    await configures('limits: {tokens: 10}\nmodel: small\n');
    model.says({ calls: [EXACTLY], usage: USAGE });
    await ana.says('/deny all exactly');
    expect(bot.proposals()).toHaveLength(2);
    expect(model.requests().map((request) => JSON.parse(JSON.stringify(request)).model)).not.toContain('small');
    expect(bot.run().body).toContain('of 1,000,000 tokens');
  });
});

describe('the questions of people under a repository’s settings', () => {
  it('go to the model of the settings, also where no run ever was (S157, S171)', async () => {
    const { ana, configures, model } = await stage().tell({
      files: { 'README.md': '# Shop\n', 'docs/agent.md': 'Answer in one line.\n' },
    });
    await configures('model: small\ncontext_files: [docs/agent.md]\n');
    model.says({ content: 'So.' });
    await ana.says('/countersign ask why?');
    const [asked] = model.requests();
    expect(JSON.stringify(asked)).toContain('"model":"small"');
    expect(JSON.stringify(asked)).toContain('Answer in one line.');
  });
});

describe('the model of a repository’s settings', () => {
  it('gets its requests, has its own price and stands on the run comment (S171)', async () => {
    const { ana, bot, configures, model } = await stage().tell();
    await configures('model: small\n');
    model.says({ calls: [BIGINT], usage: USAGE });
    await ana.says('/countersign use bigint');
    expect(JSON.stringify(model.requests()[0])).toContain('"model":"small"');
    expect(bot.run().body).toContain('`small` · 1 response · 101k of 1,000,000 tokens · $0.10.');
    await ana.says('/config');
    expect(bot.answer()).toContain('model: small\n');
    expect(bot.answer()).toContain('  cost_usd: none\n');
  });

  it.each([
    [
      'model: huge',
      'line 1: model must be one that the operator allows ("scripted", "small" and "unpriced"), not "huge"',
    ],
    ['model: unpriced\nlimits: {cost_usd: 1}', 'line 2: limits.cost_usd needs a price of each model'],
  ])('%j is a problem of the file, and no approval takes effect (S127, S171)', async (text, problem) => {
    const { ana, bot, configures, model, pr } = await stage().tell();
    await configures(`${text}\n`);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    expect(bot.answer()).toContain(problem);
    expect(pr.commits()).toEqual([]);
  });
});

describe('the pull request’s author without write access', () => {
  it('gets at most 10 replies an hour, and a denial still counts (S67, H3)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot, carl } = story;
    for (const words of ['/status', '/help', '/deny zzzz', '/config', '/show', '/countersign']) {
      for (let count = 0; count < 2; count += 1) await carl.says(words);
    }
    expect(bot.answers()).toHaveLength(10);
    await ana.says('/status');
    expect(bot.answers()).toHaveLength(11);
    await carl.replies(bot.proposal(1), '/deny');
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed']);
    await stage().later(3_600);
    await carl.says('/status');
    expect(bot.answers()).toHaveLength(12);
  });
});
