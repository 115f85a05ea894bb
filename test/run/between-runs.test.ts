import { describe, expect, it } from 'vitest';
import { judgedFrom, toJudge } from '../../src/run/judging.ts';
import { needs } from '../../src/run/needs.ts';
import { ANA, BEN, FILE_TEXT, TableGame } from './table-game.ts';

const FIRST = '2026-01-01T00:10:00Z';
const SECOND = '2026-01-01T00:20:00Z';

/** The run is over, and two tasks wait for the next one to begin. */
function betweenRuns(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'look around' });
  game.commands(ANA, { name: 'task', text: 'tidy up' }, { createdAt: FIRST });
  game.commands(BEN, { name: 'task', text: 'be exact' }, { createdAt: SECOND });
  game.modelReplies([], 'Done.');
  return game;
}

/** A run whose one change was approved, while the commit of it is under way. */
function committing() {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  game.modelReplies([{ id: 'one', name: 'edit_file', arguments: 'edit 1 other' }]);
  game.toolsAnswer();
  game.reviewIsPosted();
  game.commands(ANA, { name: 'approve', targets: { by: 'place' }, note: '' });
  const attempt = game.commitBegins();
  if (attempt === null) throw new Error('No commit is under way.');
  return { game, attempt };
}

describe('/stop between two runs', () => {
  it('S51: drops and lists the queued tasks, and none of them begins', () => {
    const game = betweenRuns();
    expect(game.take('start-next')).not.toBeNull();
    const { reason, effects } = game.commands(BEN, { name: 'stop' }, { createdAt: '2026-01-01T00:30:00Z' });
    expect(reason).toBe('stopped');
    expect(effects).toMatchObject([
      { type: 'react', content: '+1' },
      { type: 'answer', answer: { kind: 'queue-dropped', dropped: ['tidy up', 'be exact'] } },
    ]);
    expect(game.signal({ type: 'task-due' }).reason).toBe('queue-empty');
    expect(game.pull.run?.task.text).toBe('look around');
  });

  it('S41a: leaves alone what was asked for after it', () => {
    const game = betweenRuns();
    const { effects } = game.commands(BEN, { name: 'stop' }, { createdAt: FIRST });
    expect(effects).toMatchObject([{ type: 'react' }, { answer: { kind: 'queue-dropped', dropped: ['tidy up'] } }]);
    game.signal({ type: 'task-due' });
    expect(game.pull.run?.task.text).toBe('be exact');
  });

  it('S41a: with nothing that was asked for by then, has nothing to stop', () => {
    const game = betweenRuns();
    expect(game.commands(BEN, { name: 'stop' }, { createdAt: '2026-01-01T00:00:00Z' }).reason).toBe('no-run');
    expect(game.pull.queue).toHaveLength(2);
  });
});

describe('what a task needs to begin', () => {
  it.each([
    ['closed', []],
    ['merged', []],
    ['open', [{ kind: 'settings' }]],
  ] as const)('on a pull request that is %s: %j', (state, needed) => {
    const game = betweenRuns();
    const { settings: _, ...facts } = game.facts({ pull: game.github({ state }) });
    expect(needs(game.pull, { type: 'task-due' }, facts)).toEqual(needed);
  });
});

describe('a commit that is under way while access is lost', () => {
  function losing() {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'do it' });
    game.modelReplies([{ id: 'call-1', name: 'edit_file', arguments: 'edit 3 new' }]);
    game.toolsAnswer();
    game.reviewIsPosted();
    game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' }, { createdAt: '2030-01-01T00:00:00Z' });
    const attempt = game.commitBegins();
    if (attempt === null) throw new Error('Nothing is committed.');
    const { effects } = game.signal({ type: 'access-lost', loss: 'uninstalled' });
    return { game, attempt, effects };
  }

  it('S90b: is at its end, which says that nobody can see whether it was made', () => {
    const { game, effects } = losing();
    expect(game.pull.proposals).toMatchObject([
      { state: 'failed', note: expect.stringContaining('cannot see whether') },
    ]);
    expect(effects).toEqual([]);
  });

  it('S90b: and where its answer comes all the same, the ledger has the commit, and GitHub is asked nothing', () => {
    const { game, attempt } = losing();
    const [proposalId] = attempt.ids;
    game.commitLands(attempt);
    const step = game.steps.at(-1);
    expect(step?.writes).toMatchObject([{ proposalId, commit: 'c'.repeat(40), approvers: [{ id: ANA.id }] }]);
    expect(step?.effects).toEqual([]);
  });
});

