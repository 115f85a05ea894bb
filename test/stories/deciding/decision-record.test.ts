import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RequestLogEntry } from '../../../fakes/github/api-server.ts';
import { TRANSITIONS } from '../../../src/core/state/proposal.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, propose } from '../support/proposals.ts';
import { requestsSince } from '../support/requests.ts';
import { read } from '../support/story.ts';

const stage = stageForAll();

describe('the record of a decision', () => {
  it('a vote has the digest, the person’s id, the permission, the place, the text’s hash, delivery, head and time (S71)', async () => {
    const { ana, ben, bot, stored } = await propose(stage(), BIGINT, EXACTLY);
    const body = '/approve\nMind the callers.';
    const commentId = await ana.replies(bot.proposal(1), body);
    const denialId = await ben.says(`/deny ${bot.proposal(2).proposalId} too long`);
    const [first, second] = (await stored()).proposals;
    const delivery = stage().github.deliveries.log.find(({ request }) => request.body.includes('Mind the callers.'));
    expect(first?.votes).toEqual([
      {
        proposalId: first?.id,
        digest: first?.change.digest,
        action: 'approve',
        by: { id: ana.id, login: ana.login },
        permission: 'write',
        surface: 'thread',
        commentId,
        bodyHash: createHash('sha256').update(body).digest('hex'),
        deliveryId: delivery?.guid,
        headSha: first?.headSha,
        thread: { rootId: bot.proposal(1).id, reviewId: expect.any(Number) },
        writtenAt: expect.stringMatching(/^\d{4}-.*Z$/),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        text: 'Mind the callers.',
        standingApproval: null,
      },
    ]);
    expect(second?.votes).toMatchObject([
      { action: 'deny', by: { id: ben.id }, surface: 'conversation', commentId: denialId, text: 'too long' },
    ]);
  });

  it('an instruction is kept with its run, its message, its change, its decision and its text (S90a)', async () => {
    const { ana, bot, stored } = await propose(stage(), BIGINT, EXACTLY);
    const commentId = await ana.replies(bot.proposal(1), 'use a constant');
    const { run, proposals } = await stored();
    expect(proposals[0]).toMatchObject({ runId: run?.id, state: 'rejected' });
    expect(proposals[0]?.votes).toMatchObject([
      { action: 'edit', commentId, proposalId: bot.proposal(1).proposalId, text: 'use a constant' },
    ]);
  });

  it('the change’s own comment shows the outcome with a name and a link, without the button; its thread is resolved (S72)', async () => {
    const { ana, ben, bot, pr } = await propose(stage(), BIGINT, EXACTLY);
    await ana.replies(bot.proposal(1), '/approve');
    await ben.replies(bot.proposal(2), '/deny too long');
    const sha = pr.head();
    const link = `[\`${sha.slice(0, 7)}\`](${stage().github.url}/${pr.fullName}/commit/${sha})`;
    expect(bot.proposal(1).body).toContain(`**Completed:** applied in ${link}, approved by \`${ana.login}\`.`);
    expect(bot.proposal(2).body).toContain(`**Rejected by user** \`${ben.login}\`. Nothing was changed.\n\n> too long`);
    for (const proposal of bot.proposals()) {
      expect(proposal.resolved).toBe(true);
      expect(proposal.body).not.toContain('```suggestion');
      expect(proposal.body).not.toContain('`/approve`');
      expect(proposal.body).toContain('<details>');
    }
    expect(bot.run().body).toContain('1 change applied in 1 commit.');
  });

  it('the commit is the App’s, and names change, digest, range, approver and co-author (S73)', async () => {
    const { ana, bot, pr, stored } = await propose(stage(), BIGINT, EXACTLY);
    await ana.replies(bot.proposal(1), '/approve');
    const [proposal] = (await stored()).proposals;
    const [commit] = pr.commits();
    expect(commit?.author).toBe('countersign[bot]');
    expect(commit?.message.trimEnd().split('\n')).toEqual([
      'Edit src/total.ts: replace 1 line',
      '',
      `Countersign-Proposal: ${proposal?.id}`,
      `Countersign-Digest: sha256:${proposal?.change.digest}`,
      'Countersign-Range: 3,1 3,1',
      `Approved-by: ${ana.login}`,
      `Co-authored-by: ${ana.login} <${ana.id}+${ana.login}@users.noreply.${new URL(stage().github.url).hostname}>`,
    ]);
  });

  it('a decided change stays decided: every later comment is answered with its state (S75, S76, S77)', async () => {
    const { ana, ben, bot, pr, stored } = await propose(stage(), BIGINT, EXACTLY);
    await ana.replies(bot.proposal(1), '/approve');
    const sha = pr.head().slice(0, 7);
    for (const words of ['/approve', '/deny', '/edit differently']) {
      await ben.replies(bot.proposal(1), words);
      expect(bot.answer()).toMatch(/^Execution not found or not in proposed state: /);
      expect(bot.answer()).toContain(`was already applied by \`${ana.login}\` in ${sha}`);
    }
    await ben.replies(bot.proposal(1), 'differently, please');
    expect(bot.answer()).toMatch(/^The agent reads your comment after the decision on 1 pending change/);
    const [first] = (await stored()).proposals;
    expect(first).toMatchObject({ state: 'completed', commitSha: pr.head() });
    expect(first?.votes).toHaveLength(1);
    expect(TRANSITIONS.completed).toEqual([]);
    expect(pr.commits()).toHaveLength(1);
  });

  it('an accepted command gets a reaction, a refused one an answer (S64)', async () => {
    const { ana, bot } = await propose(stage(), BIGINT, EXACTLY);
    const refused = await ana.says('/approve');
    const accepted = await ana.replies(bot.proposal(1), '/approve');
    expect(bot.reactionsOn(refused)).toEqual([]);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.reactionsOn(accepted)).toEqual(['+1']);
  });
});

describe('tokens', () => {
  it('every token is for one repository; reads use a read-only token, and only writes use another (I7, I8)', async () => {
    const before = stage().github.requests.length;
    const story = await stage().tell();
    const { ana, bot, model, pr } = story;
    model.proposes(read('README.md'), { name: 'search', arguments: { query: 'total' } });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.replies(bot.proposal(1), '/approve');
    const calls = requestsSince(stage(), story, before).filter(({ caller }) => caller.kind === 'installation');
    expect(calls.length).toBeGreaterThan(10);
    for (const { name, caller } of calls) {
      if (caller.kind !== 'installation') continue;
      expect(caller.repositoryIds).toEqual([pr.repositoryId]);
      const level = isRead(name) ? 'read' : 'write';
      const { contents, pull_requests: pulls, checks, ...others } = caller.permissions;
      expect([name, contents, pulls, checks]).toEqual([name, level, level, level]);
      expect(new Set(Object.values(others))).toEqual(new Set(['read']));
    }
    expect(calls.filter(({ name }) => CONTENT_WRITE.test(name))).toHaveLength(1);
  });
});

/** The calls by which an App could change a branch. */
const CONTENT_WRITE = /createCommitOnBranch|^(?:POST|PATCH|DELETE) .*\/git\//;

/** The App looks its own check runs up with the token that writes them. */
function isRead(name: RequestLogEntry['name']): boolean {
  return /^GET (?!.*check-runs)|^graphql (?:pull|pullChecks|commentTexts|review|threads)$/.test(name);
}
