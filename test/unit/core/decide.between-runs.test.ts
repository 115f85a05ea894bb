import { describe, expect, it } from 'vitest';
import { openStalenessInput } from '../../../src/core/actions/head-assessment.ts';
import { OUTCOME_UNKNOWN_NOTE } from '../../../src/core/events/pull-request.ts';
import { needs } from '../../../src/core/needs.ts';
import { assessStaleness } from './support/assess-staleness.ts';
import { ANA, BEN, FILE_TEXT, posted, TableGame } from './support/table-game.ts';

const FIRST = '2026-01-01T00:10:00Z';

const SECOND = '2026-01-01T00:20:00Z';

/** The run has ended, and two tasks are queued. */
function betweenRuns(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'look around' });
  game.commands(ANA, { name: 'task', text: 'tidy up' }, { createdAt: FIRST });
  game.commands(BEN, { name: 'task', text: 'be exact' }, { createdAt: SECOND });
  game.modelReplies([], 'Done.');
  return game;
}

/** A run whose only change is approved and in a commit attempt. */
function committing() {
  const game = posted(1);
  game.commands(ANA, { name: 'approve', targets: { by: 'location' }, note: '' });
  const attempt = game.commitBegins();
  if (attempt === null) throw new Error('No commit is under way.');
  return { game, attempt };
}

describe('/stop between two runs', () => {
  it('drops and lists the queued tasks, and starts none of them (S51)', () => {
    const game = betweenRuns();
    expect(game.take('start-next-task')).not.toBeNull();
    const { reason, effects } = game.commands(BEN, { name: 'stop' }, { createdAt: '2026-01-01T00:30:00Z' });
    expect(reason).toBe('stopped');
    expect(effects).toMatchObject([
      { type: 'react', content: '+1' },
      { type: 'reply', reply: expect.stringContaining('- tidy up\n- be exact') },
    ]);
    expect(game.signal({ type: 'next-task-due' }).reason).toBe('outdated-result');
    expect(game.pull.run?.task.text).toBe('look around');
  });

  it('keeps tasks that were requested after it (S41a)', () => {
    const game = betweenRuns();
    const { effects } = game.commands(BEN, { name: 'stop' }, { createdAt: FIRST });
    expect(effects).toMatchObject([{ type: 'react' }, { reply: expect.stringContaining('- tidy up\n') }]);
    game.signal({ type: 'next-task-due' });
    expect(game.pull.run?.task.text).toBe('be exact');
  });

  it('stops nothing if every task was requested after it (S41a)', () => {
    const game = betweenRuns();
    expect(game.commands(BEN, { name: 'stop' }, { createdAt: '2026-01-01T00:00:00Z' }).reason).toBe('no-run');
    expect(game.pull.queue).toHaveLength(2);
  });
});

describe('the needs of a task', () => {
  it.each([
    ['closed', []],
    ['merged', []],
    ['open', [{ kind: 'settings' }]],
  ] as const)('on a pull request that is %s: %j', (state, needed) => {
    const game = betweenRuns();
    const { settings: _, ...facts } = game.facts({ pullRequest: game.github({ state }) });
    expect(needs(game.pull, { type: 'next-task-due' }, facts)).toEqual(needed);
  });
});

describe('queued tasks of an installation that lacks a permission', () => {
  it('nothing else is asked of GitHub, no model is asked, and each task gets its reply (O4)', () => {
    const game = betweenRuns();
    const { missingPermissions: _, settings: __, ...facts } = game.facts();
    const next = { type: 'next-task-due' } as const;
    expect(needs(game.pull, next, facts)).toEqual([{ kind: 'missing-permissions' }]);
    expect(needs(game.pull, next, { ...facts, missingPermissions: ['contents: write'] })).toEqual([]);
    const { reason, effects } = game.signal(next, { missingPermissions: ['contents: write'] });
    expect(reason).toBe('permission-missing');
    const reply = { type: 'reply', reply: expect.stringContaining('lacks the permission `contents: write`') };
    expect(effects).toMatchObject([reply, reply]);
    expect(game.pull.queue).toEqual([]);
  });
});

describe('a commit attempt in flight when access is lost', () => {
  function losing() {
    const { game, attempt } = committing();
    const { effects } = game.signal({ type: 'access-lost', cause: 'uninstalled' });
    return { game, attempt, effects };
  }

  it('fails its proposals with a note that the outcome is unknown (S90b)', () => {
    const { game, effects } = losing();
    expect(game.pull.proposals).toMatchObject([{ state: 'failed', note: OUTCOME_UNKNOWN_NOTE }]);
    expect(effects).toEqual([]);
  });

  it('records the commit in the ledger if its outcome still arrives, and queues no effects (S90b)', () => {
    const { game, attempt } = losing();
    const [proposalId] = attempt.ids;
    game.commitLands(attempt);
    const step = game.steps.at(-1);
    expect(step?.ledgerCommits).toMatchObject([{ proposalId, commitSha: 'c'.repeat(40), approvers: [{ id: ANA.id }] }]);
    expect(step?.effects).toEqual([]);
  });
});