describe('a commit that holds something else than was approved, and is heard of once access is lost', () => {
  it('S90b, B20: stands in the ledger as it was asked for, and GitHub is asked nothing', () => {
    const { game, attempt } = committing();
    const [proposalId] = attempt.ids;
    game.signal({ type: 'access-lost', loss: 'repository-removed' });
    const asked = { runId: attempt.runId, sha: 'c'.repeat(40), parent: 'h'.repeat(40), proposalIds: attempt.ids };
    const step = game.signal({ type: 'commit-differs', ...asked, made: {}, differences: [] });
    expect(step.writes).toMatchObject([
      { proposalId, commit: 'c'.repeat(40), parent: 'h'.repeat(40), approvers: [{ id: ANA.id }] },
    ]);
    expect(step.effects).toEqual([]);
  });
});

describe('a question that waits while access is lost', () => {
  it('F16: goes with everything else, so that the next one is put to the model', () => {
    const game = betweenRuns();
    game.commands(ANA, { name: 'ask', text: 'why?' });
    expect(game.signal({ type: 'access-lost', loss: 'permissions' }).dropsRest).toBe(true);
    const { effects } = game.commands(ANA, { name: 'ask', text: 'why not?' });
    expect(effects).toMatchObject([{ type: 'react' }, { type: 'ask-question', question: { text: 'why not?' } }]);
  });
});

describe('a commit that lands once the next run has begun', () => {
  it('is told by the comment of the run that it belongs to', () => {
    const { game, attempt } = committing();
    const before = game.pull.run?.id;
    game.commands(ANA, { name: 'stop' });
    game.commands(BEN, { name: 'task', text: 'tidy up' });
    expect(game.pull.run?.id).not.toBe(before);
    const shown = () => game.effects.filter((one) => one.type === 'show-run' && one.runId === before).length;
    const told = shown();
    game.commitLands(attempt);
    expect(game.pull.proposals.find(({ runId }) => runId === before)?.state).toBe('completed');
    expect(shown()).toBe(told + 1);
  });
});

describe('a commit that lands while the changes of the next run wait', () => {
  /** The first run was stopped while its commit was under way, and the next one's change is on the page. */
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

  it('is none of the next run, whose end does not list it', () => {
    const { game, attempt } = overlapping();
    game.signal(
      {
        type: 'committed',
        ...{ runId: attempt.runId, sha: 'c'.repeat(40), proposalIds: attempt.ids, made: {}, files: [] },
      },
      { judged: judgedFrom(toJudge(game.pull), before, after) },
    );
    expect(game.pull.run).toMatchObject({ commits: [], head: 'c'.repeat(40) });
    const { effects } = game.commands(BEN, { name: 'stop' });
    expect(effects).toMatchObject([{}, {}, {}, { answer: { kind: 'run-ended', commits: [] } }]);
  });

  it('nor is one that holds something else than was approved', () => {
    const { game, attempt } = overlapping();
    const differences = [{ path: 'src/a.txt', approved: null, stands: null }];
    const { effects } = game.signal({
      type: 'commit-differs',
      ...{ runId: attempt.runId, sha: 'c'.repeat(40), proposalIds: attempt.ids, differences },
    });
    expect(effects).toContainEqual(
      expect.objectContaining({ answer: expect.objectContaining({ kind: 'run-ended', commits: [] }) }),
    );
  });
});

describe('a commit that fails once its run is over', () => {
  it('is told by the comment of that run, which said that it is being applied', () => {
    const { game, attempt } = committing();
    game.commands(ANA, { name: 'stop' });
    const shown = () => game.effects.filter(({ type }) => type === 'show-run').length;
    const told = shown();
    game.commitFails(attempt);
    expect(game.pull.proposals.map(({ state }) => state)).toEqual(['failed']);
    expect(shown()).toBe(told + 1);
  });
});
