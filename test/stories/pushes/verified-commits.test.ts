import { describe, expect, it } from 'vitest';
import type { VerifiedChange } from '../../../src/cli/verify/check-commit.ts';
import { verifyRange } from '../../../src/cli/verify/verify.ts';
import { inClone } from '../support/clone.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { PullView } from '../support/pull-view.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\r\n`).join('');

async function verified(pr: PullView): Promise<readonly VerifiedChange[]> {
  const rows: VerifiedChange[] = [];
  await inClone(stage(), pr, async (gitDir) => {
    const rule = { slug: stage().github.app.slug, host: 'github.com' };
    rows.push(...(await verifyRange({ gitDir, range: pr.now().head.branch, ...rule })));
  });
  return rows;
}

function resultLines(story: Story, rows: readonly VerifiedChange[]): readonly string[] {
  const ids = story.bot.proposals().map(({ proposalId }) => proposalId);
  return rows.map(({ proposal, path, result }) => `${ids.indexOf(proposal ?? '') + 1} ${path} ${result}`);
}

describe('countersign verify on the App’s commits', () => {
  it('passes for several changes of one file in one and several commits, new, deleted and moved files, and moved lines (S73, S92, S94)', async () => {
    const story = await stage().tell({
      files: { 'src/total.ts': 'let total = 0;\n', 'windows.txt': LINES, 'old.txt': 'x\n', 'here.txt': 'y\n' },
    });
    const { ana, bot, model, pr } = story;
    model.proposes(
      edit('windows.txt', 'line 5\n', 'line five\nand more\n'),
      edit('windows.txt', 'line 20\n', ''),
      edit('windows.txt', 'line 36\n', 'line thirty-six\n'),
      { name: 'write_file', arguments: { path: 'new/ü.txt', content: 'x' } },
      { name: 'write_file', arguments: { path: 'empty.txt', content: '' } },
      { name: 'delete_file', arguments: { path: 'old.txt' } },
      { name: 'move_file', arguments: { from: 'here.txt', to: 'there/here.txt' } },
    );
    await ana.says('/countersign go');
    await ana.says(`/approve ${bot.proposal(3).proposalId} ${bot.proposal(1).proposalId}`);
    await ana.replies(bot.proposal(2), '/approve');
    await ana.says('/approve all');
    const rows = await verified(pr);
    expect(resultLines(story, rows).toSorted()).toEqual([
      '1 windows.txt ok',
      '2 windows.txt ok',
      '3 windows.txt ok',
      '4 new/ü.txt ok',
      '5 empty.txt ok',
      '6 old.txt ok',
      '7 there/here.txt ok',
    ]);
    expect(new Set(rows.map(({ commit }) => commit)).size).toBe(3);
    expect(rows.map(({ approvedBy }) => approvedBy)).toEqual(rows.map(() => [ana.login]));
  });

  it('R26: passes with a subject in the model’s words, of eleven changes that were approved at once', async () => {
    const names = Array.from({ length: 11 }, (_, at) => `part${at}.txt`);
    const story = await stage().tell({ branch: Object.fromEntries(names.map((name) => [name, 'one\n'])) });
    story.model.proposes(...names.map((name) => edit(name, 'one', 'eins', { reason: `Speak German in ${name}.` })));
    await story.ana.says('/countersign translate');
    await story.ana.says('/approve all');
    const [commit, ...others] = story.pr.commits();
    expect(others).toEqual([]);
    expect(commit?.message).toMatch(/^Speak German in part0\.txt \(\+10 changes\)\n\nCountersign-Proposal: /);
    expect(await verified(story.pr)).toHaveLength(11);
    expect((await verified(story.pr)).every(({ result }) => result === 'ok')).toBe(true);
  });

  it('passes with a message and a sign-off of the repository’s own, which forges no trailer (S73, S78, S127)', async () => {
    const story = await stage().tell();
    const { ana, ben, bot, configures, model, pr } = story;
    await configures(
      [
        'commit_message: |',
        '  docs: {summary}',
        '  Changes {ids} of {paths}.',
        '  Countersign-Proposal: m3x8',
        'sign_off: true',
        'required_approvals: 2',
        '',
      ].join('\n'),
    );
    model.proposes(edit('src/total.ts', 'let total = 0;\n', 'let total = 0n;\n'));
    await ana.says('/countersign go');
    await ana.says('/approve');
    await ben.says('/approve');
    const id = bot.proposal(1).proposalId;
    const message = pr.commits().at(-1)?.message ?? '';
    expect(message).toMatch(/^docs: Edit src\/total\.ts: replace 1 line\n\n/);
    expect(message).toContain(`Changes ${id} of src/total.ts.\n`);
    expect(message).not.toContain('m3x8');
    const signed = message.split('\n').filter((line) => line.startsWith('Signed-off-by: '));
    const credited = message.split('\n').filter((line) => line.startsWith('Co-authored-by: '));
    expect(signed).toHaveLength(2);
    expect(signed.map((line) => line.slice('Signed-off-by'.length))).toEqual(
      credited.map((line) => line.slice('Co-authored-by'.length)),
    );
    expect(resultLines(story, await verified(pr))).toEqual(['1 src/total.ts ok']);
  });

  it('passes for places of one set that look alike, which have the same digest (S73, S146)', async () => {
    const block = 'a\nb\nc\nold\nd\ne\nf\n';
    const story = await stage().tell({ files: { 'list.txt': `top\n${block}${LINES}${block}end\n` } });
    const { ana, model, pr } = story;
    const changes = [
      { op: 'edit', path: 'list.txt', old_string: 'top\na\nb\nc\nold\n', new_string: 'top\na\nb\nc\nnew\n' },
      { op: 'edit', path: 'list.txt', old_string: 'old\nd\ne\nf\nend\n', new_string: 'new\nd\ne\nf\nend\n' },
    ];
    model.proposes({ name: 'change_files', arguments: { summary: 'Rename both.', changes } });
    await ana.says('/countersign go');
    await ana.says('/approve');
    const rows = await verified(pr);
    expect(new Set(rows.map(({ digest }) => digest)).size).toBe(1);
    expect(resultLines(story, rows)).toEqual(['1 list.txt ok', '1 list.txt ok']);
  });

  it('verifies a person’s own lines by their own digest (B3)', async () => {
    const story = await stage().tell();
    story.model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n'));
    await story.ana.says('/countersign use bigint');
    await story.ana.replies(story.bot.proposal(1), '```suggestion\n  let total = 1n;\n```');
    expect(resultLines(story, await verified(story.pr))).toEqual(['1 src/total.ts ok']);
  });
});
