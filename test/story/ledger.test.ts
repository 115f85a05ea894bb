import { describe, expect, it } from 'vitest';
import { explainCommits, type Lookup } from '../../src/export/explain-commits.ts';
import { type ExportedRow, exportedRow } from '../../src/export/exported-row.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import { type LedgerFilter, pullKeysOf, readLedger, writesOfCommit } from '../../src/store/ledger.ts';
import type { Row } from '../../src/verify/verify-commit.ts';
import { beforeCalls } from './before-calls.ts';
import { inClone } from './clone.ts';
import { stageForAll } from './curtain.ts';
import type { PullView } from './pull-view.ts';
import { editRow, proposeRows, rows } from './rows.ts';
import { edit, type Story } from './story.ts';

const stage = stageForAll();

async function exported(filter: LedgerFilter): Promise<readonly ExportedRow[]> {
  const found: ExportedRow[] = [];
  await readLedger(stage().db(), filter, async (entries) => {
    found.push(...entries.map(exportedRow));
    return true;
  });
  return found;
}

async function exportedOf({ pr }: Story): Promise<readonly ExportedRow[]> {
  const pullKeys = await pullKeysOf(stage().db(), pr.fullName.toUpperCase(), pr.number);
  return exported({ pullKeys, since: null });
}

const ledger: Lookup = (commit) => writesOfCommit(stage().db(), commit);

async function explained(pr: PullView, lookup: Lookup = ledger): Promise<readonly Row[]> {
  const found: Row[] = [];
  await inClone(stage(), pr, async (gitDir) => {
    const request = { gitDir, range: pr.now().head.branch, slug: stage().github.app.slug };
    for await (const row of explainCommits(request, lookup)) found.push(row);
  });
  return found;
}

/** Changes to five rows: approved, denied, to be done differently, approved in own words, and one that nobody decides. */
async function decided(): Promise<Story> {
  const story = await proposeRows(stage(), { 2: 20, 6: 60, 10: 100, 14: 140, 18: 180 });
  const { ana, ben, bot } = story;
  await ben.replies(bot.proposal(1), '/approve\nreads well');
  await ana.replies(bot.proposal(2), '/deny six is right');
  await ana.replies(bot.proposal(3), 'say eleven');
  await ana.replies(bot.proposal(4), '```suggestion\nconst row14 = 141;\n```');
  return story;
}

