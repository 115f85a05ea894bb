import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/decide.ts';
import { renderOpenProposal } from '../../../../src/core/messages/proposal/proposal-comment.ts';
import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';
import { commentKey } from '../../../../src/core/state/posted-comment.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { createPullState, type PullState } from '../../../../src/core/state/pull-state.ts';
import type { Vote } from '../../../../src/core/state/vote.ts';
import type { GitHub } from '../../../../src/core/step/ports.ts';
import type { Signal } from '../../../../src/core/step/signals.ts';
import type { Step } from '../../../../src/core/step/step.ts';
import { preflightCommit } from '../../../../src/worker/effects/commit-checks.ts';
import { gatherFacts } from '../../../../src/worker/jobs/gather-facts.ts';
import { type Offload, OffloadError, type OffloadName, offloadInline } from '../../../../src/worker/offload/offload.ts';
import { ana, edit, proposal, run, view, vote } from '../../core/messages/sample.ts';
import {
  commentOf,
  contextOf,
  type FileSite,
  gitHubOf,
  pushed,
  REF,
  repliesWith,
  undoes,
} from '../effects/file-site.ts';

const path = 'src/rows.txt';

const [BASE, HEAD] = ['b'.repeat(40), 'd'.repeat(40)];

const TEXT = Array.from({ length: 30 }, (_, at) => `row ${at}\n`).join('');

const CHANGES = [3, 12, 21].map((row) => edit(path, TEXT, `row ${row}\n`, `ROW ${row}\n`));

const BODY = '/approve k7q0';

const APPROVAL: Vote = { ...vote('approve', ana), surface: 'conversation', bodyHash: hash('sha256', BODY, 'hex') };

/** A GitHub where ana's approval is on the page. */
function withApproval(github: GitHub): GitHub {
  const createdAt = APPROVAL.writtenAt;
  const written = {
    authorId: ana.id,
    authorLogin: ana.login,
    body: BODY,
    createdAt,
    viaApp: false,
    thread: null,
    reviewState: null,
  };
  return { ...github, fetchVoteSources: async () => ({ 'conversation:5': written }) };
}

/** A GitHub where the comments show their proposals. */
function withPages(github: GitHub, { proposals }: PullState): GitHub {
  const texts = proposals.flatMap((one) => {
    const placement = { kind: 'conversation', path, reason: 'not-in-diff' } as const;
    const body = renderOpenProposal(view(one, placement))?.body ?? '';
    return one.comment === null ? [] : [[commentKey(one.comment), { body, bodyHash: one.comment.bodyHash }] as const];
  });
  return { ...github, fetchCommentTexts: async () => Object.fromEntries(texts) };
}

/** Three changes of a file, of which the first is approved. */
function waiting(more: Partial<Proposal> = {}): readonly Proposal[] {
  const placement = { kind: 'conversation', path, reason: 'not-in-diff' } as const;
  return CHANGES.map((change, at) => {
    const shown = {
      id: `k7q${at}`,
      runId: run().id,
      index: at + 1,
      total: 3,
      headSha: BASE,
      placement,
      comment: commentOf(at + 1),
    };
    const approved = at === 0 ? ({ state: 'approved', votes: [APPROVAL] } as const) : {};
    return proposal(change, { ...shown, ...approved, ...more });
  });
}

function pullOf(proposals: readonly Proposal[]): PullState {
  return { ...createPullState(REF), run: run({ assessedHeadSha: BASE }), proposals, proposalCount: proposals.length };
}

/** The file at both commits; null if it does not exist. */
function siteOf(base: string, head: string | null): FileSite {
  return { commits: { [BASE]: { [path]: base }, [HEAD]: head === null ? {} : { [path]: head } }, head: HEAD };
}

async function decided(site: FileSite, pull: PullState, signal: Signal, workOut: Offload): Promise<Step> {
  return decide(pull, signal, await gatherFacts(contextOf(gitHubOf(site), workOut), pull, signal));
}

function statesOf({ pull }: Step): readonly string[] {
  return pull.proposals.map(({ state }) => state);
}

const givenUp: Offload = () => Promise.reject(new OffloadError('timeout', 'it took too long'));

const MADE = TEXT.replace('row 3\n', 'ROW 3\n').replace('row 12\n', 'ROW 12\n');

describe('assessments before a decision', () => {
  it('assess all pending proposals of a file together, and skip unchanged files (H6)', async () => {
    const asked: OffloadName[] = [];
    const counting: Offload = (name, input) => {
      asked.push(name);
      return offloadInline(name, input);
    };
    const moved = await decided(siteOf(TEXT, `new\n${TEXT}`), pullOf(waiting()), pushed(BASE, HEAD), counting);
    expect(moved.pull.proposals.map(({ currentLine }) => currentLine)).toEqual([5, 14, 23]);
    expect(asked).toEqual(['assessPush']);
    const unread = { ...gitHubOf(siteOf(TEXT, TEXT)), fetchBlob: () => Promise.reject(new Error('it was read')) };
    const facts = await gatherFacts(contextOf(unread, counting), pullOf(waiting()), pushed(BASE, HEAD));
    expect(facts.staleness).toEqual({ paths: [], moves: [] });
    expect(asked).toEqual(['assessPush']);
  });

  it('apply the run’s own commits before they assess the other proposals (S96)', async () => {
    // The lines occur several times, and only that commit identifies the right ones.
    const base = `top\n${'a\nb\n'.repeat(5)}`;
    const landed = edit(path, base, 'top\n', 'top\nmore\n');
    const lines = { oldStart: 6, newStart: 6, before: ['b\n', 'a\n', 'b\n'], after: ['b\n', 'a\n', 'b\n'] };
    const result = { blob: 'f'.repeat(40), mode: '100644' } as const;
    const second = { ...landed, result, uniqueInBase: false, region: { ...lines, old: ['a\n'], new: ['c\n'] } };
    const executing = proposal(landed, {
      id: 'k7q0',
      state: 'executing',
      votes: [vote('approve', ana)],
      headSha: BASE,
    });
    const pull = pullOf([executing, proposal(second, { id: 'k7q1', headSha: BASE })]);
    const after = base.replace('top\n', 'top\nmore\n');
    const [before, made] = [landed.base?.blob ?? '', landed.result?.blob ?? ''];
    const ranges = [{ oldStart: 1, oldLines: 0, newStart: 2, newLines: 1 }];
    const committed: Signal = {
      type: 'committed',
      runId: run().id,
      sha: HEAD,
      parentSha: BASE,
      proposalIds: ['k7q0'],
      committedVersions: {},
      files: [{ path, before, after: made, ranges }],
    };
    const step = await decided(siteOf(base, after), pull, committed, offloadInline);
    expect(statesOf(step)).toEqual(['completed', 'proposed']);
    expect(step.pull.proposals[1]?.currentLine).toBe(7);
  });
});

