import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { stageForAll } from '../support/open-and-close.ts';

const folder = scratchFolder();

const file = join(folder, 'countersign.yml');
const lists = `protected_paths: ["deploy/**"]
require:
  - { paths: ["**/*.sql"], approvers: admin }
rules:
  - { tools: [edit_file], paths: ["legal/**"], decide: deny }
`;
writeFileSync(file, `expiry: 2d\nmodels: [large]\n${lists}ceilings:\n  required_approvals: 2\n`);
const stage = stageForAll({ environment: { CONFIG_FILE: file } });

describe('/config', () => {
  it('shows every setting in force, and starts nothing (S127)', async () => {
    const { ana, bot, configures } = await stage().tell();
    await configures(
      'approvers: maintain\nrequired_approvals: 1\nmodel: large\ncontext_files: ["`@acme/all` ```.md"]\n',
    );
    await ana.says('/countersign /config');
    const lines = bot.answer().split('\n');
    for (const line of ['approvers: maintain', 'required_approvals: 2', 'expiry: 2d', 'model: large', '  turns: 60'])
      expect(lines).toContain(line);
    expect(lines).toContain('protected_paths:');
    expect(lines).toContain('  - deploy/**');
    expect(bot.answer()).toMatch(/\n(`{4,})yaml\n.*```\.md.*\n\1\n/s);
    expect(bot.proposals()).toEqual([]);
  });

  it('answers the pull request’s author too, and nobody else without write access (S67, S69)', async () => {
    const { bot, carl, stranger } = await stage().tell();
    await carl.says('/countersign /config');
    expect(bot.answer()).toContain('\nrequired_approvals: 2\n');
    await stranger.says('/countersign /config');
    expect(bot.answer()).toContain('needs write access to this repository, unless you opened the pull request');
    expect(bot.answers()).toHaveLength(2);
  });
});
