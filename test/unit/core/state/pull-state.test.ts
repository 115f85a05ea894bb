import { describe, expect, it } from 'vitest';
import { activeSince } from '../../../../src/core/state/pull-state.ts';
import type { Task } from '../../../../src/core/state/run.ts';
import { posted, proposal, pullOf, run } from '../../../contracts/store/samples.ts';

const waiting = { phase: { kind: 'awaiting-decisions', turn: 1 } } as const;

const ended = { phase: { kind: 'ended', reason: 'finished', by: null, at: '', note: null } } as const;

const { task } = run('r');

const asked = (requestedAt: string): Task => ({ ...task, requestedAt });

const proposedAtTime = (id: string, proposedAt: string | null) => ({ ...posted(id, 'r', 71), proposedAt });

describe('the time since which comments can concern active work (F16)', () => {
  it.each([
    ['the task of a run', pullOf(1, { run: run('r', { ...waiting, task: asked('2030-01-02T00:00:00Z') }) }), '02'],
    ['a queued task', pullOf(1, { queue: [asked('2030-01-03T00:00:00Z')] }), '03'],
    [
      'the oldest pending change of an ended run',
      pullOf(1, {
        run: run('r', { ...ended, task: asked('2030-01-01T00:00:00Z') }),
        proposals: [
          proposedAtTime('b', '2030-01-05T00:00:00.250Z'),
          proposedAtTime('a', '2030-01-04T00:00:00Z'),
          proposedAtTime('c', null),
        ],
      }),
      '04',
    ],
    [
      'the earliest of a run, a queued task and a proposal',
      pullOf(1, {
        run: run('r', { ...waiting, task: asked('2030-01-07T00:00:00Z') }),
        queue: [asked('2030-01-08T00:00:00Z')],
        proposals: [proposedAtTime('a', '2030-01-06T00:00:00Z')],
      }),
      '06',
    ],
  ])('%s', (_, pull, day) => {
    expect(activeSince(pull)).toBe(`2030-01-${day}T00:00:00Z`);
  });

  it('is null if nothing was posted or everything is decided', () => {
    const gone = proposal('p', 'r', { state: 'rejected', proposedAt: '2030-01-01T00:00:00Z' });
    expect(activeSince(pullOf(1, { run: run('r', ended), proposals: [gone] }))).toBeNull();
  });
});
