import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

type Rules = { readonly settings: string; readonly owners?: ((story: Story) => string) | undefined };

/** A pull request with these rules on the default branch, and one pending change of `src/total.ts`. */
async function proposeUnder({ settings, owners }: Rules): Promise<Story> {
  const story = await stage().tell();
  await story.configures(settings);
  if (owners !== undefined) await story.names(owners(story));
  story.model.proposes(BIGINT);
  await story.ana.says('/countersign use bigint');
  return story;
}

describe('approvers: codeowners', () => {
  it('a person who owns the path approves; another is told why (A11, S66)', async () => {
    const { ana, ben, bot, pr } = await proposeUnder({
      settings: 'approvers: codeowners\n',
      owners: ({ ben }) => `* @nobody\n/src/ @${ben.login} # the shop\n`,
    });
    expect(bot.proposal(1).body).toContain('**0 of 1 approvals**: 1 more needed, with a code owner of each path');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(`\`${ana.login}\` is no known code owner of \`src/total.ts\``);
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()[0]?.message).toContain(`Approved-by: ${ben.login}`);
  });

  it('with two approvals an owner and another person are enough (S70)', async () => {
    const { ana, ben, bot, pr, person } = await proposeUnder({
      settings: 'approvers: codeowners\nrequired_approvals: 2\n',
      owners: ({ ben }) => `* @${ben.login}\n`,
    });
    const dora = await person('dora', 'write');
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.proposal(1).body).toContain(`**1 of 2 approvals** by \`${ana.login}\`: 1 more needed`);
    await dora.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    await dora.says('/approve');
    expect(bot.answer()).toContain('the approval of a code owner of `src/total.ts` is still needed');
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it.each<[string, string | undefined]>([
    ['no file', undefined],
    ['more than 3 MB', `* @ana\n${'# a comment\n'.repeat(270_000)}`],
  ])('%s: nobody can approve (A11)', async (_what, owners) => {
    const { ana, bot, pr } = await proposeUnder({
      settings: 'approvers: codeowners\n',
      owners: owners === undefined ? undefined : () => owners,
    });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('is no known code owner of `src/total.ts`');
  });

  it('while CODEOWNERS is a link, nobody can approve (A11, E3)', async () => {
    const files = { 'README.md': '# Shop\n', 'docs/owners': '* @ana\n' };
    const story = await stage().tell({ files, links: { '.github/CODEOWNERS': '../docs/owners' } });
    const { ana, bot, configures, model, pr } = story;
    await configures('approvers: codeowners\n');
    model.proposes(edit('README.md', '# Shop', '# Store'));
    await ana.says('/countersign let me approve');
    await ana.says('/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('is no known code owner of `README.md`');
  });
});

describe('teams', () => {
  it('do not count without members: read, and the answer says so plainly (A11)', async () => {
    const { ana, bot, pr } = await proposeUnder({
      settings: 'approvers: codeowners\n',
      owners: () => '* @acme/payments @nobody\n',
    });
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Countersign cannot see the members of a team');
    expect(bot.answer()).toContain('`members: read`');
  });

  it('count where the installation lets the App see members; a team that is gone has none (A11)', async () => {
    const story = await proposeUnder({
      settings: 'approvers: codeowners\n',
      owners: () => '* @acme/Payments @acme/gone\n',
    });
    const { ana, ben, bot, pr, grantsMembers } = story;
    grantsMembers();
    stage().github.apply(OPERATIONS.setTeam, { team: 'acme/payments', memberIds: [ben.id] });
    await ana.replies(bot.proposal(1), '/approve');
    await stage().surely();
    expect(bot.answer()).toContain('is no known code owner');
    expect(bot.answer()).not.toContain('cannot see');
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('require', () => {
  it('asks more people for some paths only, from the root, and never fewer than the repository does (S66, S127)', async () => {
    const { ana, ben, bot, pr } = await proposeUnder({
      settings: 'require:\n  - {paths: [total.ts], approvals: 9}\n  - {paths: [SRC/**], approvals: 2}\n',
    });
    expect(bot.proposal(1).body).toContain('**0 of 2 approvals**: 2 more needed.');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  });
});
