import { describe, expect, it } from 'vitest';
import { goesOnSince, type Task } from '../../src/run/run.ts';
import { posted, proposal, pullOf, run } from '../store/samples.ts';

const waiting = { phase: { kind: 'waiting', turn: 1 } } as const;
const ended = { phase: { kind: 'ended', how: 'finished', by: null, at: '', note: null } } as const;
const { task } = run('r');

const asked = (askedAt: string): Task => ({ ...task, askedAt });
const shown = (id: string, proposedAt: string | null) => ({ ...posted(id, 'r', 71), proposedAt });

describe('F16: since when words may concern what goes on', () => {
  it.each([
    ['the task of a run', pullOf(1, { run: run('r', { ...waiting, task: asked('2030-01-02T00:00:00Z') }) }), '02'],
    ['a task that waits', pullOf(1, { queue: [asked('2030-01-03T00:00:00Z')] }), '03'],
    [
      'the oldest change that waits, where the run is over',
      pullOf(1, {
        run: run('r', { ...ended, task: asked('2030-01-01T00:00:00Z') }),
        proposals: [shown('b', '2030-01-05T00:00:00.250Z'), shown('a', '2030-01-04T00:00:00Z'), shown('c', null)],
      }),
      '04',
    ],
    [
      'whatever of it came first',
      pullOf(1, {
        run: run('r', { ...waiting, task: asked('2030-01-07T00:00:00Z') }),
        queue: [asked('2030-01-08T00:00:00Z')],
        proposals: [shown('a', '2030-01-06T00:00:00Z')],
      }),
      '06',
    ],
  ])('%s', (_, pull, day) => {
    expect(goesOnSince(pull)).toBe(`2030-01-${day}T00:00:00Z`);
  });

  it('is not known where nothing was shown, or all is decided', () => {
    const gone = proposal('p', 'r', { state: 'rejected', proposedAt: '2030-01-01T00:00:00Z' });
    expect(goesOnSince(pullOf(1, { run: run('r', ended), proposals: [gone] }))).toBeNull();
  });
});
