import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const folder = scratchFolder();

const file = join(folder, 'countersign.yml');
writeFileSync(file, 'expiry: 2d\nceilings:\n  required_approvals: 2\n');
const stage = stageForAll({ environment: { CONFIG_FILE: file } });

describe('the operator’s settings', () => {
  it('hold in a repository without a file: two people approve each change (S127)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposal(1).body).toContain('2 approvals');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    await ben.says('/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('bound a repository’s own file, which cannot loosen them (S127, J1)', async () => {
    const { ana, bot, configures, model, pr } = await stage().tell();
    await configures('required_approvals: 1\n');
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
  });
});