describe('a commit mismatch that is reported after access was lost', () => {
  it('is in the ledger as it was requested, and queues no effects (S90b, B20)', () => {
    const { game, attempt } = committing();
    const [proposalId] = attempt.ids;
    game.signal({ type: 'access-lost', cause: 'repository-removed' });
    const asked = { runId: attempt.runId, sha: 'c'.repeat(40), parentSha: 'h'.repeat(40), proposalIds: attempt.ids };
    const step = game.signal({ type: 'commit-mismatch', ...asked, committedVersions: {}, mismatches: [] });
    expect(step.ledgerCommits).toMatchObject([
      { proposalId, commitSha: 'c'.repeat(40), parentSha: 'h'.repeat(40), approvers: [{ id: ANA.id }] },
    ]);
    expect(step.effects).toEqual([]);
  });
});

describe('an unanswered question when access is lost', () => {
  it('is dropped, so that the next question is sent to the model (F16)', () => {
    const game = betweenRuns();
    game.commands(ANA, { name: 'ask', text: 'why?' });
    expect(game.signal({ type: 'access-lost', cause: 'permissions' }).cancelsPendingWork).toBe(true);
    const { effects } = game.commands(ANA, { name: 'ask', text: 'why not?' });
    expect(effects).toMatchObject([{ type: 'react' }, { type: 'answer-side-question' }]);
    expect(game.pull.sideQuestions).toMatchObject([{ text: 'why not?' }]);
  });
});

describe('a commit that succeeds after the next run has started', () => {
  it('updates the comment of its own run', () => {
    const { game, attempt } = committing();
    const before = game.pull.run?.id;
    game.commands(ANA, { name: 'stop' });
    game.commands(BEN, { name: 'task', text: 'tidy up' });
    expect(game.pull.run?.id).not.toBe(before);
    const shown = () => game.effects.filter((one) => one.type === 'update-run-comment' && one.runId === before).length;
    const shownBefore = shown();
    game.commitLands(attempt);
    expect(game.pull.proposals.find(({ runId }) => runId === before)?.state).toBe('completed');
    expect(shown()).toBe(shownBefore + 1);
  });
});

describe('a commit that succeeds while changes of the next run are pending', () => {
  /** The first run was stopped during its commit attempt, and the change of the next run is posted. */
  function overlapping() {
    const { game, attempt } = committing();
    game.commands(ANA, { name: 'stop' });
    game.commands(BEN, { name: 'task', text: 'tidy up' });
    game.modelReplies([{ id: 'two', name: 'edit_file', arguments: 'edit 30 tidy' }]);
    game.toolsAnswer();
    game.reviewIsPosted();
    return { game, attempt };
  }

  const before = { 'src/a.txt': { blob: 'a'.repeat(40), mode: '100644', text: FILE_TEXT } };
  const after = {
    'src/a.txt': { blob: 'd'.repeat(40), mode: '100644', text: FILE_TEXT.replace('line 1\n', 'other\n') },
  };

  it('is not listed at the end of the next run', () => {
    const { game, attempt } = overlapping();
    game.signal(
      {
        type: 'committed',
        ...{ runId: attempt.runId, sha: 'c'.repeat(40), parentSha: null, proposalIds: attempt.ids },
        ...{ committedVersions: {}, files: [] },
      },
      { staleness: assessStaleness(openStalenessInput(game.pull), before, after) },
    );
    expect(game.pull.run).toMatchObject({ commits: [], assessed: { headSha: 'c'.repeat(40) } });
    const { effects } = game.commands(BEN, { name: 'stop' });
    expect(effects).toMatchObject([
      {},
      {},
      {},
      { reply: expect.stringContaining('nothing was changed, 1 cancelled.') },
      { type: 'publish-waiting' },
    ]);
  });

  it('is not listed there after a mismatch either', () => {
    const { game, attempt } = overlapping();
    const mismatches = [{ path: 'src/a.txt', expected: null, actual: null }];
    const { effects } = game.signal({
      type: 'commit-mismatch',
      ...{ runId: attempt.runId, sha: 'c'.repeat(40), parentSha: null, proposalIds: attempt.ids },
      ...{ committedVersions: {}, mismatches },
    });
    expect(effects).toContainEqual(
      expect.objectContaining({ reply: expect.stringContaining('Nothing was changed, 1 cancelled.') }),
    );
  });
});

describe('a commit that fails after its run has ended', () => {
  it('updates the comment of that run, which shows the change as being applied', () => {
    const { game, attempt } = committing();
    game.commands(ANA, { name: 'stop' });
    const shown = () => game.effects.filter(({ type }) => type === 'update-run-comment').length;
    const shownBefore = shown();
    game.commitFails(attempt);
    expect(game.pull.proposals.map(({ state }) => state)).toEqual(['failed']);
    expect(shown()).toBe(shownBefore + 1);
  });
});