describe('the ledger', () => {
  it('S90, K18, K19, K20: has every proposal, oldest first, with who answered what and what came of it', async () => {
    const story = await decided();
    const { ana, ben, pr } = story;
    const found = await exportedOf(story);
    expect(
      found.map(({ state, userResponse, customInstruction, votes }) => {
        return [state, userResponse, customInstruction, votes.map(({ userId, text }) => [userId, text])];
      }),
    ).toEqual([
      ['completed', 'approve', null, [[ben.id, 'reads well']]],
      ['rejected', 'reject', null, [[ana.id, 'six is right']]],
      ['rejected', 'custom', 'say eleven', [[ana.id, 'say eleven']]],
      ['completed', 'modify', null, [[ana.id, null]]],
      ['proposed', null, null, []],
    ]);
    const [first, denied, , , open] = found;
    const parameters = { path: 'src/rows.ts', old_string: 'const row02 = 2;', new_string: 'const row02 = 20;' };
    expect(first).toMatchObject({
      ...{ userId: ana.id, userLogin: ana.login, repository: pr.fullName, pullRequest: pr.number },
      ...{ toolName: 'edit_file', parameters: { ...parameters, replace_all: false }, error: null },
      result: { commit: pr.commits()[0]?.sha, digest: first?.digest, range: '2,1 2,1' },
    });
    expect(first?.conversationId).toBe((await story.stored()).run?.id);
    expect(first?.organizationId).toMatch(new RegExp(`^\\d+/${pr.repositoryId}$`));
    expect(first?.proposalMessage).toContain('src/rows.ts');
    expect(Date.parse(first?.proposedAt ?? '')).toBeLessThan(Date.parse(first?.decidedAt ?? ''));
    expect(first?.durationMs).toBe(Date.parse(first?.executedAt ?? '') - Date.parse(first?.decidedAt ?? ''));
    expect(denied).toMatchObject({ result: null, executedAt: null, durationMs: null });
    expect(open).toMatchObject({ result: null, decidedAt: null, executedAt: null });
  });

  it('S71, S92: holds for each commit its parent, both digests, its lines and who approved it', async () => {
    const story = await decided();
    const { ben, pr } = story;
    const [first] = await exportedOf(story);
    const [vote] = first?.votes ?? [];
    const [commit] = pr.commits();
    expect(vote).toMatchObject({
      ...{ action: 'approve', userLogin: ben.login, permission: 'write', surface: 'thread', digest: first?.digest },
      ...{ commentId: expect.any(Number), bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/), head: commit?.parent },
    });
    expect(first?.writes).toMatchObject([
      {
        ...{ commit: commit?.sha, parent: commit?.parent, shownDigest: first?.digest, digest: first?.digest },
        ...{ range: '2,1 2,1', approvers: [{ userId: ben.id, userLogin: ben.login }] },
      },
    ]);
  });

  it('K18: gives what was decided or proposed since a time', async () => {
    const story = await proposeRows(stage(), { 2: 20 });
    const pullKeys = await pullKeysOf(stage().db(), story.pr.fullName, story.pr.number);
    expect(await exported({ pullKeys, since: Date.now() - 3_600_000 })).toHaveLength(1);
    expect(await exported({ pullKeys, since: Date.now() + 3_600_000 })).toEqual([]);
    expect(await exported({ pullKeys: ['0/0/0'], since: null })).toEqual([]);
  });

  it('J8, V7: explains every commit of the App, and the undo of one', async () => {
    const { ana, bot, pr, model } = await decided();
    model.proposes(editRow(22, 220));
    await ana.says('/continue');
    await ana.says('/approve all');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve all');
    expect(pr.file('src/rows.ts')).toBe(rows({ 14: 141, 22: 220 }));
    const found = await explained(pr);
    expect(found.map(({ result, problem }) => [result, problem])).toEqual(Array(4).fill(['ok', null]));
    expect(new Set(found.map(({ commit }) => commit)).size).toBe(pr.commits().length);
  });

  it('J8, V7: explains no commit that the ledger does not have exactly so', async () => {
    const { ana, model, pr } = await stage().tell();
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n'));
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    const real = await ledger(pr.head());
    const problems = async (forged: typeof real) =>
      (await explained(pr, async () => forged)).map(({ problem }) => problem);
    const each = (change: Partial<(typeof real)[number]>) => real.map((row) => ({ ...row, ...change }));
    expect(await problems(real)).toEqual([null]);
    expect(await problems([])).toEqual(['the ledger does not have it']);
    expect(await problems([...real, ...real])).toEqual(['the ledger has it more than once']);
    expect(await problems(each({ digest: 'f'.repeat(64) }))).toEqual(['the ledger has the digest ffffffffffff']);
    expect(await problems(each({ approvers: [] }))).toEqual(['the ledger says that nobody approved']);
    expect(await problems(each({ voters: [] }))).toEqual([
      `the ledger has no approval by ${ana.login} of what was shown`,
    ]);
  });
});

describe('the App is removed while a commit is under way', () => {
  it('V7, G11: the ledger explains the commit that GitHub made and would not show any more', async () => {
    const story = await proposeRows(stage(), { 2: 20 });
    const { ana, bot, pr } = story;
    const { ownerId } = pr.repository();
    const installation = [...stage().github.world().installations.values()].find(
      ({ accountId }) => accountId === ownerId,
    );
    let made = false;
    const removed = (name: string): void => {
      if (made && name.startsWith('GET /repos/{owner}/{repo}/git/trees'))
        stage().github.apply(OPERATIONS.uninstallApp, { installationId: installation?.id ?? 0 });
      made = name === 'graphql createCommitOnBranch';
    };
    await beforeCalls(stage(), removed, () => ana.replies(bot.proposal(1), '/approve'));
    expect(pr.file('src/rows.ts')).toBe(rows({ 2: 20 }));
    expect(await exportedOf(story)).toMatchObject([{ state: 'failed' }]);
    expect(await explained(pr)).toMatchObject([{ result: 'ok' }]);
  });
});
