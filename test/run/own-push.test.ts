import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/run/facts.ts';
import { needs } from '../../src/run/needs.ts';
import type { Signal } from '../../src/run/signal.ts';
import { ANA, REF, TableGame } from './table-game.ts';

const SELF = { slug: 'countersign', botId: 999 };
const ALONE: Facts = { now: '2026-01-01T00:00:00Z', self: SELF, served: true };

/** The App pushed this commit, through whichever pull request. */
function ownPush(after: string): Signal {
  const actor = { id: SELF.botId, login: 'countersign[bot]', type: 'Bot', viaApp: false } as const;
  const intent = { kind: 'pushed', pull: REF, actor, before: 'h'.repeat(40), after } as const;
  return { type: 'intent', deliveryId: `push-${after}`, intent };
}

/** Two changes wait, and the first is approved. */
function oneApproved(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  const call = (id: string, line: number) => ({ id, name: 'edit_file', arguments: `edit ${line} other` });
  game.modelReplies([call('one', 1), call('two', 9)]);
  game.toolsAnswer();
  game.reviewIsPosted();
  game.commands(ANA, {
    name: 'approve',
    targets: { by: 'ids', ids: [game.pull.proposals[0]?.id ?? ''] },
    note: '',
  });
  return game;
}

describe('a push of the App itself', () => {
  it('while an attempt to commit is under way, its outcome tells what landed: nothing is asked and nothing judged', () => {
    const game = oneApproved();
    const push = ownPush('c'.repeat(40));
    game.commitBegins();
    expect(needs(game.pull, push, ALONE)).toEqual([]);
    expect(game.signal(push).reason).toBe('own-push');
  });

  it('of a commit that this run knows, nothing is asked and nothing judged', () => {
    const game = oneApproved();
    const attempt = game.commitBegins();
    if (attempt !== null) game.commitLands(attempt);
    const push = ownPush('c'.repeat(40));
    expect(game.pull.proposals.map(({ state }) => state)).toEqual(['completed', 'proposed']);
    expect(needs(game.pull, push, ALONE)).toEqual([]);
    expect(game.signal(push).reason).toBe('own-push');
  });

  it('B12: any other came through another pull request: it is judged by content, and nobody’s permission is asked', () => {
    const game = oneApproved();
    const push = ownPush('d'.repeat(40));
    expect(needs(game.pull, push, ALONE)).toEqual([{ kind: 'pull-request' }]);
    expect(game.signal(push).reason).toBe('push-judged');
    expect(game.votes.map(({ by }) => by.id)).toEqual([ANA.id]);
  });
});