describe('an assessment that times out (H6)', () => {
  it.each([
    ['made some of them', MADE],
    ['moved them', `new\n${TEXT}`],
    ['took the file away', null],
  ])(
    'of a push that %s withdraws everything on the file, approvals included, and counts no push as one',
    async (_, head) => {
      const step = await decided(siteOf(TEXT, head), pullOf(waiting()), pushed(BASE, HEAD), givenUp);
      expect(statesOf(step)).toEqual(['superseded', 'superseded', 'superseded']);
      expect(step.votes).toEqual([]);
      expect(step.effects.map(({ type }) => type)).not.toContain('commit');
      const answers = step.effects.flatMap((effect) => (effect.type === 'reply' ? [effect.reply] : []));
      expect(answers).toMatchObject([{ kind: 'stale', proposals: [{ id: 'k7q0' }] }]);
      expect(step.pull.run?.assessedHeadSha).toBe(HEAD);
    },
  );

  it('of a person’s own lines leads to a reply, and nothing is approved', async () => {
    const pull = pullOf(waiting({ state: 'proposed', votes: [] }));
    const site = siteOf(TEXT, TEXT);
    const context = contextOf(withPages(gitHubOf(site), pull), (name, input) =>
      name === 'applyUserEdit' ? givenUp(name, input) : offloadInline(name, input),
    );
    const signal = repliesWith(['mine'], commentOf(2), path);
    const step = decide(pull, signal, await gatherFacts(context, pull, signal));
    expect(step).toMatchObject({ reason: 'user-edit-refused', votes: [] });
    expect(statesOf(step)).toEqual(['proposed', 'proposed', 'proposed']);
    expect(step.effects).toMatchObject([{ type: 'reply', reply: { problem: { reason: 'limit-exceeded' } } }]);
  });

  it('of a page approves nothing: it counts as showing another change (X6)', async () => {
    const pull = pullOf(waiting({ state: 'proposed', votes: [] }));
    const signal = repliesWith(['ROW 12'], commentOf(2), path);
    const context = contextOf(withPages(gitHubOf(siteOf(TEXT, TEXT)), pull), (name, input) =>
      name === 'findShownDigest' ? givenUp(name, input) : offloadInline(name, input),
    );
    const step = decide(pull, signal, await gatherFacts(context, pull, signal));
    expect(step).toMatchObject({ reason: 'comment-mismatch', votes: [] });
    const inline = contextOf(context.githubApp.forPull(REF), offloadInline);
    expect(decide(pull, signal, await gatherFacts(inline, pull, signal)).reason).toBe('approved');
  });

  it('of an undo leads to a reply, and nothing is proposed', async () => {
    const pull = pullOf(waiting({ state: 'completed', commitSha: HEAD }));
    const step = await decided(siteOf(TEXT, MADE), pull, undoes('k7q0'), givenUp);
    expect(step).toMatchObject({ reason: 'undo-refused', pull: { proposals: pull.proposals } });
    expect(step.effects).toMatchObject([{ type: 'reply', reply: { refusal: { kind: 'refused' } } }]);
  });

  it('of a commit attempt commits nothing', async () => {
    const [mine] = waiting();
    if (mine === undefined) throw new Error('Nothing waits.');
    const pull = pullOf([mine]);
    const github = withApproval(gitHubOf(siteOf(TEXT, `new\n${TEXT}`)));
    const at = { head: HEAD, branch: 'topic' };
    const checkedBy = async (offload: Offload) => {
      const operatorSettings = () => NO_OPERATOR_SETTINGS;
      const { checks, settings } = await preflightCommit({ github, offload, operatorSettings }, pull, [mine], at);
      const starting = {
        type: 'commit-preflight',
        runId: run().id,
        headSha: HEAD,
        baseRef: 'main',
        checks,
        settings,
      } as const;
      return decide(pull, starting, await gatherFacts(contextOf(github, offload), pull, starting));
    };
    expect(statesOf(await checkedBy(givenUp))).toEqual(['superseded']);
    expect(statesOf(await checkedBy(offloadInline))).toEqual(['executing']);
  });

  it('is not assumed for an internal error: the signal is retried', async () => {
    const broken: Offload = () => Promise.reject(new Error('ours'));
    await expect(decided(siteOf(TEXT, MADE), pullOf(waiting()), pushed(BASE, HEAD), broken)).rejects.toThrow('ours');
  });
});
