import { describe, expect, it } from 'vitest';
import { decide } from '../../src/run/decide.ts';
import type { Proposal } from '../../src/run/proposal.ts';
import { newPull, type Pull } from '../../src/run/run.ts';
import type { Signal } from '../../src/run/signal.ts';
import type { Step } from '../../src/run/step.ts';
import { layGround } from '../../src/worker/commit-ground.ts';
import { gather } from '../../src/worker/gather.ts';
import { WorkGivenUp, type WorkName, type WorkOut, workOutHere } from '../../src/worker/work-out.ts';
import { ana, edit, proposal, run, vote } from '../render/sample.ts';
import { commentOf, contextOf, type FileSite, gitHubOf, pushed, REF, repliesWith, undoes } from './file-site.ts';

const path = 'src/rows.txt';
const [BASE, HEAD] = ['b'.repeat(40), 'd'.repeat(40)];
const TEXT = Array.from({ length: 30 }, (_, at) => `row ${at}\n`).join('');
const CHANGES = [3, 12, 21].map((row) => edit(path, TEXT, `row ${row}\n`, `ROW ${row}\n`));

/** Three changes of a file wait; the first is approved. */
function waiting(more: Partial<Proposal> = {}): readonly Proposal[] {
  const placement = { kind: 'conversation', path, why: 'not-in-diff' } as const;
  return CHANGES.map((change, at) => {
    const shown = {
      id: `k7q${at}`,
      runId: run().id,
      index: at + 1,
      total: 3,
      head: BASE,
      placement,
      comment: commentOf(at + 1),
    };
    const approved = at === 0 ? ({ state: 'approved', votes: [vote('approve', ana)] } as const) : {};
    return proposal(change, { ...shown, ...approved, ...more });
  });
}

function pullOf(proposals: readonly Proposal[]): Pull {
  return { ...newPull(REF), run: run({ head: BASE }), proposals, proposalCount: proposals.length };
}

/** The file at both commits, and in none of them where it is null. */
function siteOf(base: string, head: string | null): FileSite {
  return { commits: { [BASE]: { [path]: base }, [HEAD]: head === null ? {} : { [path]: head } }, head: HEAD };
}

async function decided(site: FileSite, pull: Pull, signal: Signal, workOut: WorkOut): Promise<Step> {
  return decide(pull, signal, await gather(contextOf(gitHubOf(site), workOut), pull, signal));
}

function statesOf({ pull }: Step): readonly string[] {
  return pull.proposals.map(({ state }) => state);
}

const givenUp: WorkOut = () => Promise.reject(new WorkGivenUp('time', 'it took too long'));
const MADE = TEXT.replace('row 3\n', 'ROW 3\n').replace('row 12\n', 'ROW 12\n');

describe('what is judged before it is decided', () => {
  it('H6: everything that waits for a file is worked out at once, and files that are as they were are not read', async () => {
    const asked: WorkName[] = [];
    const counting: WorkOut = (name, input) => {
      asked.push(name);
      return workOutHere(name, input);
    };
    const moved = await decided(siteOf(TEXT, `new\n${TEXT}`), pullOf(waiting()), pushed(BASE, HEAD), counting);
    expect(moved.pull.proposals.map(({ movedTo }) => movedTo)).toEqual([5, 14, 23]);
    expect(asked).toEqual(['judgePush']);
    const unread = { ...gitHubOf(siteOf(TEXT, TEXT)), blob: () => Promise.reject(new Error('it was read')) };
    const facts = await gather(contextOf(unread, counting), pullOf(waiting()), pushed(BASE, HEAD));
    expect(facts.judged).toEqual({ paths: [], moves: [] });
    expect(asked).toEqual(['judgePush']);
  });

  it('S96: what a commit of the run’s own moved is known before the others are judged against it', async () => {
    // Where its lines stand many times, only that commit tells which of them they are.
    const base = `top\n${'a\nb\n'.repeat(5)}`;
    const landed = edit(path, base, 'top\n', 'top\nmore\n');
    const lines = { oldStart: 6, newStart: 6, before: ['b\n', 'a\n', 'b\n'], after: ['b\n', 'a\n', 'b\n'] };
    const result = { blob: 'f'.repeat(40), mode: '100644' } as const;
    const second = { ...landed, result, standsOnce: false, region: { ...lines, old: ['a\n'], new: ['c\n'] } };
    const executing = proposal(landed, { id: 'k7q0', state: 'executing', votes: [vote('approve', ana)], head: BASE });
    const pull = pullOf([executing, proposal(second, { id: 'k7q1', head: BASE })]);
    const after = base.replace('top\n', 'top\nmore\n');
    const [before, made] = [landed.base?.blob ?? '', landed.result?.blob ?? ''];
    const ranges = [{ oldStart: 1, oldLines: 0, newStart: 2, newLines: 1 }];
    const committed: Signal = {
      type: 'committed',
      runId: run().id,
      sha: HEAD,
      proposalIds: ['k7q0'],
      made: {},
      files: [{ path, before, after: made, ranges }],
    };
    const step = await decided(siteOf(base, after), pull, committed, workOutHere);
    expect(statesOf(step)).toEqual(['completed', 'proposed']);
    expect(step.pull.proposals[1]?.movedTo).toBe(7);
  });
});

