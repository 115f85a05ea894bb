import { describe, expect, it } from 'vitest';
import { spendingLine } from '../../../../src/core/messages/run-ended.ts';
import type { TokenUsage } from '../../../../src/core/state/conversation.ts';
import type { Run } from '../../../../src/core/state/run.ts';
import type { RunLimits } from '../../../../src/core/state/settings.ts';
import { ANA, TableGame } from '../support/table-game.ts';

const USAGE: TokenUsage = { inputTokens: 100_000, cachedInputTokens: 40_000, outputTokens: 2_000 };

const READ = { id: 'c1', name: 'read_file', arguments: '{"path":"src/a.txt"}' };

function started(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'number the lines' });
  return game;
}

function runOf({ pull: { run } }: TableGame): Run {
  if (run === null) throw new Error('no run');
  return run;
}

/** The answer to the request of a turn, perhaps reported again. */
function answer(game: TableGame, turn: number, usage: TokenUsage = USAGE): void {
  const response = { content: null, toolCalls: [READ], finishReason: 'tool_calls', usage };
  game.signal({ type: 'model-responded', runId: runOf(game).id, turn, response });
}

function withLimits(game: TableGame, limits: Partial<RunLimits>): void {
  const run = runOf(game);
  const settings = { ...run.settings, limits: { ...run.settings.limits, ...limits } };
  game.pull = { ...game.pull, run: { ...run, settings, spending: { ...run.spending, price: PRICE, costUsd: 0 } } };
}

const PRICE = { input: 2, cachedInput: 0.5, output: 10 };

describe('what a run spends (S171)', () => {
  it('an answer counts once, however often it is reported (S171)', () => {
    const game = started();
    answer(game, 1);
    answer(game, 1);
    expect(runOf(game)).toMatchObject({ turns: 1, spending: { usage: USAGE } });
  });

  it('an answer to a run that was stopped meanwhile counts, once (S171)', () => {
    const game = started();
    game.commands(ANA, { name: 'stop' });
    const effects = game.effects.length;
    answer(game, 1);
    answer(game, 1);
    expect(runOf(game)).toMatchObject({
      turns: 1,
      spending: { usage: USAGE },
      phase: { kind: 'ended', reason: 'stopped' },
    });
    expect(game.effects).toHaveLength(effects);
  });

  it('a failed answer counts what it cost, and nothing if that is unknown (S171)', () => {
    const game = started();
    const { id: runId } = runOf(game);
    game.signal({ type: 'model-attempt-failed', runId, turn: 1, cost: USAGE, delay: null });
    game.signal({ type: 'model-attempt-failed', runId: 'another', turn: 1, cost: USAGE, delay: null });
    game.signal({ type: 'model-failed', runId, turn: 1, failure: 'cut-off', message: 'x', cost: USAGE });
    game.signal({ type: 'model-failed', runId, turn: 1, failure: 'cut-off', message: 'x' });
    expect(runOf(game).spending.usage).toEqual({
      inputTokens: 200_000,
      cachedInputTokens: 80_000,
      outputTokens: 4_000,
    });
    expect(runOf(game).turns).toBe(0);
  });

  it('time counts while the agent is at work, and not while it waits (S171)', () => {
    const game = started();
    game.later(1);
    game.take('ask-model');
    answer(game, 1);
    game.toolsAnswer();
    game.modelReplies([{ id: 'c2', name: 'edit_file', arguments: 'edit 2 a' }]);
    game.toolsAnswer();
    game.reviewIsPosted();
    expect(runOf(game).phase.kind).toBe('awaiting-decisions');
    const { workMs } = runOf(game).spending;
    expect(workMs).toBeGreaterThanOrEqual(3_600_000);
    expect(workMs).toBeLessThan(3_660_000);
    game.later(100);
    game.commands(ANA, { name: 'deny', targets: { by: 'all' }, reason: 'no', fullText: 'no' });
    expect(runOf(game).spending.workMs - workMs).toBeLessThan(60_000);
    expect(spendingLine(runOf(game))).toMatch(/ · 60 min$/);
  });

  it.each<[string, Partial<RunLimits>, string]>([
    ['tokens', { tokens: 100_000 }, 'token-limit'],
    ['cost', { costUsd: 0.1 }, 'cost-limit'],
    ['time', { minutes: 30 }, 'time-limit'],
  ])('a limit of %s ends the run with what was spent, and /resume renews it (S171)', (_, limits, reason) => {
    const game = started();
    withLimits(game, limits);
    game.later(1);
    answer(game, 1);
    game.toolsAnswer();
    expect(runOf(game).phase).toMatchObject({ kind: 'ended', reason });
    expect(runOf(game).phase).toMatchObject({
      note: expect.stringMatching(/^It has spent 1 response, 102,000 tokens .*\$0\.16 and 60 minutes of work\.$/),
    });
    game.later(1);
    game.commands(ANA, { name: 'resume', text: '' });
    expect(runOf(game).phase).toMatchObject({ kind: 'awaiting-model', turn: 2 });
    expect(runOf(game).spending.usage).toEqual(USAGE);
  });

  it('a refusal after which readings are cleared counts what it cost, also once the run has ended (S169, S171)', () => {
    const game = started();
    const run = runOf(game);
    const clear = (clearedBefore: number) =>
      game.signal({
        ...({ type: 'readings-cleared', runId: run.id, turn: 1, usage: USAGE } as const),
        clearedBefore,
      });
    game.take('ask-model');
    clear(2);
    expect(runOf(game).spending.usage).toEqual(USAGE);
    game.commands(ANA, { name: 'stop' });
    expect(clear(3).reason).toBe('outdated-result');
    expect(runOf(game).spending.usage.inputTokens).toBe(200_000);
  });

  it('after a clearing the model is asked again, and everything can be read again (S169)', () => {
    const game = started();
    const run = runOf(game);
    const reading = { path: 'x', ref: 'head', blob: 'b' } as const;
    game.pull = { ...game.pull, run: { ...run, readings: [{ ...reading, shown: [{ first: 1, last: 2 }] }] } };
    game.take('ask-model');
    const clear = (clearedBefore: number, turn = 1) =>
      game.signal({
        ...{ type: 'readings-cleared', runId: run.id, turn },
        clearedBefore,
        usage: null,
      } as const);
    expect(clear(1, 2).reason).toBe('outdated-result');
    expect(clear(0).reason).toBe('outdated-result');
    expect(clear(2).reason).toBe('readings-cleared');
    expect(clear(2).reason).toBe('outdated-result');
    expect(game.effects.filter(({ type }) => type === 'ask-model')).toHaveLength(1);
    expect(runOf(game)).toMatchObject({ readings: [{ ...reading, shown: [] }], clearedBefore: 2 });
  });
});
