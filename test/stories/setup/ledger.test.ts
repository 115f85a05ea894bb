import { describe, expect, it } from 'vitest';
import type { LedgerFilter } from '../../../src/adapters/store/ledger.ts';
import { answerOperator } from '../../../src/adapters/store/operator.ts';
import type { Ask } from '../../../src/cli/ask.ts';
import { type ExportedRow, readRows } from '../../../src/cli/export/export.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { askPeople, CHOICE, questionId, TEXT } from '../support/questions.ts';
import { proposeRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll({ needsSql: true });

const ask: Ask = (question, input) => answerOperator(stage().db(), question, input);

async function exported(filter: LedgerFilter): Promise<readonly ExportedRow[]> {
  const found: ExportedRow[] = [];
  for await (const rows of readRows(ask, filter, await ask('ledgerKeys', filter))) found.push(...rows);
  return found;
}

async function exportedOf({ pr }: Story): Promise<readonly ExportedRow[]> {
  const pullKeys = await ask('pullKeys', { repository: pr.fullName.toUpperCase(), number: pr.number });
  return exported({ pullKeys, since: null });
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
    const rows = await exportedOf(story);
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

  it('returns proposals made or decided since a time (K18)', async () => {
    const story = await proposeRows(stage(), { 2: 20 });
    const pullKeys = await ask('pullKeys', { repository: story.pr.fullName, number: story.pr.number });
    expect(await exported({ pullKeys, since: Date.now() - 3_600_000 })).toHaveLength(1);
    expect(await exported({ pullKeys, since: Date.now() + 3_600_000 })).toEqual([]);
    expect(await exported({ pullKeys: ['0/0/0'], since: null })).toEqual([]);
  });
});
