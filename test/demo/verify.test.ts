import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoEnvironment, startDemoEnvironment } from '../../demo/environment.ts';
import { type PullSource, readLocalRepository } from '../../demo/local-repository.ts';
import { type DemoPull, demoPullOf, listHunkLines, openDemoPull } from '../../demo/pull-request.ts';
import { type DemoDecision, playRounds } from '../../demo/rounds.ts';
import { createScriptedAgent } from '../../demo/script.ts';
import { exportAndVerify, type VerifiedRow } from '../../demo/verify.ts';
import { putBlob, putGitCommit, readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry, updateTree } from '../../fakes/github/git/trees.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import { type StoryDatabase, storyDatabase } from '../stories/support/story-database.ts';
import { createEdgeCaseRepository } from './local-pull.ts';

const local = createEdgeCaseRepository();
let environment: DemoEnvironment;
let database: StoryDatabase;
let source: PullSource;
let demoPull: DemoPull;
let decisions: readonly DemoDecision[];
const told: DemoDecision[] = [];

beforeAll(async () => {
  const read = await readLocalRepository(local.path, null);
  if (read.kind !== 'source') throw new Error(read.reason);
  source = read.source;
  database = await storyDatabase();
  environment = await startDemoEnvironment(null, await database.open());
  demoPull = openDemoPull(environment.github, source);
  await environment.waitUntilIdle();
  const agent = createScriptedAgent(listHunkLines(environment.github, demoPull));
  environment.model?.setFallback(agent.answer);
  const onDecision = (decision: DemoDecision): void => void told.push(decision);
  decisions = await playRounds({ environment, demoPull, onDecision, task: 'tidy up', plan: agent.plan });
});
afterAll(async () => {
  local.remove();
  await environment.close();
  await database.drop();
});

function head(): string {
  return demoPullOf(environment.github, demoPull).head.sha;
}

function bytesAt(path: string): string | null {
  const { store } = environment.github.state();
  const entry = findTreeEntry(store, readGitCommit(store, head())?.tree ?? '', path);
  const bytes = entry === undefined ? undefined : readBlob(store, entry.sha);
  return bytes === undefined ? null : Buffer.from(bytes).toString('latin1');
}

function problems(checks: readonly VerifiedRow[]): readonly string[] {
  return checks.flatMap(({ problem }) => problem ?? []);
}

/** Replaces the head of the branch by a commit that differs in one file. */
function replaceHead(path: string, change: (text: string) => string, message?: string): void {
  const { github } = environment;
  const { store } = github.state();
  const tip = readGitCommit(store, head());
  if (tip === undefined) throw new Error('The branch has no tip.');
  const entry = findTreeEntry(store, tip.tree, path);
  const blob = putBlob(store, Buffer.from(change(bytesAt(path) ?? ''), 'latin1'));
  const tree = updateTree(store, tip.tree, new Map([[path, { mode: entry?.mode ?? '100644', sha: blob }]]));
  const sha = putGitCommit(store, { ...tip, tree, message: message ?? tip.message });
  const actor = { accountId: demoPull.ana.id, viaAppId: null };
  const ref = `refs/heads/${demoPull.branch}`;
  github.apply(OPERATIONS.updateGitRef, { actor, repositoryId: demoPull.repositoryId, ref, sha, force: true });
}

/** Returns the problems that the verification finds after a change, and restores the branch. */
async function findProblemsAfter(change: () => void): Promise<readonly string[]> {
  const before = head();
  change();
  const found = problems(await exportAndVerify(environment.github, demoPull, source, decisions));
  const actor = { accountId: demoPull.ana.id, viaAppId: null };
  const ref = `refs/heads/${demoPull.branch}`;
  const back = { actor, repositoryId: demoPull.repositoryId, ref, sha: before, force: true };
  environment.github.apply(OPERATIONS.updateGitRef, back);
  return found;
}

describe('the demo on a repository with edge cases', () => {
  it('loads the repository byte for byte, with git’s own tree id', () => {
    expect(demoPull.initialTree).toBe(local.git('rev-parse', 'HEAD^{tree}'));
    expect(source.head.get('link.py')).toMatchObject({ mode: '120000' });
    expect(source.head.get('run.sh')).toMatchObject({ mode: '100755' });
    expect(source.head.get('dependency')).toMatchObject({ mode: '160000' });
  });

  it('plays every decision, and the branch holds exactly the approved changes (S39, S101)', async () => {
    const outcomes = new Set(decisions.map(({ outcome }) => outcome));
    expect([...outcomes].sort()).toEqual(['approved', 'denied', 'suggestion-committed']);
    const checks = await exportAndVerify(environment.github, demoPull, source, decisions);
    expect(problems(checks)).toEqual([]);
    expect(checks.length).toBeGreaterThanOrEqual(decisions.length);
    expect(environment.model?.violations).toEqual([]);
    expect(told).toEqual(decisions);
  });
});

describe('the verification', () => {
  it('finds an unapproved byte in an approved file', async () => {
    const path = decisions.findLast(({ outcome }) => outcome === 'approved')?.proposal.path ?? '';
    expect(await findProblemsAfter(() => replaceHead(path, (text) => text.replace('e', 'E')))).not.toEqual([]);
  });

  it('finds a commit without a trailer or with an unapproved one', async () => {
    const message = `Tidy\n\nCountersign-Proposal: zz99\nCountersign-Digest: sha256:${'0'.repeat(64)}\n`;
    expect(await findProblemsAfter(() => replaceHead('run.sh', (text) => text, message))).not.toEqual([]);
    expect(await findProblemsAfter(() => replaceHead('run.sh', (text) => text, 'Tidy\n'))).toContain(
      'its author is the App, and it names no change',
    );
  });

  it('finds a rejected change on the branch and a missing approved change', async () => {
    const swapped = decisions.map((one) => {
      if (one.outcome === 'suggestion-committed') return one;
      return { ...one, outcome: one.outcome === 'approved' ? 'denied' : 'approved' } as const;
    });
    const found = problems(await exportAndVerify(environment.github, demoPull, source, swapped));
    expect(found).toContain('the rejected change is on the branch');
    expect(found).toContain('it is in 0 commits of the branch');
  });

  it('finds a suggestion commit with other bytes', async () => {
    const others = decisions.map((one) => {
      const proposal = { ...one.proposal, digest: '0'.repeat(12) };
      return one.outcome === 'suggestion-committed' ? { ...one, proposal } : one;
    });
    const found = problems(await exportAndVerify(environment.github, demoPull, source, others));
    expect(found).toContain('it matches no committed suggestion');
  });
});
