import { describe, expect, it } from 'vitest';
import { needs } from '../../../../src/core/needs.ts';
import type { Facts } from '../../../../src/core/step/facts.ts';
import type { Signal } from '../../../../src/core/step/signals.ts';
import { ANA, posted, REF, type TableGame } from '../support/table-game.ts';

const SELF = { slug: 'countersign', botId: 999 };

const ALONE: Facts = { now: '2026-01-01T00:00:00Z', app: SELF, ownerAllowed: true };

/** A push of this commit by the App. */
function ownPush(after: string): Signal {
  const actor = { id: SELF.botId, login: 'countersign[bot]' } as const;
  const intent = { kind: 'pushed', pull: REF, actor, before: 'h'.repeat(40), after } as const;
  return { type: 'intent', deliveryId: `push-${after}`, intent };
}

/** Two changes are posted, and the first is approved. */
function oneApproved(): TableGame {
  const game = posted(1, 9);
  game.commands(ANA, {
    name: 'approve',
    targets: { by: 'ids', ids: [game.pull.proposals[0]?.id ?? ''] },
    note: '',
  });
  return game;
}

describe('a push of the App itself', () => {
  it('is ignored during a commit attempt, whose outcome reports the commit', () => {
    const game = oneApproved();
    const push = ownPush('c'.repeat(40));
    game.commitBegins();
    expect(needs(game.pull, push, ALONE)).toEqual([]);
    expect(game.signal(push).reason).toBe('app-push');
  });

  it('is ignored if it is a known commit of the run', () => {
    const game = oneApproved();
    const attempt = game.commitBegins();
    if (attempt !== null) game.commitLands(attempt);
    const push = ownPush('c'.repeat(40));
    expect(game.pull.proposals.map(({ state }) => state)).toEqual(['completed', 'proposed']);
    expect(needs(game.pull, push, ALONE)).toEqual([]);
    expect(game.signal(push).reason).toBe('app-push');
  });

  it('from another pull request is assessed by content, without a request for a permission (B12)', () => {
    const game = oneApproved();
    const push = ownPush('d'.repeat(40));
    expect(needs(game.pull, push, ALONE)).toEqual([{ kind: 'pull-request' }]);
    expect(game.signal(push).reason).toBe('push-assessed');
    expect(game.votes.map(({ by }) => by.id)).toEqual([ANA.id]);
  });
});