describe('H6: what cannot be worked out in time', () => {
  it.each([
    ['made some of them', MADE],
    ['moved them', `new\n${TEXT}`],
    ['took the file away', null],
  ])(
    'of a push that %s: everything on the file is withdrawn, nobody’s approval holds, and no push counts as one',
    async (_, head) => {
      const step = await decided(siteOf(TEXT, head), pullOf(waiting()), pushed(BASE, HEAD), givenUp);
      expect(statesOf(step)).toEqual(['superseded', 'superseded', 'superseded']);
      expect(step.votes).toEqual([]);
      expect(step.effects.map(({ type }) => type)).not.toContain('commit');
      const answers = step.effects.flatMap((effect) => (effect.type === 'answer' ? [effect.answer] : []));
      expect(answers).toMatchObject([{ kind: 'stale', proposals: [{ id: 'k7q0' }] }]);
      expect(step.pull.run?.head).toBe(HEAD);
    },
  );

  it('of a person’s own lines: they are told so, and nothing is approved', async () => {
    const pull = pullOf(waiting({ state: 'proposed', votes: [] }));
    const site = siteOf(TEXT, TEXT);
    const step = await decided(site, pull, repliesWith(['mine'], commentOf(2), path), givenUp);
    expect(step).toMatchObject({ reason: 'own-text-refused', votes: [] });
    expect(statesOf(step)).toEqual(['proposed', 'proposed', 'proposed']);
    expect(step.effects).toMatchObject([{ type: 'answer', answer: { problem: { why: 'given-up' } } }]);
  });

  it('of an undo: they are told so, and nothing is proposed', async () => {
    const pull = pullOf(waiting({ state: 'completed', commit: HEAD }));
    const step = await decided(siteOf(TEXT, MADE), pull, undoes('k7q0'), givenUp);
    expect(step).toMatchObject({ reason: 'not-undone', pull: { proposals: pull.proposals } });
    expect(step.effects).toMatchObject([{ type: 'answer', answer: { why: { kind: 'refused' } } }]);
  });

  it('of an attempt to commit: nothing goes into it', async () => {
    const [mine] = waiting();
    if (mine === undefined) throw new Error('Nothing waits.');
    const pull = pullOf([mine]);
    const github = gitHubOf(siteOf(TEXT, `new\n${TEXT}`));
    const at = { head: HEAD, branch: 'topic' };
    const checkedBy = async (workOut: WorkOut) => {
      const { checks, settings } = await layGround({ github, workOut }, pull, [mine], at);
      const starting = {
        type: 'commit-starting',
        runId: run().id,
        head: HEAD,
        baseRef: 'main',
        checks,
        settings,
      } as const;
      return decide(pull, starting, await gather(contextOf(github, workOut), pull, starting));
    };
    expect(statesOf(await checkedBy(givenUp))).toEqual(['superseded']);
    expect(statesOf(await checkedBy(workOutHere))).toEqual(['executing']);
  });

  it('a fault of ours is none of that: the signal is tried again', async () => {
    const broken: WorkOut = () => Promise.reject(new Error('ours'));
    await expect(decided(siteOf(TEXT, MADE), pullOf(waiting()), pushed(BASE, HEAD), broken)).rejects.toThrow('ours');
  });
});
