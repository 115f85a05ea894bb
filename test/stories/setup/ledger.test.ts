import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import {
  findCommittedChanges,
  findPullRequestKeys,
  type LedgerFilter,
  readAnswers,
  readLedger,
} from '../../../src/adapters/store/ledger.ts';
import { checkLedgerChain } from '../../../src/adapters/store/ledger-chain.ts';
import { checkCommitsAgainstLedger, type LedgerLookup } from '../../../src/cli/export/check-against-ledger.ts';
import { type ExportedRow, toExportedAnswer, toExportedRow } from '../../../src/cli/export/exported-row.ts';
import type { VerifiedChange } from '../../../src/cli/verify/check-commit.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { inClone } from '../support/clone.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { PullView } from '../support/pull-view.ts';
import { APPROVAL, askPeople, CHOICE, questionId, TEXT } from '../support/questions.ts';
import { editRow, proposeRows, rows } from '../support/rows.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

async function exported(filter: LedgerFilter): Promise<readonly ExportedRow[]> {
  const found: ExportedRow[] = [];
  await readLedger(stage().db(), filter, async (entries) => {
    found.push(...entries.map(toExportedRow));
    return true;
  });
  return found;
}

async function exportedOf({ pr }: Story): Promise<readonly ExportedRow[]> {
  const pullKeys = await findPullRequestKeys(stage().db(), pr.fullName.toUpperCase(), pr.number);
  return exported({ pullKeys, since: null });
}

async function answersOf({ pr }: Story): Promise<readonly ExportedRow[]> {
  const found: ExportedRow[] = [];
  const pullKeys = await findPullRequestKeys(stage().db(), pr.fullName, pr.number);
  await readAnswers(stage().db(), { pullKeys, since: null }, async (answers) => {
    found.push(...answers.map(toExportedAnswer));
    return true;
  });
  return found;
}

const ledger: LedgerLookup = (commit) => findCommittedChanges(stage().db(), commit);

async function explained(pr: PullView, lookup: LedgerLookup = ledger): Promise<readonly VerifiedChange[]> {
  const found: VerifiedChange[] = [];
  await inClone(stage(), pr, async (gitDir) => {
    const request = { gitDir, range: pr.now().head.branch, slug: stage().github.app.slug, host: 'github.com' };
    for await (const row of checkCommitsAgainstLedger(request, lookup)) found.push(row);
  });
  return found;
}

/** Changes of five rows: approved, denied, sent back with an instruction, edited by a person, and pending. */
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
  it('has every answer to a question of the agent, in the form of a vote (S114, K18)', async () => {
    const story = await askPeople(stage(), CHOICE, TEXT);
    const { ana, ben, bot, pr } = story;
    await ben.says('/choose 2');
    await ana.says('/answer shop');
    const rows = await answersOf(story);
    const common = { toolName: 'ask_user', state: 'answered', repository: pr.fullName, userLogin: ana.login };
    expect(rows).toMatchObject([
      { ...common, parameters: { input_type: 'choice', choices: ['SQLite', 'PostgreSQL', 'Both of them'] } },
      { ...common, parameters: { prompt: 'What is the new name?', input_type: 'text' } },
    ]);
    expect(rows.map(({ votes }) => votes)).toMatchObject([
      [{ action: 'answer', userId: ben.id, text: '{"index":1,"value":"PostgreSQL"}' }],
      [{ action: 'answer', userId: ana.id, text: '"shop"' }],
    ]);
    expect(rows.map(({ proposalId }) => proposalId)).toEqual(bot.questions().map(questionId));
    expect(await exportedOf(story)).toEqual([]);
  });

  it('has a rejected question, too (S119, K18)', async () => {
    const story = await askPeople(stage(), APPROVAL);
    await story.ana.says('/reject');
    expect(await answersOf(story)).toMatchObject([
      { state: 'rejected', votes: [{ action: 'reject-question', userId: story.ana.id, permission: 'write' }] },
    ]);
  });

  it('has every proposal, oldest first, with its answers and its outcome (S90, K18, K19, K20)', async () => {
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

  it('has for each commit its parent, both digests, its lines and its approvers (S71, S92)', async () => {
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

  it('chains every decision and every commit, and the chain fits after each of them (X14)', async () => {
    const before = await checkLedgerChain(stage().db(), null);
    const story = await decided();
    const after = await checkLedgerChain(stage().db(), null);
    // Four votes, four outcomes and two commits.
    expect(after.rowCount - before.rowCount).toBe(10);
    expect(after.pullCount - before.pullCount).toBe(1);
    await story.ana.replies(story.bot.proposal(5), '/approve');
    const last = await checkLedgerChain(stage().db(), null);
    expect(last).toMatchObject({ rowCount: after.rowCount + 3, problems: [] });
    expect(await checkLedgerChain(stage().db(), after.until)).toEqual(after);
  });

  it('returns proposals made or decided since a time (K18)', async () => {
    const story = await proposeRows(stage(), { 2: 20 });
    const pullKeys = await findPullRequestKeys(stage().db(), story.pr.fullName, story.pr.number);
    expect(await exported({ pullKeys, since: Date.now() - 3_600_000 })).toHaveLength(1);
    expect(await exported({ pullKeys, since: Date.now() + 3_600_000 })).toEqual([]);
    expect(await exported({ pullKeys: ['0/0/0'], since: null })).toEqual([]);
  });

  it('explains every commit of the App, and the undo of one (J8, V7)', async () => {
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

  it('explains only commits that match the ledger exactly (J8, V7)', async () => {
    const { ana, model, pr } = await stage().tell();
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n'));
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    const real = await ledger(pr.head());
    const problems = async (forged: typeof real) =>
      (await explained(pr, async () => forged)).map(({ problem }) => problem);
    const each = (change: Partial<(typeof real)[number]>) => real.map((row) => ({ ...row, ...change }));
    expect(await problems(real)).toEqual([null]);
    expect(await problems([])).toEqual(['the ledger does not have this change']);
    expect(await problems([...real, ...real])).toEqual(['the ledger has this change more than once']);
    expect(await problems(each({ digest: 'f'.repeat(64) }))).toEqual(['the ledger has the digest ffffffffffff']);
    expect(await problems(each({ approvers: [] }))).toEqual(['the ledger has other approvers: none']);
    expect(await problems(each({ voters: [] }))).toEqual([
      `the ledger has no approval of the shown change by ${ana.login}`,
    ]);
  });
});

describe('the App is uninstalled during a commit', () => {
  it('the ledger explains the commit that GitHub made and no longer shows (V7, G11)', async () => {
    const story = await proposeRows(stage(), { 2: 20 });
    const { ana, bot, pr } = story;
    const { ownerId } = pr.repository();
    const installation = [...stage().github.state().installations.values()].find(
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
